#include "planner/ops/expert_layers.h"

namespace fabricast {

namespace {

constexpr std::int64_t kAutoEpScoreBytes = 4;
constexpr std::int64_t kAutoEpIndexBytes = 8;
constexpr std::int64_t kAutoEpCountBytes = 4;

/// Divided by their sum, to which a small number is added.
TensorId shareOfSum(OpBuilder& g, TensorId values, std::int64_t tokens) {
    const TensorId sum = g.pointwise("sum", {values}, tokens, kAutoEpScoreBytes, {});
    const TensorId bounded = g.pointwise("add", {sum}, tokens, kAutoEpScoreBytes, {});
    g.last().passesGradient = true;
    const TensorId out = g.pointwise(
        "divide", {values, bounded}, g.info(values).elements, kAutoEpScoreBytes, {values, bounded});
    g.holdUntilHere({bounded});
    return out;
}

}  // namespace

AutoEpRouting autoEpRoute(
    OpBuilder& g, const Scenario& scenario, const HfRouter& code, int weight, TensorId tokens) {
    const MoeSpec& moe = *scenario.model.moe;
    const std::int64_t rows = g.info(tokens).elements / scenario.model.hidden;
    const std::int64_t chosen = rows * moe.topK;
    g.enterModule();
    g.enterModule();
    g.claimWeight(weight);
    const TensorId logits = g.linear(tokens, weight, rows * moe.experts);
    g.leaveModule();
    const TensorId wide = g.cast(logits, kAutoEpScoreBytes);
    const TensorId scores =
        g.pointwise("softmax", {wide}, rows * moe.experts, kAutoEpScoreBytes, {});
    g.last().saved = {scores};
    g.holdUntilHere({logits});
    AutoEpRouting out;
    out.indices = g.fresh(chosen, kAutoEpIndexBytes, false);
    const TensorId values = g.fresh(chosen, kAutoEpScoreBytes, false);
    g.push({.name = "topk", .outputs = {values, out.indices}});
    const TensorId gathered =
        g.pointwise("gather", {scores}, chosen, kAutoEpScoreBytes, {out.indices});
    const TensorId shares = code.normalises ? shareOfSum(g, gathered, rows) : gathered;
    out.scores = g.pointwise("scale", {shares}, chosen, kAutoEpScoreBytes, {});
    const TensorId counts = g.fresh(moe.experts, kAutoEpCountBytes, false);
    g.push({.name = "rows of experts",
            .outputs = {counts},
            .forwardTemps = {chosen * kAutoEpCountBytes}});
    g.holdUntilHere({scores, values, shares});
    g.leaveModule();
    return out;
}

}  // namespace fabricast
