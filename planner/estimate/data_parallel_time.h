#pragma once
#include "planner/estimate/stage_time.h"
#include "planner/ops/op_list.h"

#include <cstddef>
#include <cstdint>
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

/// Where a distributed optimizer gathers its weights by slices (settings.megatron.gather_slices),
/// it cuts each rank's part out of each weight, joins them, gathers, and copies them back one by
/// one. This is what a step takes longer for it: the copies on the GPU, or what the host is behind
/// when the gather has ended. It issues all of it while the GPU still reduces gradients.
double gatherCopySeconds(const StepContext& context, const StageView& view, const StageTime& stage);

/// What backward does beside the operations' own gradients: where several of them read one tensor,
/// autograd adds their gradients up, two at a time.
struct GradientSums {
    std::int64_t bytes = 0;  ///< both terms read and the sum written
    std::int64_t count = 0;
};

/// `compiled`: the sums are part of the kernels that read them, and only the terms are left.
GradientSums gradientSums(const OpList& list, bool compiled);

}  // namespace fabricast
