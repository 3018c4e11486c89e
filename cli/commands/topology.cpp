#include "study/topology.h"

#include "cli/answer_forms.h"
#include "flags/question_arguments.h"
#include "planner/report/markup.h"
#include "simulator/topology/topology_report.h"
#include "study/read_wan.h"

#include <array>
#include <memory>
#include <string_view>

namespace fabricast {
namespace {

constexpr std::int64_t kMostNodes = 262'144;

using TopologyForm = AnswerForm<TopologyAnswer>;
constexpr std::array kTopologyForms = {
    TopologyForm{
        "text",
        [](const TopologyAnswer& all) { return topologyText(all.facts, all.described.topology); }},
    TopologyForm{"csv", [](const TopologyAnswer& all) { return csvText(tierTable(all.facts)); }},
    TopologyForm{"md",
                 [](const TopologyAnswer& all) {
                     return markdownEscaped(markdownText(tierTable(all.facts)));
                 }},
    TopologyForm{"dot",
                 [](const TopologyAnswer& all) { return topologyDot(all.described, all.facts); }},
    TopologyForm{"svg",
                 [](const TopologyAnswer& all) { return topologySvg(all.described, all.facts); }}};

/// As --format takes them; JSON may be too large.
using FormName = Choice<std::string_view>;
constexpr std::array kTopologyFormats = {FormName{"text", "text"},
                                         FormName{"json", "json"},
                                         FormName{"csv", "csv"},
                                         FormName{"md", "md"},
                                         FormName{"dot", "dot"},
                                         FormName{"svg", "svg"}};

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
    std::string_view format;  ///< behind the name of the command; empty: as for every command
};

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
        FABRICAST_ASSIGN(ask.options.wan,
                         readWan(flags.sites, flags.wanBandwidth, flags.wanLatency));
    }
    return ask;
}

Result<Answer> runTopology(const TopologyFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const TopologyAsk ask, topologyAsk(flags, options));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(const TopologyAnswer answer, topology(ask, bench));
    const std::string_view form = flags.format.empty() ? formName(options.format) : flags.format;
    Answer printed;
    if (form == "json") {
        FABRICAST_ASSIGN(printed.text,
                         topologyJson(answer.described, answer.facts, FABRICAST_VERSION));
    } else {
        printed = answerIn(form, answer, kTopologyForms);
    }
    const std::optional<OutageEffect>& outage = answer.facts.outage;
    const bool apart = outage && !outage->reach.apart.empty();
    printed.code = apart ? ExitCode::DoesNotFit : ExitCode::Ok;
    return printed;
}

void addClusterFlags(const FlagSet& app, TopologyFlags& flags) {
    app.add("-c,--cluster", flags.cluster, "a cluster or node: dgx-h100").takes("NAME", "dgx-h100");
    app.add("-n,--nodes", flags.nodes, {1, kMostNodes}).describe("number of nodes");
    app.add("--gpus", flags.gpus, {1, kMostNodes}).describe("total number of GPUs, instead of -n");
    app.add("--fabric", flags.fabric, "network instead of the cluster's own")
        .takes("NAME", "ib-ndr");
    app.add("--sites", flags.sites, {1, kMostSites})
        .describe("number of such clusters, joined by a WAN");
    app.add("--wan", flags.wanBandwidth, "with --sites: rate of one site to the others")
        .takes("RATE", "100Gbps");
    app.add(
           "--wan-latency", flags.wanLatency, "with --sites: latency between sites (default: 0 ms)")
        .takes("TIME", "10ms");
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
        .takes("NAME", "node0")
        .oneEach();
    app.addChoice<std::string_view>("-f,--format", flags->format, kTopologyFormats)
        .describe("text, json, csv, md, dot or svg")
        .takes("FORMAT");
    return {app, [flags, &options] { return runTopology(*flags, options); }};
}

}  // namespace fabricast
