#include "study/size_catalogue.h"

#include "planner/base/quantity_text.h"
#include "planner/load/load_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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

bool wantsBudget(const SizeAsk& ask) {
    return std::ranges::any_of(
        ask.targets, [](const SizeTarget& target) { return target.metric == SizeMetric::Budget; });
}

bool wantsMoney(const SizeAsk& ask) {
    return aimOf(ask) == SizeAim::Cost || wantsBudget(ask);
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

/// Where the price is said.
std::string wherePriced(const Question& job) {
    for (const char* const path : {"price.profile", "price.usd_per_gpu_hour", "price"}) {
        if (std::string where = whereSaid(job, path); !where.empty()) {
            return where;
        }
    }
    return "--price";
}

/// "$2.1/h a GPU", "reserved, of market-2026-05".
std::string priceWords(const BudgetFacts& budget) {
    return budget.perGpuHour ? shortText(*budget.perGpuHour) + " a GPU"
                             : std::string(nameOf(budget.kind)) + " of " + budget.price.name;
}

/// What is compared is one purchase: it has one price, whichever of the jobs it is used for.
Result<void> checkOnePrice(std::span<const Question> jobs, const Workbench& bench) {
    std::string first;
    for (const Question& job : jobs) {
        FABRICAST_ASSIGN(const BudgetFacts budget,
                         loadBudget(job.root, bench.profiles(), job.folders));
        const std::string price = priceWords(budget);
        if (!first.empty() && price != first) {
            return fail(Error::Code::BadInput,
                        wherePriced(job),
                        "the price is " + price + ", and " + first + " in " + jobs.front().file +
                            ": the jobs are run on the same GPUs",
                        "--price, for all of them");
        }
        first = first.empty() ? price : first;
    }
    return {};
}

Result<std::vector<Edit>> boxesOf(std::span<const Question> jobs,
                                  const SizeAsk& ask,
                                  const Workbench& bench) {
    std::vector<Edit> boxes;
    const auto add = [&boxes](Edit box) {
        if (std::ranges::find(boxes, box) == boxes.end()) {
            boxes.push_back(std::move(box));
        }
    };
    for (const std::string& name : ask.clusters) {
        add({"cluster.name", name, "-c"});
    }
    for (const std::string& name : ask.gpus) {
        add({"cluster.gpu", name, "--gpu"});
    }
    if (!boxes.empty()) {
        return boxes;
    }
    const Question& job = jobs.front();
    FABRICAST_ASSIGN(const BudgetFacts budget, loadBudget(job.root, bench.profiles(), job.folders));
    if (budget.perGpuHour) {
        return fail(Error::Code::BadInput,
                    wherePriced(job),
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

/// The most nodes that the limits of the ask, or the reach of one NVLink domain, leave room for;
/// nothing where they limit none.
std::optional<std::int64_t> mostNodes(const SizeAsk& ask, const SizeLine& line) {
    const std::int64_t noLimit = kUsualCounts.back() + 1;
    std::int64_t most = noLimit;
    for (const auto& gpus : {ask.mostGpus, line.mostJoined}) {
        most = gpus ? std::min(most, *gpus / line.gpusOfNode) : most;
    }
    if (ask.racks && line.nodesOfRack) {
        most = std::min(most, *ask.racks * *line.nodesOfRack);
    }
    if (ask.powerCap && line.nodePower) {
        const double nodes = ask.powerCap->count() / line.nodePower->count();
        most = nodes < static_cast<double>(most) ? static_cast<std::int64_t>(nodes) : most;
    }
    return most < noLimit ? std::optional(most) : std::nullopt;
}

/// Those as they are usually built, and the most that the limits leave room for.
std::vector<std::int64_t> openNodes(const SizeAsk& ask, const SizeLine& line) {
    std::vector<std::int64_t> nodes = usualNodes();
    const std::int64_t most = mostNodes(ask, line).value_or(0);
    if (most > 0 && std::ranges::find(nodes, most) == nodes.end()) {
        nodes.push_back(most);
    }
    return nodes;
}

/// The parts of a node and the numbers of nodes that were asked for, fewest GPUs first.
std::vector<SizeAmount> amountsOf(const SizeAsk& ask, const SizeLine& line) {
    const bool isOpen = hasOpenCounts(ask);
    const std::int64_t most =
        ask.mostGpus.value_or(isOpen ? kUsualMostGpus : std::numeric_limits<std::int64_t>::max());
    std::vector<SizeAmount> amounts;
    for (const std::int64_t gpus : ask.parts) {
        if (gpus < line.gpusOfNode && gpus <= most) {
            amounts.push_back({1, gpus});
        }
    }
    for (const std::int64_t nodes : isOpen ? openNodes(ask, line) : ask.nodes) {
        if (nodes <= most / line.gpusOfNode) {
            amounts.push_back(nodesOf(line, nodes));
        }
    }
    // What is a whole number of nodes may be among the numbers of GPUs.
    for (const std::int64_t gpus : ask.parts) {
        const bool isWhole = gpus >= line.gpusOfNode && gpus % line.gpusOfNode == 0;
        const bool isThere = std::ranges::find(amounts, gpus, &SizeAmount::gpus) != amounts.end();
        if (isWhole && !isThere && gpus <= most) {
            amounts.push_back({gpus / line.gpusOfNode, gpus});
        }
    }
    std::ranges::stable_sort(amounts, {}, &SizeAmount::gpus);
    return amounts;
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
    return !ask.racks || one.amount.nodes <= *ask.racks * *line.nodesOfRack;
}

void leaveOutLine(const SizeLine& line, std::string why, SizeCatalogue& catalogue) {
    LeftOut left{.what = line.box, .why = std::move(why)};
    if (std::ranges::find(catalogue.leftOut, left) == catalogue.leftOut.end()) {
        catalogue.leftOut.push_back(std::move(left));  // once for all networks
    }
}

/// Numbers of GPUs that are no whole number of nodes; whether there are any.
bool leaveOutUneven(const SizeLine& line, const SizeAsk& ask, SizeCatalogue& catalogue) {
    bool isUneven = false;
    for (const std::int64_t gpus : ask.parts) {
        if (gpus > line.gpusOfNode && gpus % line.gpusOfNode != 0) {
            isUneven = true;
            leaveOutLine(line,
                         std::to_string(gpus) + " GPUs are not a whole number of nodes of " +
                             std::to_string(line.gpusOfNode),
                         catalogue);
        }
    }
    return isUneven;
}

/// "10.2kW", or the watt above.
std::string enoughPower(Watts power) {
    std::string text = quantityText(Watts(std::ceil(power.count())));
    std::erase(text, ' ');
    return text;
}

/// Which limits the fewest GPUs that are asked for go beyond, and what would let them in.
std::string limitsPassed(const SizeLine& line, const SizeAsk& ask) {
    SizeAsk open = ask;
    open.mostGpus = std::nullopt;
    const std::vector<SizeAmount> amounts = amountsOf(open, line);
    if (amounts.empty()) {
        return "beyond the limits at any number of nodes";
    }
    const SizeAmount& least = amounts.front();
    std::string text;
    const auto add = [&text](const std::string& limit) {
        text += (text.empty() ? "" : "; ") + limit;
    };
    if (ask.mostGpus && least.gpus > *ask.mostGpus) {
        add(fmt::format(
            "the fewest are {0} GPUs, of at most {1} (--max-gpus {0})", least.gpus, *ask.mostGpus));
    }
    const std::optional<Watts> power = sizeBound(line, least).power;
    if (ask.powerCap && power && *power > *ask.powerCap) {
        add(fmt::format("{} GPUs are rated {}, of at most {} (--power-cap {})",
                        least.gpus,
                        shortText(*power),
                        quantityText(*ask.powerCap),
                        enoughPower(*power)));
    }
    if (ask.racks && least.nodes > *ask.racks * *line.nodesOfRack) {
        const std::int64_t racks = (least.nodes + *line.nodesOfRack - 1) / *line.nodesOfRack;
        add(fmt::format("{0} nodes are {1} racks, of at most {2} (--must-fit-in racks={1})",
                        least.nodes,
                        racks,
                        *ask.racks));
    }
    return text.empty() ? "beyond the limits at any number of nodes" : text;
}

/// Every box on every network.
Result<std::vector<SizeLine>> linesOf(std::span<const Question> jobs,
                                      const SizeAsk& ask,
                                      const Workbench& bench) {
    FABRICAST_ASSIGN(const std::vector<Edit> boxes, boxesOf(jobs, ask, bench));
    const std::vector<std::string> own = {""};
    std::vector<SizeLine> lines;
    for (const Edit& box : boxes) {
        for (const std::string& fabric : ask.fabrics.empty() ? own : ask.fabrics) {
            FABRICAST_ASSIGN(SizeLine line, sizeLine(jobs, box, fabric, bench));
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

/// Why none of the lines that can be judged has a price; empty: one has, or there is none.
std::string whyNoMoney(const std::vector<SizeLine>& lines) {
    std::string why;
    for (const SizeLine& line : lines) {
        if (!line.why.empty()) {
            continue;
        }
        if (line.leastHour) {
            return {};
        }
        why = why.empty() ? line.whyNoPrice : why;
    }
    return why;
}

/// All amounts of a line, or why there are none.
void addLine(SizeLine line, const SizeAsk& ask, SizeCatalogue& catalogue) {
    if (std::string why = whyUnjudged(line, ask); !why.empty()) {
        leaveOutLine(line, std::move(why), catalogue);
        return;
    }
    const bool isUneven = leaveOutUneven(line, ask, catalogue);
    const std::size_t before = catalogue.candidates.size();
    bool isAlone = false;
    for (const SizeAmount& amount : amountsOf(ask, line)) {
        SizeCandidate one{catalogue.lines.size(), amount, sizeBound(line, amount)};
        const bool isJoined = !line.mostJoined || amount.gpus <= *line.mostJoined;
        isAlone = isAlone || !isJoined;
        if (isJoined && isWithin(line, one, ask)) {
            catalogue.candidates.push_back(one);
        }
    }
    if (isAlone) {
        leaveOutLine(line,
                     "more than " + std::to_string(*line.mostJoined) +
                         " GPUs need a network between nodes, and it has none (--fabric ib-ndr, or "
                         "another of fabricast profiles list --kind fabric)",
                     catalogue);
    }
    if (catalogue.candidates.size() == before) {
        if (!isAlone && !isUneven) {
            leaveOutLine(line, limitsPassed(line, ask), catalogue);
        }
        return;
    }
    catalogue.lines.push_back(std::move(line));
}

}  // namespace

std::vector<std::int64_t> usualNodes() {
    return {kUsualCounts.begin(), kUsualCounts.end()};
}

bool hasOpenCounts(const SizeAsk& ask) {
    return ask.nodes.empty() && ask.parts.empty();
}

SizeAim aimOf(const SizeAsk& ask) {
    const bool onlyBudget =
        !ask.targets.empty() && std::ranges::all_of(ask.targets, [](const SizeTarget& target) {
            return target.metric == SizeMetric::Budget;
        });
    return ask.aim.value_or(onlyBudget ? SizeAim::Time : SizeAim::Cost);
}

Result<SizeCatalogue> sizeCatalogue(std::span<const Question> jobs,
                                    const SizeAsk& asked,
                                    const Workbench& bench) {
    FABRICAST_TRY(checkOnePrice(jobs, bench));
    FABRICAST_ASSIGN(std::vector<SizeLine> lines, linesOf(jobs, asked, bench));
    SizeCatalogue catalogue{.ask = asked};
    if (!asked.aim && !wantsBudget(asked)) {
        catalogue.whyNoMoney = whyNoMoney(lines);
        catalogue.ask.aim = catalogue.whyNoMoney.empty() ? asked.aim : SizeAim::Gpus;
    }
    for (SizeLine& line : lines) {
        if (catalogue.jobs.empty() && line.why.empty()) {
            catalogue.jobs = line.jobs;
            catalogue.hasTokens = line.hasTokens;
        }
        addLine(std::move(line), catalogue.ask, catalogue);
    }
    return catalogue;
}

}  // namespace fabricast
