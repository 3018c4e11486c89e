#include "planner/base/quantity_text.h"
#include "planner/result/answer_names.h"
#include "planner/text/shell_text.h"
#include "study/said_value.h"
#include "study/search_size.h"
#include "study/size_search.h"
#include "study/size_verdicts.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// The network that hints offer: of the most recent clusters of most makers.
constexpr const char* kUsualFabric = "ib-ndr";
constexpr std::string_view kMoreNodes = "more nodes";

/// An ask of more, and what it has more of.
struct WiderAsk {
    std::string what;
    SizeAsk ask;
    bool both = false;          ///< of two things: for where neither does
    std::vector<Edit> edits{};  ///< what it says of the jobs
};

/// The same boxes in any number that the limits of the ask allow.
WiderAsk moreOfNodes(const SizeAsk& asked) {
    SizeAsk ask = asked;
    ask.parts.clear();
    ask.nodes.clear();
    ask.mostGpus = std::min(asked.mostGpus.value_or(kPlanSize.gpus), kPlanSize.gpus);
    return {std::string(kMoreNodes), std::move(ask)};
}

/// "another box, and fewer nodes": how many nodes were found beside those that were asked about.
std::string wayText(const std::string& what, const SizeAsk& asked, std::int64_t nodes) {
    const std::size_t at = what.find(kMoreNodes);
    if (at == std::string::npos || asked.nodes.empty() || nodes > std::ranges::max(asked.nodes)) {
        return what;
    }
    const bool isFewer = nodes < std::ranges::min(asked.nodes);
    return what.substr(0, at) + (isFewer ? "fewer nodes" : "another number of nodes");
}

std::vector<WiderAsk> widerAsks(const SizeAsk& asked) {
    std::vector<WiderAsk> wider = {moreOfNodes(asked)};
    if (!asked.gpus.empty() && asked.fabrics.empty()) {  // nodes of a GPU come without a network
        SizeAsk joined = asked;
        joined.fabrics = {kUsualFabric};
        wider.push_back({"a network", joined});
        wider.push_back(
            {"a network, and " + std::string(kMoreNodes), moreOfNodes(joined).ask, true});
    }
    if (!asked.clusters.empty() || !asked.gpus.empty()) {
        SizeAsk other = asked;
        other.clusters.clear();
        other.gpus.clear();
        other.fabrics.clear();
        wider.push_back({"another box", other});
        wider.push_back(
            {"another box, and " + std::string(kMoreNodes), moreOfNodes(other).ask, true});
    }
    return wider;
}

/// The most GPUs of a node, fewer than all, over which the batch of every job divides; 0 where that
/// is no matter: it divides over all of them, or is not said in samples.
std::int64_t gpusThatDivide(std::span<const Question> jobs, std::int64_t gpus) {
    std::int64_t common = 0;
    for (const Question& job : jobs) {
        const std::optional<std::string> said = saidValue(job, "workload.global_batch");
        const Result<Tokens> batch =
            said ? parseQuantity<Tokens>(*said) : fail(Error::Code::BadInput, "", "");
        if (!batch || says(job, "cluster.gpus_per_node")) {
            return 0;
        }
        common = std::gcd(common, batch->count());
    }
    if (common % gpus == 0) {
        return 0;
    }
    std::int64_t most = gpus - 1;
    while (common % most != 0) {
        --most;
    }
    return most;
}

/// Nodes of which some GPUs stay idle, as the batch does not divide over all of them.
std::vector<WiderAsk> partsOfNodes(std::span<const Question> jobs,
                                   const SizeAsk& asked,
                                   const Workbench& bench) {
    std::vector<WiderAsk> wider;
    const Result<SizeCatalogue> catalogue = sizeCatalogue(jobs, asked, bench);
    if (!catalogue || asked.clusters.empty()) {
        return wider;
    }
    for (const SizeLine& line : catalogue->lines) {
        const std::int64_t gpus = gpusThatDivide(jobs, line.gpusOfNode);
        const bool isNamed = std::ranges::find(asked.clusters, line.box) != asked.clusters.end();
        if (gpus > 1 && isNamed) {
            SizeAsk ask = asked;
            ask.clusters = {line.box};
            ask.gpus.clear();
            wider.push_back(
                {.what = std::to_string(gpus) + " of the " + std::to_string(line.gpusOfNode) +
                         " GPUs of a node, over which the batch divides",
                 .ask = std::move(ask),
                 .edits = {{"cluster.gpus_per_node", std::to_string(gpus), "--gpus-per-node"}}});
        }
    }
    return wider;
}

void addWords(std::string& text, const char* flag, const std::string& value) {
    text += " " + std::string(flag) + " " + shellWord(value);
}

/// "fabricast size -m llama-3.1-8b … -c dgx-h100 -n 16 --target days=10".
std::string typedWay(std::span<const Question> jobs,
                     const SizeAsk& ask,
                     const SizeLine& line,
                     const SizeAmount& amount) {
    std::string text = "fabricast size";
    if (jobs.size() == 1) {
        text += " " + typed(jobs.front());
    } else {
        for (const Question& job : jobs) {
            text += " --job " + typedFile(job.file);
        }
        text += jobs.front().edits.empty() ? "" : " " + typed(jobs.front().edits);
    }
    for (const Edit& edit : line.edits) {
        addWords(text, edit.origin.c_str(), edit.value);
    }
    addWords(text, "-n", std::to_string(amount.nodes));
    for (const SizeTarget& target : ask.targets) {
        addWords(text, "--target", target.typed);
    }
    if (ask.aim) {
        addWords(text, "--minimize", std::string(nameOf(*ask.aim)));
    }
    return text;
}

/// The best of a wider ask, with half of the work that is left; nothing where it has none, or
/// cannot be asked: one price for all GPUs tells no boxes apart.
Result<std::optional<SizeWay>> wayOf(std::span<const Question> asked,
                                     const SizeAsk& ask,
                                     const WiderAsk& wider,
                                     const Workbench& bench,
                                     const Watch& watch,
                                     SizeWork& work) {
    std::vector<Question> jobs;
    for (const Question& one : asked) {
        FABRICAST_ASSIGN(Question job, with(one, wider.edits));
        jobs.push_back(std::move(job));
    }
    const Result<SizeCatalogue> catalogue = sizeCatalogue(jobs, wider.ask, bench);
    if (!catalogue) {
        return std::nullopt;
    }
    SizeWork mine{.most = work.left / 2};
    SizeSearch search(jobs, wider.ask, *catalogue, bench, watch, mine);
    FABRICAST_TRY(search.findPick());
    FABRICAST_TRY(search.narrow());
    FABRICAST_TRY(search.findBesidePick(0));
    work.left -= mine.most - mine.left;
    work.isCutShort = work.isCutShort || mine.isCutShort;
    if (!search.pick()) {
        return std::nullopt;
    }
    const SizedCluster& found = search.found()[*search.pick()];
    const SizeLine& line = catalogue->lines[search.lineOf(*search.pick())];
    return SizeWay{wayText(wider.what, ask, found.nodes),
                   found,
                   typedWay(jobs, wider.ask, line, {found.nodes, found.gpus})};
}

}  // namespace

Result<std::vector<SizeWay>> sizeWays(std::span<const Question> jobs,
                                      const SizeAsk& ask,
                                      const Workbench& bench,
                                      const Watch& watch,
                                      SizeWork& work) {
    std::vector<SizeWay> ways;
    std::vector<WiderAsk> asks = partsOfNodes(jobs, ask, bench);
    std::ranges::move(widerAsks(ask), std::back_inserter(asks));
    for (const WiderAsk& wider : asks) {
        if (ways.empty() || !wider.both) {
            FABRICAST_ASSIGN(std::optional<SizeWay> way,
                             wayOf(jobs, ask, wider, bench, watch, work));
            if (way) {
                ways.push_back(*std::move(way));
            }
        }
    }
    return ways;
}

}  // namespace fabricast
