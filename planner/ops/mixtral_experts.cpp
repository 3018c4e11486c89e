#include "planner/ops/dense_layer.h"
#include "planner/ops/rank_shape.h"

namespace fabricast {

namespace {

constexpr std::int64_t kMixtralIndexBytes = 8;
constexpr std::int64_t kScoreBytes = 4;

/// Softmax in fp32; the chosen scores are divided in place, which keeps a copy of them.
TensorId routerScores(OpBuilder& g, const MoeSpec& moe, std::int64_t tokens, TensorId x) {
    const std::int64_t hidden = g.info(x).elements / tokens;
    const int gate = g.weight("mlp.gate", moe.experts * hidden);
    const TensorId logits = g.cast(g.linear(x, gate, tokens * moe.experts), kScoreBytes);
    const TensorId scores = g.pointwise("softmax", {logits}, tokens * moe.experts, kScoreBytes, {});
    g.last().saved = {scores};
    const TensorId indices = g.fresh(tokens * moe.topK, kMixtralIndexBytes, false);
    g.push({.name = "topk indices", .outputs = {indices}});
    const TensorId chosen =
        g.pointwise("topk", {scores}, tokens * moe.topK, kScoreBytes, {indices});
    const TensorId sum = g.pointwise("sum", {chosen}, tokens, kScoreBytes, {});
    const TensorId copy = g.fresh(tokens * moe.topK, kScoreBytes, false);
    g.push({.name = "clone", .outputs = {copy}});
    return g.pointwise("divide", {chosen, sum}, tokens * moe.topK, kScoreBytes, {copy, sum});
}

/// What all experts read, and how many rows this one has.
struct ExpertRows {
    TensorId tokens = kNoTensor;
    TensorId scores = kNoTensor;
    std::int64_t count = 0;
};

struct ExpertWeights {
    int gateAndUp = 0;
    int down = 0;
};

/// One expert's rows: gathered, run, weighted, and added to the output.
TensorId oneExpert(OpBuilder& g,
                   const MoeSpec& moe,
                   const ExpertWeights& weights,
                   const ExpertRows& rows,
                   TensorId sum) {
    const std::int64_t width = g.info(rows.tokens).width;
    const std::int64_t hidden = g.weightAt(weights.down).elements / moe.experts / moe.expertWidth;
    const std::int64_t inner = rows.count * moe.expertWidth;
    const TensorId tokenIndex = g.fresh(rows.count, kMixtralIndexBytes, false);
    const TensorId position = g.fresh(rows.count, kMixtralIndexBytes, false);
    g.push({.name = "where", .outputs = {tokenIndex, position}});
    const TensorId state =
        g.pointwise("rows", {rows.tokens}, rows.count * hidden, width, {tokenIndex});
    const TensorId both = g.linear(state, weights.gateAndUp, 2 * inner);
    const auto halves = g.split(both, {inner, inner});
    const TensorId out =
        g.linear(g.multiply(g.silu(halves[0]), halves[1]), weights.down, rows.count * hidden);
    const TensorId picked =
        g.pointwise("row scores", {rows.scores}, rows.count, kScoreBytes, {tokenIndex, position});
    const TensorId weighted = g.cast(g.multiply(out, picked), width);
    // index_add_ writes into the sum and keeps what it adds.
    if (sum == kNoTensor) {
        sum = g.fresh(g.info(rows.tokens).elements, width);
        g.push({.name = "index_add",
                .inputs = {weighted},
                .outputs = {sum},
                .saved = {weighted, tokenIndex}});
        return sum;
    }
    const TensorId next = g.viewOf(sum, g.info(sum).elements);
    g.push({.name = "index_add",
            .inputs = {sum, weighted},
            .outputs = {next},
            .saved = {weighted, tokenIndex},
            .passesGradient = true});
    return next;
}

}  // namespace

TensorId mixtralExperts(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const MoeSpec& moe = *scenario.model.moe;
    const std::int64_t tokens = rankShape(scenario).tokens;
    const std::int64_t hidden = scenario.model.hidden;
    const TensorId scores = routerScores(g, moe, tokens, x);
    const ExpertWeights weights{
        g.weight("experts.gate_up_proj", moe.experts * 2 * moe.expertWidth * hidden),
        g.weight("experts.down_proj", moe.experts * moe.expertWidth * hidden)};
    const std::int64_t all = tokens * moe.topK;
    TensorId sum = kNoTensor;
    for (std::int64_t expert = 0; expert < moe.experts; ++expert) {
        const std::int64_t count = all * (expert + 1) / moe.experts - all * expert / moe.experts;
        if (count > 0) {
            sum = oneExpert(g, moe, weights, {x, scores, count}, sum);
        }
    }
    return sum;
}

}  // namespace fabricast
