#include "planner/base/integers.h"
#include "planner/estimate/moved_bytes.h"
#include "planner/spec/dtype.h"

namespace fabricast {

namespace {

/// Kernels for the scales, their offset and the matrix; bitsandbytes' code keeps the host busy for
/// two more (measured: LoRA over 8B in 4 bits, sequences of 2,048 on one H100).
constexpr double kDequantization = 5.0;
/// Zeros of a whole stack, and the sum with those before.
constexpr double kZeroedAndAdded = 4.0;

/// Bytes of an element.
double gradientWidth(const Settings& settings, const WeightUse& use) {
    const double computed = asDouble(bytesPerElement(settings.precision.compute));
    if (settings.engine == Engine::Megatron) {
        return computed + 2.0 * asDouble(bytesPerElement(settings.precision.gradients));
    }
    const bool casts =
        use.cast && (settings.engine == Engine::Local || settings.engine == Engine::Ddp);
    const std::int64_t stored = use.widthOr(bytesPerElement(settings.precision.parameters));
    return casts ? computed + asDouble(stored) : 0.0;
}

}  // namespace

WeightTraffic weightTraffic(const Settings& settings, const Op& op, const WeightUse& use) {
    const double elements = asDouble(use.elements);
    const std::int64_t computed = bytesPerElement(settings.precision.compute);
    WeightTraffic traffic;
    if (use.cast) {
        const std::int64_t stored = use.widthOr(bytesPerElement(settings.precision.parameters));
        traffic.castBytes = asDouble(stored + computed) * elements;
        traffic.castLaunches = 1.0;
    }
    if (use.packedBytes > 0 && !op.ownKernel) {
        traffic.dequantizations = kDequantization;
    }
    if (op.stack != StackUse::Whole) {
        traffic.gradientBytes = kZeroedAndAdded * asDouble(computed) * elements;
        traffic.gradientLaunches = 2.0;
    } else if (!use.addedInGemm) {
        traffic.gradientBytes = gradientWidth(settings, use) * elements;
        traffic.gradientLaunches = traffic.gradientBytes > 0 ? 1.0 : 0.0;
    }
    return traffic;
}

}  // namespace fabricast
