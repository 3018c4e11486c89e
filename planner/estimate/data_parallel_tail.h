#pragma once
#include "planner/estimate/stage_time.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// What is still to be waited for once a step beyond the pipeline's span because of one stage:
/// gradients whose reduction nothing hid, shared gradients, the norm, and parameters that are
/// gathered. `slack` and `firstForward` are those of its chunks.
struct StageSlack {
    std::vector<double> slack;
    std::vector<double> firstForward;
};
struct StageTail {
    double reduce = 0.0;  ///< of gradients; including the slowdown of kernels by the hidden rest
    double gather = 0.0;  ///< of parameters, likewise
    double sharedGradients = 0.0;
    double bookkeeping = 0.0;

    [[nodiscard]] double total() const { return reduce + gather + sharedGradients + bookkeeping; }
};
/// Layers of a model chunk, on average; at least one.
double layersOfChunk(const Scenario& scenario, std::size_t chunks);

StageTail dataParallelTail(const StepContext& context,
                           const StageTime& stage,
                           const StageSlack& when);

/// What its sums of transfers leave to be waited for at least, whatever its passes take.
/// `endsStep`: its last gradient is the last thing before the tail.
double leastTail(const Scenario& scenario,
                 const SoftwareTiming& software,
                 const StageTime& stage,
                 bool endsStep);

}  // namespace fabricast
