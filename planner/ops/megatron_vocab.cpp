#include "planner/ops/megatron_vocab.h"

#include "planner/base/integers.h"
#include "planner/ops/dense_layer.h"
#include "planner/ops/trained_weights.h"

#include <algorithm>
#include <vector>

namespace fabricast {

namespace {

/// Split over tp, the table's own rows are picked by a mask and shifted ids.
constexpr std::int64_t kPickBytes = 9;
/// Up to this many rows, the embedding's backward writes straight into the gradient.
constexpr std::int64_t kDirectRows = 3072;
/// Beyond it, rows are sorted and summed by tens in fp32 first.
constexpr std::int64_t kRowsPerPartial = 10;

ByteList lookupBackward(std::int64_t rows, std::int64_t tableRows, std::int64_t hidden) {
    if (rows <= kDirectRows) {
        return {};
    }
    return {4 * hidden * (rows / kRowsPerPartial + std::min(rows, tableRows))};
}

TensorId lookUp(MegatronCode& m, int table, bool split, TensorId ids) {
    const std::int64_t hidden = m.scenario.model.hidden;
    const std::int64_t tableRows = m.g.weightAt(table).elements / hidden;
    const TensorId picked = m.g.fresh(split ? m.shape.tokens : 0, kPickBytes, false);
    const bool trained = m.g.weightAt(table).trained;
    const TensorId out = m.g.fresh(m.shape.tokens * hidden,
                                   residualWidth(m.scenario.settings),
                                   trained || asksForInputGradient(m.scenario));
    const bool keepsIds = ids != kNoTensor && !split;
    m.g.push({.kind = OpKind::Lookup,
              .name = m.g.weightAt(table).name,
              .outputs = {picked, out},
              .saved = trained ? TensorIds{keepsIds ? ids : picked} : TensorIds{},
              .weights = {table},
              .backwardTemps = lookupBackward(m.shape.tokens, tableRows, hidden)});
    return out;
}

/// Labels, their mask and shifted copy are kept; a row's maximum, sum and logarithm are not.
constexpr std::int64_t kMaskBytes = 1;
constexpr std::int64_t kTargetBytes = 8;
constexpr std::int64_t kLossFloat = 4;

}  // namespace

int tokenTable(MegatronCode& m, bool again) {
    const std::int64_t rows = megatronLocalVocab(m.scenario);
    const int table = m.g.weight("word_embeddings", rows * m.scenario.model.hidden);
    m.g.weightAt(table).ownGradient = true;
    m.g.weightAt(table).tied = again && m.scenario.layout.pp == 1;
    return table;
}

/// The lookup is laid out sequence first. Alone, it is scattered over the sequence at once; with
/// positions, their sum is split.
TensorId embedTokens(MegatronCode& m, const EmbeddingUse& use) {
    OpBuilder& g = m.g;
    const std::int64_t hidden = m.scenario.model.hidden;
    const std::int64_t local = m.shape.localTokens * hidden;
    const std::int64_t width = residualWidth(m.scenario.settings);
    const bool learned = m.scenario.model.position == PositionKind::Learned;
    const TensorId words = lookUp(m, use.table, m.shape.tp > 1, use.ids);
    g.last().defersWeights = use.defersGradient;
    TensorId x = words;
    TensorIds parts{words};
    if (learned) {
        const int positions =
            g.weight("position_embeddings", m.scenario.model.learnedPositions * hidden);
        parts.push_back(lookUp(m, positions, false, kNoTensor));
        x = g.add(parts[0], parts[1]);
    }
    if (m.shape.batch > 1) {
        x = g.pointwise("contiguous", {x}, m.shape.tokens * hidden, width, {});
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
    return x;
}

int outputWeight(MegatronCode& m) {
    const int weight = megatronWeight(m,
                                      {.name = "output_layer",
                                       .inputs = m.scenario.model.hidden,
                                       .outputs = megatronLocalVocab(m.scenario)});
    const bool sharesTable = m.scenario.layout.pp == 1 || m.scenario.model.mtpDepth > 0;
    m.g.weightAt(weight).tied = m.scenario.model.tiedEmbeddings && sharesTable;
    return weight;
}

TensorId vocabParallelLoss(MegatronCode& m, TensorId logits) {
    const std::int64_t rows = m.shape.tokens;
    const TensorId probabilities = m.g.cast(logits, kLossFloat);
    if (probabilities != logits) {  // fp32 logits are taken as they are
        m.g.last().kind = OpKind::Loss;
    }
    const TensorId targets = m.g.fresh(rows, kMaskBytes + kTargetBytes, false);
    const TensorId loss = m.g.fresh(rows, kLossFloat);
    m.g.push({.kind = OpKind::Loss,
              .name = "vocab_parallel_cross_entropy",
              .inputs = {probabilities},
              .outputs = {targets, loss},
              .saved = {probabilities, targets},
              .forwardTemps = {4 * kLossFloat * rows},
              .backwardTemps = {(kTargetBytes + 2 * kLossFloat) * rows},
              .gradientsOver = {probabilities}});
    return loss;
}

namespace {}  // namespace

bool isMegatronCode(const Scenario& scenario) {
    const ModelCode code = scenario.settings.kernels.code;
    return code == ModelCode::Megatron || code == ModelCode::TransformerEngine;
}

std::int64_t megatronLocalVocab(const Scenario& scenario) {
    const std::int64_t tp = scenario.layout.tp;
    return roundUp(scenario.model.vocab, scenario.settings.megatron.vocabPadding * tp) / tp;
}

OpList megatronEmbedding(const Scenario& scenario) {
    OpBuilder g(builderOptions(scenario));
    MegatronCode m = megatronCode(g, scenario);
    return g.finish(embedTokens(m, {.table = tokenTable(m, false)}));
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
    return g.finish(columnParallel(m, x, outputWeight(m), rows));
}

OpList megatronLoss(const Scenario& scenario) {
    OpBuilder g(builderOptions(scenario));
    MegatronCode m = megatronCode(g, scenario);
    const TensorId logits = g.input(m.shape.tokens * megatronLocalVocab(scenario),
                                    bytesPerElement(scenario.settings.precision.compute));
    return g.finish(vocabParallelLoss(m, logits));
}

}  // namespace fabricast
