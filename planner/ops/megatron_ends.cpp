#include "planner/ops/megatron_ends.h"

#include "planner/ops/dense_layer.h"
#include "planner/ops/megatron_linear.h"

#include <algorithm>

namespace fabricast {

namespace {

/// Split over tp, the table's own rows are picked by a mask and shifted ids.
constexpr std::int64_t kPickBytes = 9;
/// Up to this many rows, the embedding's backward writes straight into the gradient.
constexpr std::int64_t kDirectRows = 3072;
/// Beyond it, rows are sorted and summed by tens in fp32 first.
constexpr std::int64_t kRowsPerPartial = 10;

std::int64_t roundUp(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}

std::vector<std::int64_t> lookupBackward(std::int64_t rows,
                                         std::int64_t tableRows,
                                         std::int64_t hidden) {
    if (rows <= kDirectRows) {
        return {};
    }
    return {4 * hidden * (rows / kRowsPerPartial + std::min(rows, tableRows))};
}

TensorId lookUp(MegatronCode& m, std::string_view name, std::int64_t tableRows, bool split) {
    const std::int64_t hidden = m.scenario.model.hidden;
    const int table = m.g.weight(name, tableRows * hidden);
    const TensorId picked = m.g.fresh(split ? m.shape.tokens : 0, kPickBytes, false);
    const TensorId out = m.g.fresh(m.shape.tokens * hidden, residualWidth(m.scenario.settings));
    m.g.push({.kind = OpKind::Lookup,
              .name = name,
              .outputs = {picked, out},
              .saved = {picked},
              .weights = {table},
              .backwardTemps = lookupBackward(m.shape.tokens, tableRows, hidden)});
    return out;
}

/// Labels, their mask and shifted copy are kept; a row's maximum, sum and logarithm are not.
constexpr std::int64_t kMaskBytes = 1;
constexpr std::int64_t kTargetBytes = 8;
constexpr std::int64_t kFloat = 4;

TensorId vocabParallelLoss(MegatronCode& m, TensorId logits) {
    const std::int64_t rows = m.shape.tokens;
    const TensorId probabilities = m.g.cast(logits, kFloat);
    if (probabilities != logits) {  // fp32 logits are taken as they are
        m.g.last().kind = OpKind::Loss;
    }
    const TensorId targets = m.g.fresh(rows, kMaskBytes + kTargetBytes, false);
    const TensorId loss = m.g.fresh(rows, kFloat);
    m.g.push({.kind = OpKind::Loss,
              .name = "vocab_parallel_cross_entropy",
              .inputs = {probabilities},
              .outputs = {targets, loss},
              .saved = {probabilities, targets},
              .forwardTemps = {4 * kFloat * rows},
              .backwardTemps = {(kTargetBytes + 2 * kFloat) * rows},
              .gradientOver = probabilities});
    return loss;
}

}  // namespace

bool isMegatronCode(const Scenario& scenario) {
    const ModelCode code = scenario.settings.kernels.code;
    return code == ModelCode::Megatron || code == ModelCode::TransformerEngine;
}

std::int64_t megatronLocalVocab(const Scenario& scenario) {
    const std::int64_t tp = scenario.layout.tp;
    return roundUp(scenario.model.vocab, scenario.settings.megatron.vocabPadding * tp) / tp;
}

/// The lookup is laid out sequence first and reduced over tp. Alone, it is scattered over the
/// sequence at once; with positions, their sum is cut.
OpList megatronEmbedding(const Scenario& scenario) {
    OpBuilder g(builderOptions(scenario));
    MegatronCode m = megatronCode(g, scenario);
    const std::int64_t whole = m.shape.tokens * scenario.model.hidden;
    const std::int64_t local = m.shape.localTokens * scenario.model.hidden;
    const std::int64_t width = residualWidth(scenario.settings);
    const bool learned = scenario.model.position == PositionKind::Learned;
    const TensorId words =
        lookUp(m, "word_embeddings", megatronLocalVocab(scenario), m.shape.tp > 1);
    TensorId x = words;
    std::vector<TensorId> parts{words};
    if (learned) {
        parts.push_back(lookUp(m, "position_embeddings", scenario.model.learnedPositions, false));
        x = g.add(parts[0], parts[1]);
    }
    if (m.shape.batch > 1) {
        x = g.pointwise("contiguous", {x}, whole, width, {});
    }
    if (m.shape.sp && !learned) {
        x = g.pointwise("reduce_scatter", {x}, local, width, {});
        g.last().kind = OpKind::Collective;
    }
    if (m.shape.sp) {  // a copy, so that the whole tensor can be freed
        x = g.pointwise("clone", {x}, local, width, {});
    }
    x = dropout(m, x);
    if (learned) {
        g.holdUntilHere(parts);
    }
    return g.finish(x);
}

OpList megatronFinalNorm(const Scenario& scenario) {
    OpBuilder g(builderOptions(scenario));
    MegatronCode m = megatronCode(g, scenario);
    const TensorId x =
        g.input(m.shape.localTokens * scenario.model.hidden, residualWidth(scenario.settings));
    return g.finish(megatronNorm(m, x, "final_layernorm"));
}

OpList megatronHead(const Scenario& scenario) {
    OpBuilder g(builderOptions(scenario));
    MegatronCode m = megatronCode(g, scenario);
    const TensorId x =
        g.input(m.shape.localTokens * scenario.model.hidden, residualWidth(scenario.settings));
    const std::int64_t rows = megatronLocalVocab(scenario);
    const int weight = megatronWeight(
        m, {.name = "output_layer", .inputs = scenario.model.hidden, .outputs = rows});
    g.weightAt(weight).tied = scenario.model.tiedEmbeddings && scenario.layout.pp == 1;
    return g.finish(columnParallel(m, x, weight, rows));
}

OpList megatronLoss(const Scenario& scenario) {
    OpBuilder g(builderOptions(scenario));
    MegatronCode m = megatronCode(g, scenario);
    const TensorId logits = g.input(m.shape.tokens * megatronLocalVocab(scenario),
                                    bytesPerElement(scenario.settings.precision.compute));
    return g.finish(vocabParallelLoss(m, logits));
}

}  // namespace fabricast
