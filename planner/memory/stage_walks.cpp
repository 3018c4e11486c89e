#include "planner/memory/stage_walks.h"

#include "planner/memory/check_memory.h"
#include "planner/memory/stage_memory.h"
#include "planner/memory/walk_stage.h"
#include "planner/spec/one_site.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace fabricast {

namespace {

/// The allocator is replayed for the stage that decides; the others are taken to hold as much more
/// than they allocate as it does.
void addReserved(StageMemory replayed, StageWalks& walks) {
    const auto scaled = [&](Bytes reserved, const StageMemory& stage) {
        const double ratio = reserved / replayed.allocated;
        return Bytes(std::llround(static_cast<double>(stage.allocated.count()) * ratio));
    };
    for (StageMemory& stage : walks.stages) {
        if (stage.stage != replayed.stage) {
            stage.reserved = {scaled(replayed.reserved.value, stage),
                              scaled(replayed.reserved.lo, stage),
                              scaled(replayed.reserved.hi, stage),
                              Evidence::Extrapolated};
            stage.pinned = scaled(replayed.pinned, stage);
        }
    }
    walks.stages[walks.fullest] = std::move(replayed);
}

/// Of those that allocate most the first of the pipeline.
std::size_t fullestOf(const std::vector<StageMemory>& stages) {
    const auto isLess = [](const StageMemory& a, const StageMemory& b) {
        return std::pair(a.allocated, b.stage) < std::pair(b.allocated, a.stage);
    };
    return static_cast<std::size_t>(std::ranges::max_element(stages, isLess) - stages.begin());
}

Result<StageWalks> withReplayed(StageWalks walks, const WalkedStage& fullest, const Watch& watch) {
    FABRICAST_ASSIGN(StageMemory replayed, fullest.replayed(watch));
    addReserved(std::move(replayed), walks);
    return walks;
}

/// Walks the stages, of which the first is likely the fullest, and replays the allocator on the
/// fullest, unless one takes more than `most` anyway. Of the others the peak is enough.
Result<StageWalks> walkUpTo(const Scenario& scenario,
                            const std::vector<std::int64_t>& stages,
                            Bytes most,
                            const Watch& watch) {
    FABRICAST_ASSIGN(WalkedStage fullest,
                     WalkedStage::of(scenario, {.stage = stages.front()}, watch));
    StageWalks walks{.stages = {fullest.peak()}, .most = most};
    for (std::size_t next = 1; next < stages.size() && walks.isWhole(); ++next) {
        FABRICAST_ASSIGN(StageMemory peak, peakOfStage(scenario, {.stage = stages[next]}, watch));
        walks.stages.push_back(std::move(peak));
    }
    if (!walks.isWhole()) {
        walks.fullest = walks.stages.size() - 1;
        return walks;
    }
    walks.fullest = fullestOf(walks.stages);
    if (walks.fullest > 0) {
        FABRICAST_ASSIGN(
            fullest,
            WalkedStage::of(scenario, {.stage = walks.stages[walks.fullest].stage}, watch));
    }
    return withReplayed(std::move(walks), fullest, watch);
}

}  // namespace

StageWalks StageWalks::upTo(Bytes lower) && {
    most = lower;
    const auto passes = [lower](const StageMemory& stage) { return stage.requested > lower; };
    if (const auto first = std::ranges::find_if(stages, passes); first != stages.end()) {
        fullest = static_cast<std::size_t>(first - stages.begin());
        stages.erase(first + 1, stages.end());
    }
    return std::move(*this);
}

Result<StageWalks> walkAllStages(const Scenario& scenario, const Watch& watch) {
    FABRICAST_TRY(checkScenario(scenario));
    const OneSite site(scenario);
    StageWalks walks;
    std::optional<WalkedStage> fullest;
    for (std::int64_t stage = 0; stage < scenario.layout.pp; ++stage) {
        FABRICAST_ASSIGN(WalkedStage walked,
                         WalkedStage::of(site.scenario(), {.stage = stage}, watch));
        walks.stages.push_back(walked.inParts());
        if (!fullest || walked.peak().allocated > fullest->peak().allocated) {
            fullest = std::move(walked);
            walks.fullest = walks.stages.size() - 1;
        }
    }
    return withReplayed(std::move(walks), *fullest, watch);
}

Result<StageWalks> walkFullestStage(const Scenario& scenario, Bytes most, const Watch& watch) {
    FABRICAST_TRY(checkScenario(scenario));
    const OneSite site(scenario);
    FABRICAST_ASSIGN(const std::vector<std::int64_t> stages, stagesThatDecide(site.scenario()));
    return walkUpTo(site.scenario(), stages, most, watch);
}

}  // namespace fabricast
