#include "planner/budget/cost_of.h"
#include "study/better_changes.h"
#include "study/changes.h"
#include "study/find_changes.h"
#include "study/search_request.h"
#include "study/typed_plan.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Whether a change does what another does, and more.
bool goesBeyond(const Change& one, const Change& other) {
    return one.edits.size() > other.edits.size() &&
           std::ranges::all_of(other.edits, [&one](const Edit& edit) {
               return std::ranges::find(one.edits, edit) != one.edits.end();
           });
}

/// The settings of the catalogue that spare memory and cost neither time nor care.
std::vector<Change> sparingSettings(const Question& question, const SearchRequest& request) {
    std::vector<std::string> stacks;
    for (const StackSettings& one : request.task.stacks) {
        stacks.emplace_back(one.stack->name);
    }
    std::vector<Change> changes = changesFor(Aim::Memory,
                                             {.question = question,
                                              .now = request.task.base,
                                              .stacks = std::move(stacks),
                                              .rules = &request.task.rules});
    std::erase_if(changes, [](const Change& change) {
        return change.group != FixGroup::Free || change.effort > 0 ||
               !std::ranges::all_of(change.edits, [](const Edit& edit) {
                   return edit.path.starts_with("settings.");
               });
    });
    const std::vector<Change> all = changes;
    std::erase_if(changes, [&all](const Change& one) {
        return std::ranges::any_of(all,
                                   [&one](const Change& other) { return goesBeyond(one, other); });
    });
    return changes;
}

/// What a search puts first is small in it.
double valueSought(const SearchRequest& request, const Plan& plan) {
    return planValue(request.options.objective, plan, request.budget)
        .value_or(std::numeric_limits<double>::max());
}

/// The question as it is, without host memory: settings are of use only beyond it.
std::vector<Change> withoutOffload(const SearchRequest& request) {
    if (request.task.rules.fixed.says("offload")) {
        return {};
    }
    return {{.kind = "offload", .edits = {{"layout.offload", "none", "--set"}}}};
}

/// The best plan of a changed question that surely fits in the GPUs alone.
Result<Judgement> judgedOnDevice(const Question& changed,
                                 std::int64_t mostWalked,
                                 const Workbench& bench,
                                 const Watch& watch) {
    FABRICAST_ASSIGN(SearchRequest request, searchRequest(changed, bench));
    request.options.mostWalked = mostWalked;
    request.options.pareto = false;
    request.options.threads = 1;  // several are searched at a time
    request.task.rules.forbidden.push_back({"offload", ""});
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    FABRICAST_ASSIGN(PlanReport report, searched(request, *timing, {.stop = watch.stop}));
    const auto sure = std::ranges::find_if(report.plans, &isSurelyOnDevice);
    if (sure == report.plans.end()) {
        return fail(Error::Code::Unsupported, "layout", "nothing surely fits");
    }
    return Judgement{.distance = valueSought(request, *sure),
                     .reaches = true,
                     .plan = std::move(*sure),
                     .walked = report.walked,
                     .isCut = !report.cutShort.empty()};
}

}  // namespace

bool isSurelyOnDevice(const Plan& plan) {
    return plan.memory.verdict == Verdict::Fits && plan.scenario.layout.offload == Offload::None;
}

Result<std::optional<SurerChange>> surerChange(const Question& question,
                                               std::span<const Plan> plans,
                                               const Workbench& bench,
                                               const Watch& watch) {
    if (std::ranges::any_of(plans, &isSurelyOnDevice)) {
        return std::optional<SurerChange>();
    }
    const bool isSure = !plans.empty() && plans.front().memory.verdict == Verdict::Fits;
    FABRICAST_ASSIGN(const SearchRequest request, searchRequest(question, bench));
    ChangeSearch search{.threads = bench.threads()};
    search.before =
        isSure ? valueSought(request, plans.front()) : std::numeric_limits<double>::max();
    // Less work for the first than for those behind it would make these look better.
    std::optional<TriedChange> best;
    for (const auto& [changes, mostWalked] :
         {std::pair(withoutOffload(request), kMostEventsWalked),
          std::pair(sparingSettings(question, request), kMostEventsOfMany)}) {
        const auto judge = [&, most = mostWalked](const Question& changed, double) {
            return judgedOnDevice(changed, most, bench, watch);
        };
        FABRICAST_ASSIGN(std::vector<TriedChange> found,
                         findChanges(question, changes, judge, search, watch));
        if (!found.empty()) {
            best = std::move(found.front());
            search.before = best->judgement.distance;
        }
    }
    if (!best) {
        return std::optional<SurerChange>();
    }
    const Plan& plan = best->judgement.plan;
    std::vector<Edit> edits = best->edits();
    return std::optional(SurerChange{.set = typedBehind(question, edits),
                                     .edits = std::move(edits),
                                     .plan = typedPlan(plan),
                                     .step = plan.step.step,
                                     .peak = plan.memory.peak.value,
                                     .capacity = plan.memory.capacity});
}

}  // namespace fabricast
