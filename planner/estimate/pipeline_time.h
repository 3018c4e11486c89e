#pragma once
#include "planner/base/result.h"
#include "planner/estimate/stage_time.h"
#include "planner/schedule/framework_order.h"
#include "planner/schedule/pipeline_span.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// Which order the scenario's stack runs its pipeline in, or what it refuses.
Result<FrameworkOrder> pipelineOrderOf(const Scenario& scenario);
/// A pipeline that the framework ends with an error at its start has no memory either.
Result<void> checkOrder(const Scenario& scenario);

/// Megatron's 1F1B sends and receives on the compute stream; interleaved, on another one.
Receive receiveOf(const Scenario& scenario);

/// One microbatch from a stage to the next, over the slowest way between two of one site, and
/// between those of two.
struct SendTimes {
    double near = 0.0;
    double far = 0.0;
};
SendTimes sendTimes(const std::vector<StageTime>& stages);
/// The same where neighbours exchange: both ways at once, or one after the other.
SendTimes handOverTimes(const Scenario& scenario, const std::vector<StageTime>& stages);

/// Pipeline ranks in a row that are at one site; 0 where all of a pipeline's are.
Result<std::int64_t> ranksAtSite(const Scenario& scenario);

/// The order of a step's microbatches, timed with every stage's own passes.
struct PipelineTime {
    double span = 0.0;      ///< from the first forward to the last backward
    double exchange = 0.0;  ///< of it: what transfers between stages add
    /// By pipeline rank and chunk: from its last gradient to the end of the span, and from the
    /// step's start to its first forward.
    std::vector<std::vector<double>> slack;
    std::vector<std::vector<double>> firstForward;
};
Result<PipelineTime> pipelineTime(const Scenario& scenario,
                                  const std::vector<StageTime>& stages,
                                  SpanWorkspace& spans);

}  // namespace fabricast
