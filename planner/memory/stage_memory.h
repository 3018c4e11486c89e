#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/base/watch.h"
#include "planner/memory/program/ordered_stages.h"
#include "planner/memory/stage_walks.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast {

/// The most that any stage of a scenario allocates. Of stages that run the same layers only those
/// with most microbatches in flight are walked; a stage that reaches `enough` ends the search.
Result<Bytes> fullestAllocation(const Scenario& scenario, Bytes enough, const Watch& watch = {});

/// The stages of which one is the fullest: of those that run alike, those with most in flight. The
/// first of them is likely the fullest; the others are in order.
Result<std::vector<std::int64_t>> stagesThatDecide(const Scenario& scenario);

/// Peak memory of every pipeline stage, and whether the fullest fits.
///     FABRICAST_ASSIGN(const MemoryBreakdown memory, memoryOfAllStages(scenario));
///     if (memory.verdict == Verdict::DoesNotFit) { … memory.peak … memory.capacity … }
Result<MemoryBreakdown> memoryOfAllStages(const Scenario& scenario, const Watch& watch = {});

/// The same peak and verdict from the stages of which one is the fullest, without what the others
/// are made of: for a search. It stops at the first stage whose tensors alone pass `most`.
Result<MemoryBreakdown> memoryOfFullestStage(const Scenario& scenario,
                                             Bytes most = kNoLimit,
                                             const Watch& watch = {});

/// What `most` leaves of the device for tensors, at most.
Bytes roomForTensors(const Scenario& scenario, Bytes most);

/// Likewise of stages that were walked before, maybe for another GPU.
Result<MemoryBreakdown> memoryOf(const Scenario& scenario, StageWalks walks);

/// Bytes that the fullest stage takes from the device; where they are more than `enough`, any
/// number from there up to them.
Result<Bytes> peakOfFullestStage(const Scenario& scenario, Bytes enough, const Watch& watch = {});

/// Of orders with as much in flight, whose chunks all run the same layers and own what they hand
/// over: places of those of which one takes the most memory, and that first of all that take it.
///     for (const std::size_t place : fullestOrders(orders)) { … }
std::vector<std::size_t> fullestOrders(const std::vector<PipelineOrder>& orders);

}  // namespace fabricast
