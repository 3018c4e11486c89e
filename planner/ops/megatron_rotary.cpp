#include "planner/ops/megatron_attention.h"

namespace fabricast {

namespace {

/// cos (or sin) of the angles, times the concentration factor, in the compute type.
TensorId rotaryTable(MegatronCode& m, const RotaryShape& shape, std::int64_t width) {
    const std::int64_t entries = m.shape.sequence * shape.dim;
    const TensorId table = m.g.fresh(entries, width, false);
    m.g.push({.kind = OpKind::Lookup,
              .name = "rope_table",
              .inputs = shape.angles,
              .outputs = {table},
              .forwardTemps = {4 * entries, (4 - width) * entries}});
    return table;
}

/// Columns that are rotated, and those (none) that are not. A slice's gradient is written into a
/// tensor of x's size.
struct Slices {
    TensorId turned = kNoTensor;
    TensorId passed = kNoTensor;
};
Slices sliceOf(MegatronCode& m, TensorId x) {
    const Slices slices{m.g.viewOf(x, m.g.info(x).elements), m.g.viewOf(x, 0)};
    m.g.push({.kind = OpKind::Copy,
              .name = "slice",
              .inputs = {x},
              .outputs = {slices.turned, slices.passed}});
    return slices;
}

/// Even columns, then odd ones.
TensorId reordered(MegatronCode& m, TensorId x) {
    const TensorInfo in = m.g.info(x);
    const TensorId out = m.g.pointwise("reorder", {x}, in.elements, in.width, {});
    m.g.last().backwardTemps = {in.bytes};
    return out;
}

}  // namespace

TensorId rotaryWritten(MegatronCode& m, TensorId x, const RotaryShape& shape) {
    OpBuilder& g = m.g;
    const Slices slices = sliceOf(m, x);
    const TensorInfo in = g.info(slices.turned);
    const TensorId t = shape.reorders ? reordered(m, slices.turned) : slices.turned;
    const TensorId cosine = rotaryTable(m, shape, in.width);
    const TensorId sine = rotaryTable(m, shape, in.width);
    const TensorId direct = g.pointwise("mul", {t, cosine}, in.elements, in.width, {cosine});
    const TensorId turned = g.pointwise("rotate_half", {t}, in.elements, in.width, {});
    g.last().forwardTemps = {in.bytes / 2};
    g.last().backwardTemps = {in.bytes / 2};
    const TensorId crossed = g.pointwise("mul", {turned, sine}, in.elements, in.width, {sine});
    const TensorId sum = g.add(direct, crossed);
    if (shape.reorders) {
        g.holdUntilHere({t});
    }
    return joined(m, {sum, slices.passed});
}

}  // namespace fabricast
