#include "planner/ops/megatron_moe.h"

#include "planner/ops/megatron_layer.h"

namespace fabricast {

namespace {

/// Shared experts are one dense MLP in addition to the routed ones.
TensorId megatronSharedExperts(MegatronCode& m, const MoeShape& shape, TensorId x) {
    OpBuilder& g = m.g;
    const std::int64_t hidden = m.scenario.model.hidden;
    const int up = megatronWeight(
        m, {.name = "shared_fc1", .inputs = hidden, .outputs = 2 * shape.sharedWidth});
    const int down =
        megatronWeight(m, {.name = "shared_fc2", .inputs = shape.sharedWidth, .outputs = hidden});
    const int gate = m.scenario.model.moe->sharedGate ? g.weight("shared_gate", hidden) : -1;
    const int block = g.openBlock(m.recomputes("shared_experts") && !m.recomputes("moe"));
    const TensorId inner = columnParallel(m, x, up, 2 * shape.sharedWidth);
    TensorId out = rowParallel(m, gatedActivation(m, inner), down, hidden);
    if (gate >= 0) {
        const TensorId logits = g.linear(x, gate, shape.tokens);
        const TensorId score = g.pointwise("sigmoid", {logits}, shape.tokens, g.info(x).width, {});
        g.last().saved = {score};
        out = g.multiply(out, score);
    }
    g.closeBlock(block);
    return out;
}

}  // namespace

TensorId megatronMoe(MegatronCode& m, TensorId x) {
    OpBuilder& g = m.g;
    const MoeShape shape = moeShape(m.scenario);
    const int block = g.openBlock(m.recomputes("moe"));
    TensorIds variables;
    if (shape.sharedWidth > 0) {
        variables.push_back(megatronSharedExperts(m, shape, x));
    }
    const Routing routing = topKRouter(m, shape, x);
    const Dispatched dispatched = dispatchTokens(m, shape, x, routing);
    const TensorId output = routedExperts(m, shape, dispatched);
    TensorId out = combineTokens(m, shape, output, dispatched);
    if (!variables.empty()) {
        out = g.add(out, variables.front());
    }
    variables.append(dispatched.variables.begin(), dispatched.variables.end());
    g.holdUntilHere(variables);
    g.closeBlock(block);
    return out;
}

}  // namespace fabricast
