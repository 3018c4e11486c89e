#include "study/size_line.h"

#include "planner/base/quantity_text.h"
#include "planner/budget/cost_of.h"
#include "planner/comm/cluster_links.h"
#include "planner/search/lower_bounds.h"
#include "planner/spec/check_settings.h"
#include "study/search_request.h"
#include "study/unit_sizes.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace fabricast {
namespace {

constexpr double kTokensWithoutRun = 1e6;

/// What is said of clusters beside which one, and how many nodes: it holds for every box.
bool holdsForEveryBox(const Edit& edit) {
    return edit.path.starts_with("cluster.") && edit.path != "cluster.name" &&
           edit.path != "cluster.gpu" && edit.path != "cluster.nodes" &&
           edit.path != "cluster.gpus" && edit.path != "cluster.fabric";
}

/// A rack is one NVLink domain of superchips; of other nodes no profile says how many it holds.
std::optional<std::int64_t> nodesOfRack(const NodeSpec& node) {
    const bool isRack = node.gpu.formFactor == "superchip" && node.domainGpus >= node.gpus;
    return isRack ? std::optional(node.domainGpus / node.gpus) : std::nullopt;
}

BytesPerSecond networkOfGpu(const ClusterSpec& cluster, const TimingProfiles& timing) {
    const CollectiveLibrary& library = timing.libraryOf(cluster.node.gpu);
    const Result<ClusterLinks> links = clusterLinks(cluster, library.model);
    return links ? links->nicBandwidth * links->nicsPerGpu : BytesPerSecond();
}

/// The cluster's part of a line, from the first job on one node.
void addBox(const SearchRequest& request, const TimingProfiles& timing, SizeLine& line) {
    const ClusterSpec& cluster = request.task.base.cluster;
    const BudgetFacts& budget = request.budget;
    line.cluster = cluster;
    line.gpu = cluster.node.gpu.name;
    line.gpusOfNode = cluster.node.gpus;
    line.networkOfGpu = networkOfGpu(cluster, timing);
    if (!hasNetwork(cluster)) {
        line.mostJoined = std::max(cluster.node.domainGpus, cluster.node.gpus);
    }
    line.nodesOfRack = nodesOfRack(cluster.node);
    const RunPower idle = runPower(cluster, budget.site.power, 0.0);
    line.powerEstimated = idle.nodeEstimated;
    if (idle.nodeRated > Watts()) {
        line.nodePower = idle.nodeRated;
    }
    line.leastHour = gpuHour(line.gpu, idle, budget).price;
    if (!line.leastHour) {
        const CostBasis basis = costBasis(cluster, line.gpusOfNode, budget);
        line.whyNoPrice = basis.why + " (" + basis.hint + ")";
    }
}

/// As it was given: "100B tokens", "50000 steps".
std::string lengthText(const RunLength& length) {
    switch (length.unit) {
        case RunLength::Unit::Step:
            return std::to_string(length.count) + " steps";
        case RunLength::Unit::Sample:
            return std::to_string(length.count) + " samples";
        case RunLength::Unit::Token:
            break;
    }
    return quantityText(Tokens(length.count)) + " tokens";
}

Result<void> addJob(const Question& job, const Workbench& bench, SizeLine& line) {
    FABRICAST_ASSIGN(const Question here, jobOn(job, line, nodesOf(line, 1)));
    FABRICAST_ASSIGN(const SearchRequest request, searchRequest(here, bench));
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    FABRICAST_ASSIGN(const double least, leastGpuSeconds(request.task, *timing));
    if (line.gpuSeconds.empty()) {
        addBox(request, *timing, line);
    }
    const Scenario& base = request.task.base;
    const std::optional<RunLength>& length = request.budget.length;
    const Tokens tokens = length ? length->tokens(base.workload) : Tokens();
    line.jobs.push_back(base.model.name + ", sequence " + std::to_string(base.workload.sequence) +
                        ", global batch " + std::to_string(base.workload.globalBatch) +
                        (length ? ", " + lengthText(*length) : ""));
    line.gpuSeconds.push_back(least);
    line.states.push_back(stateFloors(request.task));
    line.tokens.push_back(length ? static_cast<double>(tokens.count()) : kTokensWithoutRun);
    line.hasTokens = line.hasTokens && length;
    return {};
}

}  // namespace

Result<SizeLine> sizeLine(std::span<const Question> jobs,
                          const Edit& name,
                          const std::string& fabric,
                          const Workbench& bench) {
    SizeLine line{.box = name.value, .fabric = fabric, .edits = {name}, .hasTokens = true};
    if (!fabric.empty()) {
        line.edits.push_back({"cluster.fabric", fabric, "--fabric"});
    }
    for (const Question& job : jobs) {
        Result<void> added = addJob(job, bench, line);
        if (!added && added.error().code == Error::Code::Unsupported) {
            line.why = "not modelled: " + added.error().why;
            return line;
        }
        FABRICAST_TRY(added);
    }
    return line;
}

SizeAmount nodesOf(const SizeLine& line, std::int64_t nodes) {
    return {nodes, nodes * line.gpusOfNode};
}

Edit amountEdit(const SizeLine& line, const SizeAmount& amount) {
    return amount.gpus < amount.nodes * line.gpusOfNode
               ? Edit{"cluster.gpus", std::to_string(amount.gpus), "--gpus"}
               : Edit{"cluster.nodes", std::to_string(amount.nodes), "-n"};
}

Result<Question> jobOn(const Question& job, const SizeLine& line, const SizeAmount& amount) {
    std::vector<Edit> edits = line.edits;
    edits.push_back(amountEdit(line, amount));
    edits.push_back({"search.top", "1", "--top"});
    edits.push_back({"search.objective", "tokens", "--objective"});
    for (const Edit& edit : job.edits) {
        if (holdsForEveryBox(edit)) {
            edits.push_back(edit);
        }
    }
    return with(job, edits);
}

bool hasRoom(const SizeLine& line, const SizeAmount& amount) {
    ClusterSpec cluster = line.cluster;
    cluster.nodes = amount.nodes;
    cluster.node.gpus = amount.gpus / amount.nodes;
    return std::ranges::all_of(
        line.states, [&cluster](const auto& floors) { return hasRoomFor(floors, cluster); });
}

SizeBound sizeBound(const SizeLine& line, const SizeAmount& amount) {
    SizeBound bound{.tokensPerSecond = std::numeric_limits<double>::max(), .gpus = amount.gpus};
    const auto gpus = static_cast<double>(bound.gpus);
    for (std::size_t job = 0; job < line.gpuSeconds.size(); ++job) {
        const double least = line.gpuSeconds[job];
        if (least > 0.0) {
            bound.tokensPerSecond = std::min(bound.tokensPerSecond, gpus / least);
        }
        bound.seconds += line.tokens[job] * least / gpus;
    }
    if (line.nodePower) {
        bound.power = *line.nodePower * (gpus / static_cast<double>(line.gpusOfNode));
    }
    if (line.leastHour) {
        const double perHour = line.leastHour->count() * gpus;
        bound.usd = line.hasTokens ? perHour * bound.seconds / kSecondsPerHour : perHour;
        if (line.hasTokens) {
            bound.usdPerSecond = perHour / kSecondsPerHour;
        }
    }
    return bound;
}

void tighten(SizeBound& bound, const SizeKnown& known) {
    bound.seconds = std::max(bound.seconds, known.leastSeconds);
    bound.tokensPerSecond = std::min(bound.tokensPerSecond, known.mostTokensPerSecond);
    if (bound.usd && bound.usdPerSecond) {
        bound.usd = std::max(*bound.usd, *bound.usdPerSecond * bound.seconds);
    }
}

}  // namespace fabricast
