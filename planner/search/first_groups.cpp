#include "planner/search/batch_steps.h"
#include "planner/search/plan_search.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

// What a search begins with: families that may fit, in groups whose blocks do the same work.
namespace fabricast {

/// Whether a stack refuses a layout only because it is not modelled.
bool PlanSearch::isUnmodelled(std::uint32_t family, const Error& refusal) const {
    const std::optional<std::uint32_t> reason = space_.families[family].unmodelled;
    return reason && space_.reasons[*reason] == refusal.why;
}

/// Of a family that is not modelled, all layouts that there is room for are refused together.
void PlanSearch::refuseUnmodelled(std::uint32_t family, std::int64_t layouts) {
    if (layouts == 0) {  // no size of the micro-batch is left
        return;
    }
    const auto allowed = scenarios_.allowed({.family = family});
    if (allowed || isUnmodelled(family, allowed.error())) {
        const LayoutFamily& refused = space_.families[family];
        refusals_[{refused.stack, space_.reasons[*refused.unmodelled]}] += layouts;
    }
}

/// A stack that refuses all its layouts says why.
Result<std::vector<bool>> PlanSearch::stacksThatRun() {
    std::vector<bool> runs(task_.stacks.size(), false);
    std::vector<std::string> why(task_.stacks.size());
    for (std::uint32_t family = 0; family < space_.families.size(); ++family) {
        const std::uint32_t stack = space_.families[family].stack;
        if (runs[stack]) {
            continue;
        }
        FABRICAST_TRY(watch_.check());
        // A refusal of what is only not modelled does not leave the stack out.
        runs[stack] = asked_.takesAny(family, why[stack], [this, family](const Error& refusal) {
            return isUnmodelled(family, refusal);
        });
    }
    countAsked();
    for (std::size_t stack = 0; stack < runs.size(); ++stack) {
        if (!runs[stack] && !why[stack].empty()) {
            FABRICAST_ASSIGN(
                std::string reason,
                reasonWithBatch(task_, static_cast<std::uint32_t>(stack), why[stack], watch_));
            report_.rejections.push_back(
                {std::string(task_.stacks[stack].stack->name), 0, std::move(reason)});
        }
    }
    return runs;
}

/// How many sizes of the micro-batch leave room for states and inputs: larger ones leave less.
Result<std::size_t> PlanSearch::roomySizes(std::uint32_t family) {
    const std::vector<MicroBatchSize>& sizes = space_.sizesOf(family);
    const Candidate first{.family = family};
    FABRICAST_ASSIGN(const Settings* usual,
                     scenarios_.usual(space_.families[family].stack, space_.layoutOf(first)));
    std::size_t roomy = 0;
    while (roomy < sizes.size() && memory_.fitsHost(family, *usual)) {
        const Candidate candidate{.family = family, .size = static_cast<std::uint16_t>(roomy)};
        if (memory_.fromCounts(candidate, *usual) > capacity_) {
            break;
        }
        ++roomy;
    }
    return roomy;
}

void PlanSearch::addToBlock(std::uint32_t family) {
    const LayoutFamily& mine = space_.families[family];
    const Layout& layout = mine.layout;
    const GroupKey key{mine.stack,
                       layout.tp,
                       layout.cp,
                       layout.ep,
                       layout.etp,
                       layout.cpKind,
                       layout.shard,
                       layout.sp,
                       layout.pp > 1,
                       layout.dp > 1,
                       layout.replicas() > 1};
    const auto [at, isNew] = groupOfKey_.emplace(key, static_cast<std::uint32_t>(groups_.size()));
    if (isNew) {
        const std::size_t kinds = space_.recomputes[mine.stack].size();
        groups_.push_back({.families = {},
                           .first = std::vector<std::size_t>(kinds),
                           .waits = std::vector<LayerWaits>(kinds),
                           .orders = std::vector<OrderRoom>(kinds),
                           .room = std::vector<std::vector<std::size_t>>(kinds)});
    }
    groups_[at->second].families.push_back(family);
    groupOf_[family] = at->second;
}

Result<void> PlanSearch::fillQueue() {
    for (const std::vector<RecomputeSettings>& kinds : space_.recomputes) {
        kinds_ = std::max(kinds_, kinds.size());
    }
    FABRICAST_ASSIGN(const std::vector<bool> runs, stacksThatRun());
    report_.refused = std::ranges::find(runs, true) == runs.end();
    std::size_t orders = 0;
    for (const LayoutFamily& family : space_.families) {
        firstOrder_.push_back(orders);
        orders += space_.ways[family.ways].size();
    }
    tooLarge_.resize(orders * kinds_, std::numeric_limits<std::uint16_t>::max());
    tails_.resize(orders);
    roomy_.resize(space_.families.size());
    groupOf_.resize(space_.families.size());
    for (std::uint32_t family = 0; family < space_.families.size(); ++family) {
        FABRICAST_TRY(watch_.check());
        // Where none runs, what they would be is all there is to count.
        if (!report_.refused && !runs[space_.families[family].stack]) {
            continue;
        }
        FABRICAST_TRY(count(family));
    }
    return waitByCount();
}

/// What there is room for waits to be looked at. What is not modelled is counted by itself.
Result<void> PlanSearch::count(std::uint32_t family) {
    if (!space_.sizesOf(family).empty()) {
        FABRICAST_ASSIGN(roomy_[family], roomySizes(family));
    }
    const std::int64_t roomy = space_.count(family, roomy_[family]);
    if (space_.families[family].unmodelled) {
        refuseUnmodelled(family, roomy);
        return {};
    }
    report_.candidates += space_.count(family);
    report_.feasible += roomy;
    if (roomy > 0 && !report_.refused) {
        addToBlock(family);
    }
    return {};
}

/// Groups of one kind of block, each by what the layers multiply.
Result<void> PlanSearch::waitByCount() {
    std::vector<Waiting> waiting;
    for (const Block& group : groups_) {
        const std::uint32_t family = group.families.front();
        const std::uint32_t stack = space_.families[family].stack;
        const Candidate any{.family = family};
        FABRICAST_ASSIGN(const Settings* usual, scenarios_.usual(stack, space_.layoutOf(any)));
        const double perFlop = leastPerFlop(*usual, forecast_.estimator().limits());
        for (std::size_t kind = 0; kind < group.waits.size(); ++kind) {
            const Candidate first{.family = family, .recompute = static_cast<std::uint16_t>(kind)};
            const bool all = space_.recomputes[stack][kind].kind == Checkpointing::Full;
            const double value =
                leastMemory() ? 0.0 : stretched(time_.fromFlops(*usual, all, perFlop));
            waiting.push_back({value, first, Look::Counted});
        }
    }
    queue_ = std::priority_queue<Waiting>({}, std::move(waiting));
    return {};
}

}  // namespace fabricast
