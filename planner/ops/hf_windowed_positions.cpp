#include "planner/ops/attention_kernels.h"
#include "planner/ops/hf_latent_attention.h"
#include "planner/ops/hf_positions.h"

namespace fabricast {

namespace {

constexpr std::int64_t kWideHead = 4;

/// x / sqrt(mean(x²)), written out in fp32.
TensorId dividedByLength(OpBuilder& g, TensorId x, std::int64_t dim) {
    g.enterModule();
    const TensorId wide = g.cast(x, kWideHead);
    const std::int64_t rows = g.info(x).elements / dim;
    const TensorId mean = g.pointwise("mean", {g.power(wide)}, rows, kWideHead, {});
    const TensorId inverse = g.pointwise("rsqrt", {mean}, rows, kWideHead, {});
    if (g.info(inverse).requiresGrad) {
        g.last().saved = {inverse};
    }
    const TensorId unit = g.multiply(wide, inverse);
    g.holdUntilHere({wide});
    const TensorId out = g.cast(unit, g.info(x).width);
    g.leaveModule();
    return out;
}

/// Times an fp32 factor for each position.
TensorId scaledByPosition(OpBuilder& g, std::int64_t sequence, TensorId x) {
    const TensorId scales = g.fresh(sequence, kWideHead, false);
    g.push({.name = "scales", .outputs = {scales}});
    return g.cast(g.multiply(x, scales), g.info(x).width);
}

}  // namespace

Projected positionedInWindows(OpBuilder& g,
                              const Scenario& scenario,
                              const Rotary& table,
                              const Projected& projections,
                              std::int64_t layer) {
    const AttentionSpec& attention = scenario.model.attention;
    Projected out = projections;
    const bool everywhere = scenario.model.window.empty();
    if (everywhere || hasWindow(scenario.model, layer)) {
        const TurnedPair turned = turnAsComplex(g, table.first, projections.q, projections.k);
        out.q = turned.q;
        out.k = turned.k;
        if (attention.unitHeads) {
            out.q = dividedByLength(g, turned.q, attention.headDim);
            g.holdUntilHere({turned.q});
            out.k = dividedByLength(g, turned.k, attention.headDim);
            g.holdUntilHere({turned.k});
        }
    } else if (attention.scalesQueries) {
        out.q = scaledByPosition(g, rankShape(scenario).sequence, projections.q);
        g.holdUntilHere({projections.q});
    }
    return out;
}

}  // namespace fabricast
