#include "planner/ops/dense_layer.h"
#include "planner/ops/embedding_and_head.h"
#include "planner/ops/megatron_layer.h"
#include "planner/ops/megatron_vocab.h"

#include <vector>

namespace fabricast {

namespace {

constexpr std::int64_t kIdBytes = 8;
constexpr std::int64_t kPredictionFloat = 4;

TensorId perToken(MegatronCode& m, std::string_view name, TensorId from) {
    const TensorId made = m.g.fresh(m.shape.tokens, kIdBytes, false);
    Op op{.kind = OpKind::Copy, .name = name, .outputs = {made}};
    if (from != kNoTensor) {
        op.inputs = {from};
    }
    m.g.push(std::move(op));
    return made;
}

/// Ids and positions, moved by one token at each depth.
struct Shifted {
    TensorId ids = kNoTensor;
    TensorId positions = kNoTensor;
};

/// The kernel reads its gradient, a strided view, through a copy.
TensorId normOfHalf(MegatronCode& m, TensorId x, std::string_view name) {
    const TensorId out = megatronNorm(m, x, name);
    m.g.last().backwardTemps = {m.g.info(x).bytes};
    return out;
}

TensorId renamed(MegatronCode& m, std::string_view name, TensorId x, bool passesGradient) {
    const TensorId view = m.g.viewOf(x, m.g.info(x).elements);
    m.g.push({.kind = OpKind::Copy,
              .name = name,
              .inputs = {x},
              .outputs = {view},
              .passesGradient = passesGradient});
    return view;
}

/// One depth: hidden states and embeddings, each normed, side by side through one matrix and one
/// layer of the last layer's kind. Full recompute covers all but the embedding.
TensorId predictFurther(MegatronCode& m, TensorId hidden, TensorId embedded) {
    OpBuilder& g = m.g;
    const ModelSpec& model = m.scenario.model;
    const int block = g.openBlock(m.scenario.settings.recompute.kind == Checkpointing::Full);
    const TensorId token = normOfHalf(m, embedded, "enorm");
    const TensorId state = normOfHalf(m, hidden, "hnorm");
    const TensorId both = joined(m, {token, state});
    TensorId x = columnParallel(
        m,
        both,
        {.name = "eh_proj", .inputs = 2 * model.hidden, .outputs = model.hidden / m.shape.tp});
    if (m.shape.tp > 1) {
        x = gatherColumns(m, x);
    }
    if (m.shape.sp) {
        x = scatterRows(m, x);
    }
    g.holdUntilHere({token});
    x = megatronLayerOps(m, x, model.isSparse(model.layers - 1));
    x = megatronNorm(m, x, "final_layernorm");
    g.closeBlock(block);
    return x;
}

/// Hidden states of every depth, joined along the sequence.
TensorId allDepths(MegatronCode& m, TensorId hidden) {
    OpBuilder& g = m.g;
    TensorIds states{renamed(m, "chunk", hidden, false)};
    const int table = tokenTable(m, true);
    Shifted shifted;
    for (std::int64_t depth = 0; depth < m.scenario.model.mtpDepth; ++depth) {
        shifted.ids = perToken(m, "roll", shifted.ids);
        shifted.positions = perToken(m, "roll", shifted.positions);
        const TensorId embedded =
            embedTokens(m, {.table = table, .ids = shifted.ids, .defersGradient = depth > 0});
        states.push_back(predictFurther(m, renamed(m, "viewless", states.back(), true), embedded));
    }
    const TensorId all = joined(m, states);
    g.holdUntilHere({shifted.ids, shifted.positions});
    return all;
}

TensorId logitsOf(MegatronCode& m, TensorId hidden, int weight, bool defers) {
    const TensorId logits = columnParallel(m, hidden, weight, megatronLocalVocab(m.scenario));
    m.g.last().defersWeights = defers;
    return logits;
}

/// The depth's loss is masked and scaled, and hangs on the main hidden states until backward.
TensorId attachLoss(MegatronCode& m, TensorId hidden, TensorId masked) {
    const TensorId scaled = m.g.pointwise("scale", {masked}, m.shape.tokens, kPredictionFloat, {});
    m.g.last().forwardTemps = {m.g.info(scaled).bytes};
    m.g.last().backwardTemps = {m.g.info(scaled).bytes};
    const TensorId view = m.g.viewOf(hidden, m.g.info(hidden).elements);
    m.g.push({.kind = OpKind::Copy,
              .name = "attach loss",
              .inputs = {hidden, scaled},
              .outputs = {view},
              .saved = {scaled},
              .backwardTemps = {m.g.info(scaled).bytes},
              .passesGradient = true});
    return view;
}

}  // namespace

OpList megatronPredictions(const Scenario& scenario) {
    OpBuilder g(builderOptions(scenario));
    MegatronCode m = megatronCode(g, scenario);
    const std::int64_t elements = m.shape.localTokens * scenario.model.hidden;
    const TensorId x = g.input(elements, residualWidth(scenario.settings));
    const TensorId all = allDepths(m, x);
    const std::int64_t depths = scenario.model.mtpDepth;
    const auto parts =
        g.split(all, std::vector<std::int64_t>(static_cast<std::size_t>(depths) + 1, elements));
    TensorId hidden = parts.front();
    TensorId labels = perToken(m, "labels", kNoTensor);
    TensorId mask = perToken(m, "loss mask", kNoTensor);
    const int weight = outputWeight(m);
    TensorIds variables;
    for (std::int64_t depth = 0; depth < depths; ++depth) {
        const TensorId logits =
            logitsOf(m, parts[static_cast<std::size_t>(depth) + 1], weight, depth > 0);
        labels = perToken(m, "roll", labels);
        mask = perToken(m, "roll", mask);
        const TensorId loss = vocabParallelLoss(m, logits);
        const TensorId masked =
            g.pointwise("mask loss", {loss}, m.shape.tokens, kPredictionFloat, {mask});
        hidden = attachLoss(m, hidden, masked);
        variables = {labels, logits, masked};
    }
    const TensorId logits = logitsOf(m, hidden, weight, true);
    const TensorId loss = vocabParallelLoss(m, logits);
    variables.push_back(logits);
    g.holdUntilHere(variables);
    return g.finish(loss);
}

}  // namespace fabricast
