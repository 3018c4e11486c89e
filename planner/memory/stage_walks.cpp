#include "planner/memory/stage_walks.h"

#include "planner/memory/check_memory.h"
#include "planner/memory/stage_memory.h"
#include "planner/memory/walk_stage.h"
#include "planner/spec/one_site.h"

#include <algorithm>
#include <cmath>
#include <numeric>
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

/// Whether each stage says what its peak is made of, and what tensors may take.
struct Extent {
    bool inParts = false;
    Bytes most = kNoLimit;
};

/// Walks the stages, and replays the allocator on the fullest, unless one takes too much anyway.
Result<StageWalks> walkStages(const Scenario& scenario,
                              const std::vector<std::int64_t>& stages,
                              const Extent& extent,
                              const Watch& watch) {
    StageWalks walks{.most = extent.most};
    std::optional<WalkedStage> fullest;
    for (const std::int64_t stage : stages) {
        if (fullest && !extent.inParts) {  // most often it is not the fullest: its peak is enough
            FABRICAST_ASSIGN(StageMemory peak, peakOfStage(scenario, {.stage = stage}, watch));
            const bool isFuller = peak.allocated > fullest->peak().allocated;
            if (!isFuller || peak.requested > extent.most) {
                walks.stages.push_back(std::move(peak));
                if (!walks.isWhole()) {
                    walks.fullest = walks.stages.size() - 1;
                    return walks;
                }
                continue;
            }
        }
        FABRICAST_ASSIGN(WalkedStage walked, WalkedStage::of(scenario, {.stage = stage}, watch));
        walks.stages.push_back(extent.inParts ? walked.inParts() : walked.peak());
        if (!fullest || walked.peak().allocated > fullest->peak().allocated) {
            fullest = std::move(walked);
            walks.fullest = walks.stages.size() - 1;
        }
        if (!walks.isWhole()) {
            walks.fullest = walks.stages.size() - 1;
            return walks;
        }
    }
    FABRICAST_ASSIGN(StageMemory replayed, fullest->replayed(watch));
    addReserved(std::move(replayed), walks);
    return walks;
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
    std::vector<std::int64_t> stages(static_cast<std::size_t>(scenario.layout.pp));
    std::iota(stages.begin(), stages.end(), 0);
    return walkStages(site.scenario(), stages, {.inParts = true}, watch);
}

Result<StageWalks> walkFullestStage(const Scenario& scenario, Bytes most, const Watch& watch) {
    FABRICAST_TRY(checkScenario(scenario));
    const OneSite site(scenario);
    FABRICAST_ASSIGN(const std::vector<std::int64_t> stages, stagesThatDecide(site.scenario()));
    return walkStages(site.scenario(), stages, {.most = most}, watch);
}

}  // namespace fabricast
