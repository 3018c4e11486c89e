#include "study/size_catalogue.h"

#include "planner/load/load_budget.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kUsualMostGpus = 2048;
constexpr std::array<std::int64_t, 24> kUsualCounts = {1,   2,   3,   4,    6,    8,    12,   16,
                                                       24,  32,  48,  64,   96,   128,  192,  256,
                                                       384, 512, 768, 1024, 1536, 2048, 3072, 4096};

bool wantsMoney(const SizeAsk& ask) {
    return aimOf(ask) == SizeAim::Cost ||
           std::ranges::any_of(ask.targets, [](const SizeTarget& target) {
               return target.metric == SizeMetric::Budget;
           });
}

bool hasPrice(const std::string& gpu, const BudgetFacts& budget) {
    const auto found = budget.price.gpus.find(gpu);
    return found != budget.price.gpus.end() &&
           (budget.kind == PriceKind::Owned ? found->second.purchase.value.has_value()
                                            : found->second.rent(budget.kind).value.has_value());
}

/// The first profile by name for each GPU and number of them in a node.
Result<std::vector<Edit>> pricedBoxes(const ProfileStore& profiles, const BudgetFacts& budget) {
    std::vector<Edit> boxes;
    std::set<std::pair<std::string, std::int64_t>> had;
    for (const ProfileFile& file : profiles.files(ProfileKind::Cluster)) {
        FABRICAST_ASSIGN(const ClusterSpec cluster, profiles.cluster(file.name));
        const bool isWanted = cluster.nodes == 1 && hasPrice(cluster.node.gpu.name, budget);
        if (isWanted && had.emplace(cluster.node.gpu.name, cluster.node.gpus).second) {
            boxes.push_back({"cluster.name", file.name, "-c"});
        }
    }
    return boxes;
}

Result<std::vector<Edit>> boxesOf(std::span<const Question> jobs,
                                  const SizeAsk& ask,
                                  const Workbench& bench) {
    std::vector<Edit> boxes;
    for (const std::string& name : ask.clusters) {
        boxes.push_back({"cluster.name", name, "-c"});
    }
    for (const std::string& name : ask.gpus) {
        boxes.push_back({"cluster.gpu", name, "--gpu"});
    }
    if (!boxes.empty()) {
        return boxes;
    }
    const Question& job = jobs.front();
    FABRICAST_ASSIGN(const BudgetFacts budget, loadBudget(job.root, bench.profiles(), job.folders));
    if (budget.perGpuHour) {
        return fail(Error::Code::BadInput,
                    "--price",
                    "one price for all GPUs does not tell which to take",
                    "-c dgx-h100, or a price profile: fabricast profiles list --kind price");
    }
    FABRICAST_ASSIGN(boxes, pricedBoxes(bench.profiles(), budget));
    return boxes.empty() ? fail(Error::Code::BadInput,
                                "--price",
                                "no cluster has a price in " + budget.price.name,
                                "-c dgx-h100, or another price profile")
                         : Result<std::vector<Edit>>(std::move(boxes));
}

std::vector<std::int64_t> countsOf(const SizeAsk& ask, const SizeLine& line) {
    std::vector<std::int64_t> counts = ask.nodes;
    if (counts.empty()) {
        counts.assign(kUsualCounts.begin(), kUsualCounts.end());
    }
    const std::int64_t most = ask.nodes.empty()
                                  ? ask.mostGpus.value_or(kUsualMostGpus)
                                  : ask.mostGpus.value_or(std::numeric_limits<std::int64_t>::max());
    std::erase_if(counts, [&](std::int64_t nodes) { return nodes > most / line.gpusOfNode; });
    return counts;
}

/// Why no number of the line's nodes can be judged; empty: they can.
std::string whyUnjudged(const SizeLine& line, const SizeAsk& ask) {
    if (!line.why.empty()) {
        return line.why;
    }
    if (wantsMoney(ask) && !line.leastHour) {
        return line.whyNoPrice;
    }
    if ((ask.powerCap || aimOf(ask) == SizeAim::Power) && !line.nodePower) {
        return "the power of its nodes is not known";
    }
    return ask.racks && !line.nodesOfRack ? "how many of its nodes a rack holds is not known" : "";
}

bool isWithin(const SizeLine& line, const SizeCandidate& one, const SizeAsk& ask) {
    if (ask.powerCap && *one.bound.power > *ask.powerCap) {
        return false;
    }
    return !ask.racks || one.nodes <= *ask.racks * *line.nodesOfRack;
}

/// All counts of a line, or why there are none.
void addLine(SizeLine line, const SizeAsk& ask, SizeCatalogue& catalogue) {
    std::string why = whyUnjudged(line, ask);
    if (why.empty()) {
        const std::size_t before = catalogue.candidates.size();
        for (const std::int64_t nodes : countsOf(ask, line)) {
            SizeCandidate one{catalogue.lines.size(), nodes, sizeBound(line, nodes)};
            if (isWithin(line, one, ask)) {
                catalogue.candidates.push_back(one);
            }
        }
        why =
            catalogue.candidates.size() == before ? "beyond the limits at any number of nodes" : "";
    }
    if (!why.empty()) {
        LeftOut left{.what = line.box, .why = std::move(why)};
        if (std::ranges::find(catalogue.leftOut, left) == catalogue.leftOut.end()) {
            catalogue.leftOut.push_back(std::move(left));  // once for all networks
        }
        return;
    }
    catalogue.lines.push_back(std::move(line));
}

}  // namespace

SizeAim aimOf(const SizeAsk& ask) {
    const bool onlyBudget =
        !ask.targets.empty() && std::ranges::all_of(ask.targets, [](const SizeTarget& target) {
            return target.metric == SizeMetric::Budget;
        });
    return ask.aim.value_or(onlyBudget ? SizeAim::Time : SizeAim::Cost);
}

Result<SizeCatalogue> sizeCatalogue(std::span<const Question> jobs,
                                    const SizeAsk& ask,
                                    const Workbench& bench) {
    FABRICAST_ASSIGN(const std::vector<Edit> boxes, boxesOf(jobs, ask, bench));
    const std::vector<std::string> own = {""};
    SizeCatalogue catalogue;
    for (const Edit& box : boxes) {
        for (const std::string& fabric : ask.fabrics.empty() ? own : ask.fabrics) {
            FABRICAST_ASSIGN(SizeLine line, sizeLine(jobs, box, fabric, bench));
            addLine(std::move(line), ask, catalogue);
        }
    }
    return catalogue;
}

}  // namespace fabricast
