#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/memory/program/ordered_stages.h"
#include "planner/result/memory_breakdown.h"
#include "planner/result/memory_names.h"
#include "planner/spec/scenario.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace fabricast {

inline constexpr Bytes kNoLimit{std::numeric_limits<std::int64_t>::max()};

/// What walks of a layout's stages found. It is the same on any GPU and with any host: of the
/// scenario's cluster nothing is looked at.
struct StageWalks {
    std::vector<StageMemory> stages;  ///< in the order in which they were walked
    std::size_t fullest = 0;          ///< index of the stage that decides
    Bytes most = kNoLimit;            ///< a stage whose tensors take more decides, and is the last

    [[nodiscard]] bool isWhole() const { return stages.back().requested <= most; }
    /// What walks with a lower limit find.
    [[nodiscard]] StageWalks upTo(Bytes lower) &&;
};

/// Every pipeline stage, each with what its peak is made of.
Result<StageWalks> walkAllStages(const Scenario& scenario, const Watch& watch = {});

/// The stages of which one is the fullest, the likeliest first. It stops at the first whose tensors
/// pass `most`.
///     FABRICAST_ASSIGN(const StageWalks walks, walkFullestStage(scenario, 70_GiB));
///     walks.stages[walks.fullest].reserved
Result<StageWalks> walkFullestStage(const Scenario& scenario, Bytes most, const Watch& watch = {});

/// The first rank of a pipeline stage, walked through every pass of a step: memory over time.
/// `orders` are all that every stage runs, nothing cut short; `walkStage` says what the same step
/// takes at most without walking all of it.
///     FABRICAST_ASSIGN(const MemoryMarks marks, walkMarks(scenario, 0, orders));
Result<MemoryMarks> walkMarks(const Scenario& scenario,
                              std::int64_t stage,
                              const std::vector<PipelineOrder>& orders);

}  // namespace fabricast
