#include "planner/comm/engine_calls.h"
#include "planner/compute/kernel_times.h"
#include "planner/estimate/data_parallel_time.h"

#include <algorithm>

namespace fabricast {

namespace {

/// Reads and writes of a gathered byte: the slices are joined, NCCL's output is handed to a buffer
/// for each rank, and the slices are copied from there.
constexpr double kJoinedAndHanded = 4.0;
constexpr double kCopiedBack = 2.0;

double gatheredBytes(const StageTime& stage) {
    double bytes = 0.0;
    for (const CommCall& call : stage.calls) {
        if (call.use == CommUse::ParameterGather) {
            bytes += static_cast<double>(call.count()) * static_cast<double>(call.bytes());
        }
    }
    return bytes;
}

}  // namespace

double gatherCopySeconds(const StepContext& context,
                         const StageView& view,
                         const StageTime& stage) {
    const Settings& settings = context.scenario.settings;
    const bool alone = view.shards <= 1 && view.expertShards <= 1;
    if (settings.engine != Engine::Megatron || !settings.megatron.gatherSlices || alone) {
        return 0.0;
    }
    const double bytes = gatheredBytes(stage);
    const auto slices = static_cast<double>(ownedSlices(view));
    const double joined =
        memoryTime(context.kernels, MemoryOp::Copy, kJoinedAndHanded * bytes, {}).count();
    const double copied =
        slices *
        memoryTime(context.kernels, MemoryOp::Copy, kCopiedBack * bytes / slices, {}).count();
    const double before = stage.gradientReduce + stage.sharedGradients + stage.bookkeeping +
                          optimizerSeconds(context, stage) + stage.parameterGather;
    const double host = slices * context.software.slice.count();
    return std::max(joined + copied, host - before);
}

}  // namespace fabricast
