#include "cli/command.h"
#include "cli/flag_values.h"
#include "cli/open_profiles.h"
#include "planner/base/quantity_text.h"
#include "planner/load/find_cluster.h"
#include "simulator/topology/read_topology.h"
#include "simulator/topology/topology_drawing.h"
#include "simulator/topology/topology_facts.h"
#include "simulator/topology/topology_json.h"
#include "simulator/topology/topology_report.h"

#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostNodes = 262'144;
constexpr std::int64_t kMostSites = 64;

enum class TopologyFormat { Usual, Text, Json, Csv, Markdown, Dot, Svg };
constexpr std::array kTopologyFormats = {Choice<TopologyFormat>{"text", TopologyFormat::Text},
                                         Choice<TopologyFormat>{"json", TopologyFormat::Json},
                                         Choice<TopologyFormat>{"csv", TopologyFormat::Csv},
                                         Choice<TopologyFormat>{"md", TopologyFormat::Markdown},
                                         Choice<TopologyFormat>{"dot", TopologyFormat::Dot},
                                         Choice<TopologyFormat>{"svg", TopologyFormat::Svg}};

struct TopologyFlags {
    std::string cluster;
    std::string file;
    std::string gpu;
    std::string fabric;
    std::int64_t nodes = 0;
    std::int64_t gpus = 0;
    std::vector<std::string> fail;
    std::int64_t sites = 1;
    std::string wanBandwidth;
    std::string wanLatency = "0 s";
    TopologyFormat format = TopologyFormat::Usual;
};

/// --format before the command's name is every command's, behind it this one's.
TopologyFormat formatOf(const TopologyFlags& flags, const GlobalOptions& options) {
    if (flags.format != TopologyFormat::Usual) {
        return flags.format;
    }
    switch (options.format) {
        case Format::Json:
            return TopologyFormat::Json;
        case Format::Csv:
            return TopologyFormat::Csv;
        case Format::Markdown:
            return TopologyFormat::Markdown;
        case Format::Text:
            break;
    }
    return TopologyFormat::Text;
}

Result<WanTier> wanTier(const TopologyFlags& flags) {
    WanTier wan{.sites = flags.sites};
    if (flags.sites == 1) {
        return wan;
    }
    if (flags.wanBandwidth.empty()) {
        return fail(Error::Code::BadInput,
                    "--sites",
                    "nothing says how fast the sites are joined",
                    "--wan '400 Gbps'");
    }
    FABRICAST_ASSIGN(wan.bandwidth, parseQuantity<BytesPerSecond>(flags.wanBandwidth, "--wan"));
    FABRICAST_ASSIGN(wan.latency, parseQuantity<Seconds>(flags.wanLatency, "--wan-latency"));
    return wan;
}

Result<DescribedTopology> fromCluster(const TopologyFlags& flags,
                                      const GlobalOptions& options,
                                      const ProfileStore& profiles) {
    ClusterRequest request{.name = flags.cluster, .fabric = flags.fabric, .where = "-c"};
    if (request.name.find('/') != std::string::npos) {
        request.name = options.at(request.name);
    }
    if (flags.nodes > 0) {
        request.nodes = flags.nodes;
    }
    if (flags.gpus > 0) {
        request.gpus = flags.gpus;
    }
    TopologyOptions how;
    FABRICAST_ASSIGN(how.wan, wanTier(flags));
    FABRICAST_ASSIGN(const FoundCluster found, findCluster(request, profiles, "."));
    if (const std::string& link = found.cluster.node.pci.hostLink; !link.empty()) {
        FABRICAST_ASSIGN(const FabricSpec host, profiles.fabric(link, "-c"));
        how.hostLink = host.linkBandwidth.value;
    }
    return clusterTopology(found.cluster, how);
}

Result<DescribedTopology> topologyOf(const TopologyFlags& flags, const GlobalOptions& options) {
    if (flags.cluster.empty() == flags.file.empty()) {
        return fail(Error::Code::BadInput,
                    "topology",
                    flags.file.empty() ? "no cluster is said" : "a cluster or a file, not both",
                    "-c dgx-h100 -n 4, or --file topo.xml");
    }
    FABRICAST_ASSIGN(const ProfileStore profiles, openProfiles(options));
    return flags.file.empty() ? fromCluster(flags, options, profiles)
                              : readTopology(options.at(flags.file), flags.gpu, profiles);
}

Result<std::string> rendered(TopologyFormat format,
                             const DescribedTopology& described,
                             const TopologyFacts& facts) {
    switch (format) {
        case TopologyFormat::Json:
            return topologyJson(described, facts, FABRICAST_VERSION);
        case TopologyFormat::Csv:
            return csvText(tierTable(facts));
        case TopologyFormat::Markdown:
            return markdownText(tierTable(facts));
        case TopologyFormat::Dot:
            return topologyDot(described, facts);
        case TopologyFormat::Svg:
            return topologySvg(described, facts);
        case TopologyFormat::Usual:
        case TopologyFormat::Text:
            break;
    }
    return topologyText(facts, described.topology);
}

Result<Answer> runTopology(const TopologyFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const DescribedTopology described, topologyOf(flags, options));
    FABRICAST_ASSIGN(const TopologyFacts facts, topologyFacts(described, flags.fail));
    FABRICAST_ASSIGN(std::string text, rendered(formatOf(flags, options), described, facts));
    const bool apart = facts.outage && !facts.outage->reach.apart.empty();
    return Answer{.text = std::move(text), .code = apart ? ExitCode::DoesNotFit : ExitCode::Ok};
}

void addClusterFlags(CLI::App& app, TopologyFlags& flags) {
    app.add_option("-c,--cluster", flags.cluster, "a cluster or node: dgx-h100")
        ->option_text("NAME");
    addWhole(app, "-n,--nodes", flags.nodes, {1, kMostNodes})->description("how many nodes");
    addWhole(app, "--gpus", flags.gpus, {1, kMostNodes})
        ->description("how many GPUs in all, instead of -n");
    app.add_option("--fabric", flags.fabric, "another network than the cluster's own")
        ->option_text("NAME");
    addWhole(app, "--sites", flags.sites, {1, kMostSites})
        ->description("so many such clusters, joined by a WAN");
    app.add_option("--wan", flags.wanBandwidth, "with --sites: of one site to the others")
        ->option_text("RATE");
    app.add_option("--wan-latency", flags.wanLatency, "with --sites: from one to another (0)")
        ->option_text("TIME");
}

}  // namespace

Command topologyCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app = program.add_subcommand(
        "topology", "The links of a cluster: tiers, bisection, and what a failure does");
    app->footer(
        "examples:\n"
        "  fabricast topology -c dgx-h100 -n 32\n"
        "  fabricast topology -c dgx-h100 -n 32 --fail node3/nic2-leaf2\n"
        "  fabricast topology -c dgx-h100 --format svg -o node.svg\n"
        "  fabricast topology --file nccl_topo.xml");
    const auto flags = std::make_shared<TopologyFlags>();
    addClusterFlags(*app, *flags);
    app->add_option(
           "--file", flags->file, "NCCL's XML, nvidia-smi topo -m, or JSON of this command")
        ->option_text("FILE");
    app->add_option("--gpu", flags->gpu, "with nvidia-smi topo -m: which GPUs these are")
        ->option_text("NAME");
    app->add_option("--fail", flags->fail, "a link or device that is down; may be said again")
        ->option_text("NAME")
        ->allow_extra_args(false);
    addChoice<TopologyFormat>(*app, "-f,--format", flags->format, kTopologyFormats)
        ->description("text, json, csv, md, dot or svg")
        ->option_text("FORMAT");
    return {app, [flags, &options] { return runTopology(*flags, options); }};
}

}  // namespace fabricast
