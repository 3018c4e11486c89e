#include "study/topology.h"

#include "cli/command.h"
#include "flags/question_arguments.h"
#include "planner/base/quantity_text.h"
#include "planner/report/markdown_escaped.h"
#include "simulator/topology/topology_drawing.h"
#include "simulator/topology/topology_json.h"
#include "simulator/topology/topology_report.h"

#include <array>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostNodes = 262'144;
constexpr BytesPerSecond kSlowestWan(1.0);
constexpr BytesPerSecond kFastestWan(1e15);
constexpr Seconds kLongestWan(3600.0);

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
    std::string wanLatency;
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
        const char* const unused = !flags.wanBandwidth.empty() ? "--wan"
                                   : !flags.wanLatency.empty() ? "--wan-latency"
                                                               : nullptr;
        if (unused != nullptr) {
            return fail(Error::Code::BadInput,
                        unused,
                        "there is one site, so nothing uses it",
                        "--sites 2 --wan '400 Gbps'");
        }
        return wan;
    }
    if (flags.wanBandwidth.empty()) {
        return fail(Error::Code::BadInput,
                    "--sites",
                    "the rate between the sites is not given",
                    "--wan '400 Gbps'");
    }
    FABRICAST_ASSIGN(wan.bandwidth, parseQuantity<BytesPerSecond>(flags.wanBandwidth, "--wan"));
    if (wan.bandwidth < kSlowestWan || wan.bandwidth > kFastestWan) {
        return fail(
            Error::Code::BadInput, "--wan", "must be from 1 B/s to 1 PB/s", "--wan '400 Gbps'");
    }
    if (!flags.wanLatency.empty()) {
        FABRICAST_ASSIGN(wan.latency, parseQuantity<Seconds>(flags.wanLatency, "--wan-latency"));
    }
    if (wan.latency < Seconds() || wan.latency > kLongestWan) {
        return fail(
            Error::Code::BadInput, "--wan-latency", "must be from 0 to 1 h", "--wan-latency 10ms");
    }
    return wan;
}

Result<TopologyAsk> topologyAsk(const TopologyFlags& flags, const GlobalOptions& options) {
    TopologyAsk ask{
        .cluster = {.name = flags.cluster, .fabric = flags.fabric, .where = "-c", .typed = true},
        .folders = {.typed = options.directory},
        .file = flags.file.empty() ? "" : options.at(flags.file),
        .gpu = flags.gpu,
        .failed = flags.fail};
    if (flags.nodes > 0) {
        ask.cluster.nodes = flags.nodes;
    }
    if (flags.gpus > 0) {
        ask.cluster.gpus = flags.gpus;
    }
    if (flags.file.empty()) {
        FABRICAST_ASSIGN(ask.options.wan, wanTier(flags));
    }
    return ask;
}

Result<std::string> printedTopology(TopologyFormat format, const TopologyAnswer& answer) {
    const auto& [described, facts] = answer;
    switch (format) {
        case TopologyFormat::Json:
            return topologyJson(described, facts, FABRICAST_VERSION);
        case TopologyFormat::Csv:
            return csvText(tierTable(facts));
        case TopologyFormat::Markdown:
            return markdownEscaped(markdownText(tierTable(facts)));
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
    FABRICAST_ASSIGN(const TopologyAsk ask, topologyAsk(flags, options));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(const TopologyAnswer answer, topology(ask, bench));
    FABRICAST_ASSIGN(std::string text, printedTopology(formatOf(flags, options), answer));
    const std::optional<OutageEffect>& outage = answer.facts.outage;
    const bool apart = outage && !outage->reach.apart.empty();
    return Answer{.text = std::move(text), .code = apart ? ExitCode::DoesNotFit : ExitCode::Ok};
}

void addClusterFlags(const FlagSet& app, TopologyFlags& flags) {
    app.add("-c,--cluster", flags.cluster, "a cluster or node: dgx-h100").takes("NAME");
    app.add("-n,--nodes", flags.nodes, {1, kMostNodes}).describe("number of nodes");
    app.add("--gpus", flags.gpus, {1, kMostNodes}).describe("total number of GPUs, instead of -n");
    app.add("--fabric", flags.fabric, "network instead of the cluster's own").takes("NAME");
    app.add("--sites", flags.sites, {1, kMostSites})
        .describe("number of such clusters, joined by a WAN");
    app.add("--wan", flags.wanBandwidth, "with --sites: rate of one site to the others")
        .takes("RATE");
    app.add("--wan-latency", flags.wanLatency, "with --sites: latency between sites (default: 0)")
        .takes("TIME");
}

}  // namespace

Command topologyCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app = program.command(
        "topology", "Analyse the links of a cluster: tiers, bisection, effect of failures");
    app.footer(
        "examples:\n"
        "  fabricast topology -c dgx-h100 -n 32\n"
        "  fabricast topology -c dgx-h100 -n 32 --fail node3/nic2-leaf2\n"
        "  fabricast topology -c dgx-h100 --format svg -o node.svg\n"
        "  fabricast topology --file nccl_topo.xml");
    const auto flags = std::make_shared<TopologyFlags>();
    addClusterFlags(app, *flags);
    app.add("--file", flags->file, "NCCL's XML, nvidia-smi topo -m, or JSON of this command")
        .takes("FILE");
    app.add("--gpu", flags->gpu, "with nvidia-smi topo -m: the name of the GPU").takes("NAME");
    app.add("--fail", flags->fail, "a failed link, device or node; repeatable")
        .takes("NAME")
        .oneEach();
    app.addChoice<TopologyFormat>("-f,--format", flags->format, kTopologyFormats)
        .describe("text, json, csv, md, dot or svg")
        .takes("FORMAT");
    return {app, [flags, &options] { return runTopology(*flags, options); }};
}

}  // namespace fabricast
