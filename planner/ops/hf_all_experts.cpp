#include "planner/ops/hf_code.h"
#include "planner/ops/hf_moe.h"

namespace fabricast {

namespace {

constexpr std::int64_t kWideScore = 4;
constexpr std::int64_t kPlaceBytes = 8;

/// torch.bmm of every expert's rows with its matrix. Autocast casts the stack as it does any
/// weight.
TensorId batchedProduct(OpBuilder& g, TensorId x, int weight, std::int64_t elements) {
    const TensorId read = g.options().autocast ? g.cast(x, g.options().computeWidth) : x;
    const WeightUse& use = g.weightAt(weight);
    const bool graph = g.info(read).requiresGrad || use.trained;
    const TensorId out = g.fresh(elements, g.info(read).width, graph);
    Op op{.kind = OpKind::Gemm, .name = use.name, .inputs = {read}, .outputs = {out}};
    if (use.trained) {
        op.saved = {read};
    }
    op.weights = {weight};
    g.push(std::move(op));
    return out;
}

/// The chosen logits among -inf, as sigmoids: those of the others are 0.
HfRouting scoreEvery(OpBuilder& g, const Scenario& scenario, int weight, TensorId x) {
    const MoeSpec& moe = *scenario.model.moe;
    const std::int64_t tokens = g.info(x).elements / scenario.model.hidden;
    const std::int64_t all = tokens * moe.experts;
    const std::int64_t chosen = tokens * moe.topK;
    HfRouting out{.tokens = x};
    g.enterModule();
    g.claimWeight(weight);
    out.logits = g.linear(x, weight, all);
    const std::int64_t width = g.info(out.logits).width;
    const TensorId indices = g.fresh(chosen, kPlaceBytes, false);
    const TensorId highest = g.pointwise("topk", {out.logits}, chosen, width, {indices});
    g.last().outputs.push_back(indices);
    const TensorId filled = g.pointwise("scatter", {highest}, all, width, {indices});
    const TensorId wide = g.cast(filled, kWideScore);
    const TensorId open = g.pointwise("sigmoid", {wide}, all, kWideScore, {});
    if (g.info(open).requiresGrad) {
        g.last().saved = {open};
    }
    out.scores = g.cast(open, width);
    g.holdUntilHere({highest, indices});
    g.leaveModule();
    return out;
}

/// All rows for each expert, times its score.
TensorId repeatForExperts(OpBuilder& g, const MoeSpec& moe, const HfRouting& routing) {
    const TensorInfo in = g.info(routing.tokens);
    const TensorInfo scores = g.info(routing.scores);
    const TensorId rows =
        g.pointwise("repeat", {routing.tokens}, moe.experts * in.elements, in.width, {});
    const TensorId column =
        g.pointwise("contiguous", {routing.scores}, scores.elements, scores.width, {});
    g.last().passesGradient = true;
    return g.multiply(rows, column);
}

TensorId everyExpert(OpBuilder& g,
                     const MoeSpec& moe,
                     const HfExpertStacks& weights,
                     std::int64_t hidden,
                     TensorId rows) {
    const std::int64_t inner = g.info(rows).elements / hidden * moe.expertWidth;
    g.enterModule();
    g.claimWeight(weights.gateAndUp);
    g.claimWeight(weights.down);
    const TensorId both = batchedProduct(g, rows, weights.gateAndUp, 2 * inner);
    const auto halves = g.split(both, {inner, inner});
    g.enterModule();
    const TensorId gate = g.silu(halves[0]);
    g.leaveModule();
    const TensorId gated = g.multiply(halves[1], gate);
    const TensorId out = batchedProduct(g, gated, weights.down, g.info(rows).elements);
    g.holdUntilHere({both});
    g.leaveModule();
    return out;
}

}  // namespace

HfMoe hfAllExperts(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const MoeSpec& moe = *scenario.model.moe;
    const std::int64_t hidden = scenario.model.hidden;
    g.enterModule();
    HfExpertStacks weights;
    const auto stack = [&](std::string_view name, std::int64_t rows, std::int64_t columns) {
        const int weight = g.matrix(name, moe.experts * rows, columns);
        g.weightAt(weight).experts = moe.experts;
        return weight;
    };
    weights.gateAndUp = stack("experts.gate_proj", 2 * moe.expertWidth, hidden);
    weights.down = stack("experts.down_proj", hidden, moe.expertWidth);
    const int router = g.matrix("router", moe.experts, hidden);
    const HfRouting routing = scoreEvery(g, scenario, router, x);
    const TensorId rows = repeatForExperts(g, moe, routing);
    const TensorId routed = everyExpert(g, moe, weights, hidden, rows);
    const TensorId shared = hfShared(g, scenario, x);
    const TensorInfo sum = g.info(shared);
    const TensorId added =
        g.pointwise("sum of experts", {routed}, sum.elements, g.info(routed).width, {});
    const TensorId out = g.viewOf(shared, sum.elements);
    g.push({.name = "add", .inputs = {shared, added}, .outputs = {out}, .passesGradient = true});
    g.holdUntilHere({routing.logits, routing.scores, rows, routed});
    g.leaveModule();
    return {out, routing.logits};
}

}  // namespace fabricast
