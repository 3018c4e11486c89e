#include "planner/ops/embedding_and_head.h"

#include "planner/ops/dense_layer.h"
#include "planner/ops/hf_code.h"
#include "planner/ops/liger.h"
#include "planner/ops/lora_linear.h"
#include "planner/ops/megatron_vocab.h"
#include "planner/ops/op_builder.h"
#include "planner/ops/rank_shape.h"
#include "planner/ops/trained_weights.h"

#include <utility>

namespace fabricast {

namespace {

constexpr std::int64_t kIdWidth = 8;

std::int64_t localVocab(const Scenario& scenario) {
    return scenario.model.vocab / scenario.layout.tp;
}

/// Log-softmax keeps its own result; the label loss reads the same storage, and keeps the labels
/// and one number, the sum of their weights.
TensorId crossEntropy(OpBuilder& g, TensorId logits, std::int64_t labels) {
    const TensorInfo in = g.info(logits);
    const TensorId logProbabilities =
        g.pointwise("log_softmax", {logits}, in.elements, in.width, {});
    g.last().kind = OpKind::Loss;
    g.last().saved = {logProbabilities};
    const TensorId loss =
        g.pointwise("nll_loss", {logProbabilities}, 1, in.width, {logProbabilities});
    g.last().kind = OpKind::Loss;
    g.last().idBytes = kIdWidth * labels + in.width;
    return loss;
}

/// Each tp rank holds V/t logits; log-probabilities are kept, and the backward forms the one-hot
/// gradient, the softmax and their sum before the result.
TensorId vocabParallelCrossEntropy(OpBuilder& g, TensorId logits) {
    const std::int64_t elements = g.info(logits).elements;
    const std::int64_t bytes = elements * 4;
    const TensorId logProbabilities = g.fresh(elements, 4, false);
    const TensorId loss = g.fresh(1, 4);
    g.push({.kind = OpKind::Loss,
            .name = "vocab_parallel_cross_entropy",
            .inputs = {logits},
            .outputs = {logProbabilities, loss},
            .saved = {logProbabilities},
            .forwardTemps = {bytes},
            .backwardTemps = {bytes, bytes}});
    return loss;
}

/// Loss of `tokens` logit rows.
OpList lossOf(const Scenario& scenario, std::int64_t tokens) {
    OpBuilder g(builderOptions(scenario));
    const std::int64_t width = bytesPerElement(scenario.settings.precision.compute);
    TensorId logits = g.input(tokens * localVocab(scenario), width);
    if (scenario.settings.kernels.loss != LossKernel::LogitsDtype) {
        logits = g.cast(logits, 4);
    }
    if (scenario.layout.tp > 1) {
        return g.finish(vocabParallelCrossEntropy(g, logits));
    }
    return g.finish(crossEntropy(g, logits, tokens));
}

OpList headOf(const Scenario& scenario, std::int64_t tokens, TensorId x, OpBuilder g) {
    const int weight = headTable(g, scenario);
    g.enterModule();
    g.claimWeight(weight);
    const TensorId logits = g.linear(x, weight, tokens * localVocab(scenario));
    g.leaveModule();
    if (hfCodeOf(scenario).scalesLogits) {
        return g.finish(
            g.pointwise("scale", {logits}, g.info(logits).elements, g.info(logits).width, {}));
    }
    return g.finish(hfCodeOf(scenario).capsLogits ? g.capped(logits) : logits);
}

}  // namespace

int headTable(OpBuilder& g, const Scenario& scenario) {
    const LinearSite site{
        .name = "lm_head", .in = scenario.model.hidden, .out = localVocab(scenario)};
    const bool tied = scenario.model.tiedEmbeddings && scenario.layout.pp == 1;
    if (trainsCopy(scenario.settings, "lm_head")) {
        return declareCopy(g, scenario.settings.lora, site, tied);
    }
    const int weight = g.matrix(site.name, site.out, site.in);
    g.weightAt(weight).tied = tied;
    return weight;
}

OpList embeddingSegment(const Scenario& scenario) {
    if (isMegatronCode(scenario)) {
        return megatronEmbedding(scenario);
    }
    OpBuilder g(embeddingOptions(scenario));
    const RankShape shape = rankShape(scenario);
    const LinearSite site{
        .name = "tok_embeddings", .in = scenario.model.hidden, .out = localVocab(scenario)};
    const int table = trainsCopy(scenario.settings, "embed_tokens")
                          ? declareCopy(g, scenario.settings.lora, site, false)
                          : g.matrix(site.name, site.out, site.in);
    g.enterModule();
    g.claimWeight(table);
    g.weightAt(table).cast = false;  // a lookup reads the stored type
    const bool wanted = g.weightAt(table).trained || asksForInputGradient(scenario);
    const TensorId out =
        g.fresh(shape.tokens * scenario.model.hidden, residualWidth(scenario.settings), wanted);
    g.push({.kind = OpKind::Lookup,
            .name = "embedding",
            .outputs = {out},
            .weights = {table},
            .idBytes = kIdWidth * shape.tokens});
    g.leaveModule();
    TensorId x = out;
    if (hfCodeOf(scenario).scalesEmbedding) {
        x = g.pointwise("scale", {out}, g.info(out).elements, g.info(out).width, {});
    }
    if (scenario.model.position == PositionKind::Learned) {
        g.enterModule();
        const int positions =
            g.matrix("positions", scenario.model.learnedPositions, scenario.model.hidden);
        g.weightAt(positions).cast = false;
        const TensorId rows = g.fresh(shape.sequence * scenario.model.hidden, g.info(out).width);
        g.push({.kind = OpKind::Lookup,
                .name = "positions",
                .outputs = {rows},
                .weights = {positions},
                .idBytes = kIdWidth * shape.sequence});
        g.leaveModule();
        x = callDropout(g, scenario, g.add(out, rows));
    }
    if (shape.sp) {
        const TensorInfo in = g.info(x);
        const TensorId scattered = g.fresh(in.elements / shape.tp, in.width, in.requiresGrad);
        g.push({.kind = OpKind::Collective,
                .name = "reduce_scatter",
                .inputs = {x},
                .outputs = {scattered}});
        x = scattered;
    }
    return g.finish(x);
}

OpList finalNormSegment(const Scenario& scenario) {
    if (isMegatronCode(scenario)) {
        return megatronFinalNorm(scenario);
    }
    OpBuilder g(builderOptions(scenario));
    const RankShape shape = rankShape(scenario);
    const TensorId x = g.input(shape.localTokens * scenario.model.hidden,
                               residualWidth(scenario.settings, scenario.model.layers));
    return g.finish(eagerNorm(g, scenario, x, "norm"));
}

OpList headSegment(const Scenario& scenario) {
    if (isMegatronCode(scenario)) {
        return megatronHead(scenario);
    }
    if (fusesLoss(scenario)) {
        return ligerHead(scenario);
    }
    OpBuilder g(headOptions(scenario));
    const RankShape shape = rankShape(scenario);
    TensorId x = g.input(shape.localTokens * scenario.model.hidden,
                         residualWidth(scenario.settings, scenario.model.layers));
    if (shape.sp) {
        const TensorId full = g.fresh(shape.tokens * scenario.model.hidden, g.info(x).width);
        g.push(
            {.kind = OpKind::Collective, .name = "all_gather", .inputs = {x}, .outputs = {full}});
        x = full;
    }
    return headOf(scenario, shape.tokens, x, std::move(g));
}

bool fusesLoss(const Scenario& scenario) {
    return scenario.settings.kernels.loss == LossKernel::Liger;
}

OpList headChunkSegment(const Scenario& scenario) {
    OpBuilder g(headOptions(scenario));
    const std::int64_t tokens = rankShape(scenario).tokens / scenario.settings.kernels.lossChunks;
    const TensorId x = g.input(tokens * scenario.model.hidden, residualWidth(scenario.settings));
    return headOf(scenario, tokens, x, std::move(g));
}

OpList lossSegment(const Scenario& scenario) {
    if (isMegatronCode(scenario)) {
        return megatronLoss(scenario);
    }
    return lossOf(scenario, rankShape(scenario).tokens);
}

OpList lossChunkSegment(const Scenario& scenario) {
    return lossOf(scenario, rankShape(scenario).tokens / scenario.settings.kernels.lossChunks);
}

}  // namespace fabricast
