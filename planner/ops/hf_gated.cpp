#include "planner/ops/hf_moe.h"
#include "planner/ops/hf_views.h"

namespace fabricast {

namespace {

/// Backward compares once for each bound.
TensorId clamp(OpBuilder& g, TensorId x, int bounds) {
    const std::int64_t elements = g.info(x).elements;
    const TensorId out = g.pointwise("clamp", {x}, elements, g.info(x).width, {x});
    g.last().backwardTemps = ByteList{};
    for (int bound = 0; bound < bounds; ++bound) {
        g.last().backwardTemps.push_back(elements);
    }
    return out;
}

/// (up + 1) · gate · sigmoid(α · gate), of both clamped.
TensorId clampedGlu(OpBuilder& g, TensorId both, std::int64_t inner) {
    const TensorId opened = everySecond(g, both, inner);
    const TensorId raised = everySecond(g, both, inner);
    const std::int64_t width = g.info(both).width;
    const TensorId gate = clamp(g, opened, 1);
    const TensorId up = clamp(g, raised, 2);
    const TensorId scaled = g.pointwise("scale", {gate}, inner, width, {});
    const TensorId open = g.pointwise("sigmoid", {scaled}, inner, width, {});
    if (g.info(open).requiresGrad) {
        g.last().saved = {open};
    }
    const TensorId glu = g.multiply(gate, open);
    const TensorId shifted = g.pointwise("shift", {up}, inner, width, {});
    g.last().passesGradient = true;
    const TensorId out = g.multiply(shifted, glu);
    g.holdUntilHere({gate, up, glu});
    return out;
}

}  // namespace

TensorId hfGated(OpBuilder& g, const MoeSpec& moe, TensorId both, std::int64_t inner) {
    if (moe.clampedGlu) {
        const TensorId out = clampedGlu(g, both, inner);
        g.holdUntilHere({both});
        return out;
    }
    const auto halves = g.split(both, {inner, inner});
    g.enterModule();
    const TensorId gate = g.silu(halves[0]);
    g.leaveModule();
    const TensorId out = g.multiply(gate, halves[1]);
    g.holdUntilHere({both, gate});
    return out;
}

}  // namespace fabricast
