#include "planner/ops/megatron_moe.h"

namespace fabricast {

namespace {

constexpr std::int64_t kRouterFloat = 4;
constexpr std::int64_t kTopKIndexWidth = 8;

/// One value per token and expert.
struct PerExpert {
    std::int64_t elements = 0;
    std::int64_t width = 0;
    [[nodiscard]] std::int64_t bytes() const { return elements * width; }
};

PerExpert perExpert(const MegatronCode& m, const MoeShape& shape) {
    return {shape.tokens * shape.experts, routerWidth(m)};
}

/// logits = x · Wᵀ, in the router's type: input and weight are cast for the product's length.
TensorId gate(MegatronCode& m, const MoeShape& shape, TensorId x) {
    OpBuilder& g = m.g;
    const std::int64_t hidden = m.scenario.model.hidden;
    const int weight = g.weight("router", shape.experts * hidden);
    const PerExpert values = perExpert(m, shape);
    const TensorId logits = g.fresh(values.elements, values.width);
    Op op{.kind = OpKind::Gemm,
          .name = "router",
          .inputs = {x},
          .outputs = {logits},
          .saved = {x},
          .weights = {weight}};
    if (values.width != g.info(x).width) {
        const std::int64_t casts = values.width * hidden * (shape.tokens + shape.experts);
        op.forwardTemps = {casts};
        op.backwardTemps = {casts};
    }
    g.push(std::move(op));
    return logits;
}

/// The k best of every row, with their places.
struct Best {
    TensorId values = kNoTensor;
    TensorId indices = kNoTensor;
};
Best topK(MegatronCode& m, TensorId scores, std::int64_t count) {
    OpBuilder& g = m.g;
    const TensorInfo in = g.info(scores);
    const Best best{g.fresh(count, in.width, in.requiresGrad),
                    g.fresh(count, kTopKIndexWidth, false)};
    g.push({.name = "topk",
            .inputs = {scores},
            .outputs = {best.values, best.indices},
            .saved = {best.indices}});
    return best;
}

/// Softmax in fp32, back in the type of its input.
TensorId softmax(MegatronCode& m, TensorId x) {
    OpBuilder& g = m.g;
    const std::int64_t width = g.info(x).width;
    const TensorId wide = g.cast(x, kRouterFloat);
    const TensorId out = g.pointwise("softmax", {wide}, g.info(x).elements, kRouterFloat, {});
    g.last().saved = {out};
    return g.cast(out, width);
}

TensorId sigmoid(MegatronCode& m, TensorId x) {
    const TensorId out = m.g.pointwise("sigmoid", {x}, m.g.info(x).elements, m.g.info(x).width, {});
    m.g.last().saved = {out};
    return out;
}

/// scores / (their sum over the row + 1e-20)
TensorId normalized(MegatronCode& m, TensorId scores, std::int64_t rows) {
    OpBuilder& g = m.g;
    const TensorInfo in = g.info(scores);
    const TensorId sum = g.pointwise("sum", {scores}, rows, in.width, {});
    const TensorId shifted = g.pointwise("add", {sum}, rows, in.width, {});
    return g.pointwise("div", {scores, shifted}, in.elements, in.width, {scores, shifted});
}

struct Scored {
    TensorId probabilities = kNoTensor;  ///< of the k chosen
    TensorId indices = kNoTensor;
};

Scored softmaxScores(MegatronCode& m, const MoeShape& shape, TensorId logits) {
    if (shape.topK == 1) {  // megatron-core asks for --moe-router-pre-softmax
        const Best first = topK(m, softmax(m, logits), shape.tokens);
        return {first.values, first.indices};
    }
    const Best best = topK(m, logits, shape.tokens * shape.topK);
    return {softmax(m, best.values), best.indices};
}

Scored sigmoidScores(MegatronCode& m, const MoeShape& shape, TensorId logits) {
    OpBuilder& g = m.g;
    const std::int64_t width = g.info(logits).width;
    const TensorId scores = g.cast(sigmoid(m, g.cast(logits, kRouterFloat)), width);
    const std::int64_t chosen = shape.tokens * shape.topK;
    Best best;
    if (m.scenario.model.moe->correctionBias) {
        const TensorId biased =
            g.pointwise("expert_bias", {scores}, g.info(scores).elements, kRouterFloat, {});
        best = topK(m, biased, chosen);
        g.last().graphDropped = true;
        const TensorId gathered =
            g.pointwise("gather", {scores, best.indices}, chosen, width, {scores, best.indices});
        g.holdUntilHere({biased, best.values});
        best.values = gathered;
    } else {
        best = topK(m, scores, chosen);
    }
    if (shape.topK == 1) {
        return {best.values, best.indices};
    }
    return {normalized(m, best.values, shape.tokens), best.indices};
}

/// Spreads the chosen over all experts: probabilities, and a map of yes and no.
Routing spread(MegatronCode& m, const MoeShape& shape, const Scored& scored) {
    OpBuilder& g = m.g;
    const PerExpert values = perExpert(m, shape);
    Routing routing;
    routing.probabilities = g.pointwise("scatter",
                                        {scored.probabilities, scored.indices},
                                        values.elements,
                                        values.width,
                                        {scored.indices});
    g.last().forwardTemps = {values.bytes()};
    routing.map = g.fresh(values.elements, 1, false);
    g.push({.name = "routing_map",
            .inputs = {scored.indices},
            .outputs = {routing.map},
            .forwardTemps = {2 * kRouterFloat * values.elements}});
    return routing;
}

/// Keeps the `capacity` most probable tokens of each expert; with padding, exactly that many.
Routing dropTokens(MegatronCode& m, const MoeShape& shape, const Routing& routing) {
    OpBuilder& g = m.g;
    const PerExpert values = perExpert(m, shape);
    Routing kept;
    kept.map = g.fresh(values.elements, 1, false);
    if (shape.capacity <= shape.tokens) {
        const Best best = topK(m, routing.probabilities, shape.experts * shape.capacity);
        g.last().graphDropped = true;
        g.push({.name = "capacity_mask",
                .inputs = {best.indices, routing.map},
                .outputs = {kept.map},
                .forwardTemps = {2 * values.bytes()}});
        g.holdUntilHere({best.values, best.indices});
    } else {
        g.push({.name = "capacity_mask",
                .inputs = {routing.map},
                .outputs = {kept.map},
                .forwardTemps = {values.bytes()}});
    }
    kept.probabilities = g.pointwise(
        "mul", {routing.probabilities, kept.map}, values.elements, values.width, {kept.map});
    g.holdUntilHere({routing.probabilities, routing.map});
    return kept;
}

/// Scores of all experts once more, and how many tokens each took: the loss is attached to the
/// probabilities, and kept with the counts until its gradient is due.
void attachAuxiliaryLoss(MegatronCode& m,
                         const MoeShape& shape,
                         TensorId logits,
                         TensorId& probabilities) {
    OpBuilder& g = m.g;
    const PerExpert values = perExpert(m, shape);
    const AuxLoss kind = m.scenario.settings.kernels.auxLoss;
    TensorId scores = kNoTensor;
    if (m.scenario.model.moe->sigmoidScore) {
        scores = normalized(m, sigmoid(m, logits), shape.tokens);
    } else {
        const TensorId wide = g.cast(logits, kRouterFloat);
        scores = g.pointwise("softmax", {wide}, values.elements, kRouterFloat, {});
        g.last().saved = {scores};
    }
    const Best best = topK(m, scores, shape.tokens * shape.topK);
    g.last().graphDropped = true;
    const TensorId map = g.fresh(values.elements, 1, false);
    g.push({.name = "routing_map",
            .inputs = {best.indices},
            .outputs = {map},
            .forwardTemps = {2 * kRouterFloat * values.elements}});
    g.holdUntilHere({best.values, best.indices});
    const std::int64_t samples = kind == AuxLoss::Sequence ? m.shape.batch : 1;
    const std::int64_t countWidth = kind == AuxLoss::Global ? 2 : kTopKIndexWidth;
    const TensorId counts = g.fresh(shape.experts * samples, countWidth, false);
    g.push({.name = "tokens_per_expert",
            .inputs = {map},
            .outputs = {counts},
            .forwardTemps = {kTopKIndexWidth * values.elements}});
    const TensorId sums =
        g.pointwise("sum", {scores}, shape.experts * samples, g.info(scores).width, {});
    g.last().backwardTemps = {};
    const TensorId loss = g.pointwise("aux_loss", {sums, counts}, 1, kRouterFloat, {counts});
    g.holdUntilHere({map, scores});
    const TensorId attached = g.viewOf(probabilities, values.elements);
    g.push({.name = "attach_aux_loss",
            .inputs = {probabilities, loss},
            .outputs = {attached},
            .saved = {loss},
            .passesGradient = true});
    probabilities = attached;
}

}  // namespace

std::int64_t routerWidth(const MegatronCode& m) {
    return bytesPerElement(m.scenario.settings.kernels.routerDtype);
}

Routing topKRouter(MegatronCode& m, const MoeShape& shape, TensorId x) {
    OpBuilder& g = m.g;
    const TensorId logits = gate(m, shape, x);
    const Scored scored = m.scenario.model.moe->sigmoidScore ? sigmoidScores(m, shape, logits)
                                                             : softmaxScores(m, shape, logits);
    Routing routing = spread(m, shape, scored);
    g.holdUntilHere({scored.probabilities});
    if (shape.capacity > 0) {
        routing = dropTokens(m, shape, routing);
    }
    if (m.scenario.settings.kernels.auxLoss != AuxLoss::None) {
        attachAuxiliaryLoss(m, shape, logits, routing.probabilities);
    }
    g.holdUntilHere({logits});
    return routing;
}

}  // namespace fabricast
