#pragma once
#include "planner/base/result.h"
#include "planner/memory/program/pipeline_order.h"
#include "planner/result/memory_marks.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// The first rank of a pipeline stage, walked through every pass of a step: memory over time.
/// `orders` are all that every stage runs, nothing cut short; `walkStage` says what the same step
/// takes at most without walking all of it.
///     FABRICAST_ASSIGN(const MemoryMarks marks, walkMarks(scenario, 0, orders));
Result<MemoryMarks> walkMarks(const Scenario& scenario,
                              std::int64_t stage,
                              const std::vector<PipelineOrder>& orders);

}  // namespace fabricast
