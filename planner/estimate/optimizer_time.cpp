#include "planner/estimate/optimizer_time.h"

#include "planner/compute/memory_time.h"
#include "planner/estimate/offload_time.h"
#include "planner/spec/dtype.h"

#include <algorithm>

namespace fabricast {

namespace {

/// Bytes read and written for one parameter: moments, master and weight, both ways, and the
/// gradient.
double bytesPerParameter(const Settings& settings) {
    const auto width = [](Dtype dtype) { return static_cast<double>(bytesPerElement(dtype)); };
    const PrecisionSettings& precision = settings.precision;
    double moments = 2.0 * width(precision.moments);
    switch (settings.optimizer.kind) {
        case OptimizerKind::AdamW8bit:
        case OptimizerKind::PagedAdamW8bit:
        case OptimizerKind::AdamWFp8:
            moments = 2.0;
            break;
        case OptimizerKind::AdamW4bit:
            moments = 1.0;
            break;
        case OptimizerKind::Lion:
        case OptimizerKind::SgdMomentum:
        case OptimizerKind::Muon:
            moments = width(precision.moments);
            break;
        case OptimizerKind::Lion8bit:
            moments = 1.0;
            break;
        case OptimizerKind::Adafactor:
        case OptimizerKind::Sgd:
            moments = 0.0;
            break;
        case OptimizerKind::AdamW:
            break;
    }
    const double master = precision.masterWeights ? 4.0 : 0.0;
    return 2.0 * (moments + master + width(precision.parameters)) + width(precision.gradients);
}

/// Passes over the same bytes: one kernel does all, or one for every operation.
double passes(OptimizerKernel kernel) {
    switch (kernel) {
        case OptimizerKernel::Foreach:
        case OptimizerKernel::ForLoop:
            return 2.5;
        default:
            return 1.0;
    }
}

}  // namespace

double optimizerSeconds(const StepContext& context, const StageTime& stage) {
    const Settings& settings = context.scenario.settings;
    const double here = steppedHere(context.scenario, stage.trained, stage.trainedExperts);
    if (stepsOnHost(context.scenario)) {
        return hostStepSeconds(context.scenario, context.host, here);
    }
    const double held = context.scenario.layout.shard == Shard::Fsdp ||
                                context.scenario.layout.shard == Shard::Zero3 ||
                                context.scenario.layout.shard == Shard::Hsdp
                            ? here
                            : stage.trained + stage.trainedExperts;
    const auto gradient = static_cast<double>(bytesPerElement(settings.precision.gradients));
    // Cleared, read for the norm; scaled where they are stepped.
    const double bytes = held * 2.0 * gradient + here * 2.0 * gradient +
                         here * bytesPerParameter(settings) * passes(settings.optimizer.kernel);
    return memoryTime(context.kernels, MemoryOp::Optimizer, bytes, {}).count();
}

}  // namespace fabricast
