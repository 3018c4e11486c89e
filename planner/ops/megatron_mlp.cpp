#include "planner/ops/megatron_mlp.h"

#include "planner/ops/megatron_adapter.h"

#include <vector>

namespace fabricast {

namespace {

bool stepByStep(const MegatronCode& m) {
    return m.scenario.settings.kernels.activation == ActivationKernel::Eager;
}

ByteList copies(std::int64_t bytes, std::size_t count) {
    ByteList list;
    for (std::size_t i = 0; i < count; ++i) {
        list.push_back(bytes);
    }
    return list;
}

}  // namespace

TensorId gatedActivation(MegatronCode& m, TensorId gateAndUp) {
    const TensorId out = m.g.swiglu(gateAndUp);
    if (stepByStep(m)) {  // silu(gate); backward: the two halves before they are joined
        const std::int64_t half = m.g.info(out).bytes;
        m.g.last().forwardTemps = copies(half, 1);
        m.g.last().backwardTemps = copies(half, 2);
    }
    return out;
}

TensorId geluActivation(MegatronCode& m, TensorId x, int bias) {
    const TensorId out = m.g.gelu(x);
    if (bias >= 0) {
        m.g.last().weights = {bias};
    }
    if (stepByStep(m)) {  // the tanh form, term by term
        const std::int64_t bytes = m.g.info(out).bytes;
        m.g.last().forwardTemps = copies(bytes, 4);
        m.g.last().backwardTemps = copies(bytes, 5);
    }
    return out;
}

MlpOutput megatronMlp(MegatronCode& m, TensorId x) {
    const MlpSpec& mlp = m.scenario.model.mlp;
    const std::int64_t hidden = m.scenario.model.hidden;
    const std::int64_t width = m.shape.width;
    const bool gated = mlp.kind == MlpKind::Gated;
    const std::int64_t first = gated ? 2 * width : width;
    MlpOutput result;
    const int up = megatronWeight(m, {.name = "linear_fc1", .inputs = hidden, .outputs = first});
    const int upBias = mlp.bias ? m.g.weight("bias", first, false) : -1;
    const int down = megatronWeight(m, {.name = "linear_fc2", .inputs = width, .outputs = hidden});
    result.bias = mlp.bias ? m.g.weight("bias", hidden, false) : -1;
    const int block = m.g.openBlock(m.recomputes("mlp"));
    const TensorId inner = withAdapter(m,
                                       x,
                                       columnParallel(m, x, up, first),
                                       {.target = "gate", .inputs = hidden, .outputs = first});
    TensorId active = kNoTensor;
    if (gated) {
        active = gatedActivation(m, inner);
        if (upBias >= 0) {
            m.g.last().weights = {upBias};
        }
    } else {
        active = geluActivation(m, inner, upBias);
    }
    result.out = withAdapter(m,
                             active,
                             rowParallel(m, active, down, hidden),
                             {.target = "down", .inputs = width, .outputs = hidden});
    m.g.closeBlock(block);
    return result;
}

}  // namespace fabricast
