#include "planner/ops/megatron_layer.h"
#include "planner/ops/megatron_moe.h"

namespace fabricast {

namespace {

int expertWeight(MegatronCode& m, std::string_view name, std::int64_t elements) {
    const int weight = m.g.weight(name, elements);
    // Only spread experts have buffers apart.
    m.g.weightAt(weight).expert = m.shape.ep > 1;
    m.g.weightAt(weight).addedInGemm = m.scenario.settings.megatron.gradientAccumulationFusion;
    return weight;
}

/// silu(gate) · up · probability as one autograd function: a wider probability makes its steps as
/// wide. Backward joins the gradient's two halves out of three such steps.
TensorId weightedSwiglu(MegatronCode& m, TensorId gateAndUp, TensorId probabilities) {
    OpBuilder& g = m.g;
    const TensorInfo in = g.info(gateAndUp);
    const TensorId out = g.pointwise("weighted_swiglu",
                                     {gateAndUp, probabilities},
                                     in.elements / 2,
                                     in.width,
                                     {gateAndUp, probabilities});
    if (m.scenario.settings.kernels.activation == ActivationKernel::Eager) {
        const std::int64_t step = in.elements / 2 * g.info(probabilities).width;
        g.last().forwardTemps = {step};
        g.last().backwardTemps = {5 * step - in.bytes};
    }
    return out;
}

/// The same as separate operations, each of which keeps its operands.
TensorId writtenSwiglu(MegatronCode& m, TensorId gateAndUp, TensorId probabilities) {
    OpBuilder& g = m.g;
    const std::int64_t half = g.info(gateAndUp).elements / 2;
    const auto parts = g.split(gateAndUp, {half, half});
    const TensorId product = g.multiply(g.silu(parts[0]), parts[1]);
    const TensorId weighted = g.multiply(product, probabilities);
    return g.cast(weighted, g.info(gateAndUp).width);
}

TensorId expertActivation(MegatronCode& m, TensorId inner, TensorId probabilities) {
    return m.scenario.settings.kernels.experts == ExpertKernel::Grouped
               ? writtenSwiglu(m, inner, probabilities)
               : weightedSwiglu(m, inner, probabilities);
}

TensorId groupedGemm(MegatronCode& m, TensorId x, int weight, std::int64_t elements) {
    const TensorId out = m.g.fresh(elements, m.g.info(x).width);
    const TensorId kept = keptInput(m, x, m.g.weightAt(weight));
    m.g.push({.kind = OpKind::GroupedGemm,
              .name = m.g.weightAt(weight).name,
              .inputs = {x},
              .outputs = kept == x ? TensorIds{out} : TensorIds{out, kept},
              .saved = {kept},
              .weights = {weight},
              .defersWeights = true});
    return out;
}

/// Both weights are seen as (experts, in, out) before the first product: their gradients pass that
/// view last.
TensorId groupedExperts(MegatronCode& m, const MoeShape& shape, const Dispatched& dispatched) {
    OpBuilder& g = m.g;
    const std::int64_t hidden = m.scenario.model.hidden;
    const std::int64_t matrix = shape.localExperts * hidden * shape.width;
    const int first = expertWeight(m, "weight1", 2 * matrix);
    const int second = expertWeight(m, "weight2", matrix);
    g.push({.kind = OpKind::Copy, .name = "view", .delivers = {second, first}});
    const TensorId inner = groupedGemm(m, dispatched.tokens, first, shape.rows * 2 * shape.width);
    const int block = g.openBlock(m.recomputes("moe_act") && !m.recomputes("moe"));
    const TensorId active = expertActivation(m, inner, dispatched.probabilities);
    g.closeBlock(block);
    const TensorId out = groupedGemm(m, active, second, shape.rows * hidden);
    g.discardOutputs(block);
    return out;
}

TensorId expertLinear(MegatronCode& m, TensorId x, int weight, std::int64_t elements) {
    const TensorId out = m.g.fresh(elements, m.g.info(x).width);
    const TensorId kept = keptInput(m, x, m.g.weightAt(weight));
    m.g.push({.kind = OpKind::Gemm,
              .name = m.g.weightAt(weight).name,
              .inputs = {x},
              .outputs = kept == x ? TensorIds{out} : TensorIds{out, kept},
              .saved = {kept},
              .weights = {weight}});
    return out;
}

/// One expert after another on its own rows; the outputs are joined at the end.
TensorId sequential(MegatronCode& m, const MoeShape& shape, const Dispatched& dispatched) {
    OpBuilder& g = m.g;
    const std::int64_t hidden = m.scenario.model.hidden;
    std::vector<std::int64_t> sizes;
    for (const std::int64_t rows : shape.perExpert) {
        sizes.push_back(rows * hidden);
    }
    const bool several = shape.localExperts > 1;
    const auto tokens = several ? g.split(dispatched.tokens, sizes) : TensorIds{dispatched.tokens};
    const auto probabilities = several ? g.split(dispatched.probabilities, shape.perExpert)
                                       : TensorIds{dispatched.probabilities};
    TensorIds outputs;
    for (std::size_t expert = 0; expert < tokens.size(); ++expert) {
        const std::int64_t rows = shape.perExpert[expert];
        const int up = expertWeight(m, "linear_fc1", 2 * hidden * shape.width);
        const int down = expertWeight(m, "linear_fc2", hidden * shape.width);
        const TensorId inner = expertLinear(m, tokens[expert], up, rows * 2 * shape.width);
        const TensorId active = weightedSwiglu(m, inner, probabilities[expert]);
        outputs.push_back(expertLinear(m, active, down, rows * hidden));
    }
    return several ? joined(m, outputs) : outputs.front();
}

}  // namespace

TensorId routedExperts(MegatronCode& m, const MoeShape& shape, const Dispatched& dispatched) {
    return m.scenario.settings.kernels.experts == ExpertKernel::Sequential
               ? sequential(m, shape, dispatched)
               : groupedExperts(m, shape, dispatched);
}

}  // namespace fabricast
