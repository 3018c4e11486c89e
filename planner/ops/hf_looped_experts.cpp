#include "planner/ops/hf_moe.h"

#include <algorithm>

namespace fabricast {

namespace {

constexpr std::int64_t kRowIndexBytes = 8;

/// One matrix of a stack: autograd keeps the activation, and the copy that autocast makes of it.
TensorId oneOfStack(OpBuilder& g, TensorId x, int weight, std::int64_t elements, StackUse stack) {
    const WeightUse use = g.weightAt(weight);
    const std::int64_t width = g.options().computeWidth;
    TensorId copy = kNoTensor;
    if (g.options().autocast && use.widthOr(g.options().storedWidth) != width) {
        copy = g.fresh(use.elements / use.experts, width, false);
        g.push({.kind = OpKind::Copy, .name = "cast_weight", .outputs = {copy}});
    }
    const TensorId out = g.linear(x, weight, elements);
    Op& op = g.last();
    op.stack = stack;
    if (copy != kNoTensor) {
        op.inputs.push_back(copy);
        op.saved.push_back(copy);
    }
    return out;
}

/// The bias of one expert, of the stack of all, added to its rows; backward sums over them.
TensorId addOneBias(OpBuilder& g, TensorId x, int bias, StackUse stack) {
    if (bias < 0) {
        return x;
    }
    const WeightUse& use = g.weightAt(bias);
    const std::int64_t stored = g.readWidth(use.widthOr(g.options().storedWidth));
    const std::int64_t width = std::max(g.info(x).width, stored);
    const bool graph = g.info(x).requiresGrad || use.trained;
    const TensorId out = g.fresh(g.info(x).elements, width, graph);
    g.push({.name = "add",
            .inputs = {x},
            .outputs = {out},
            .weights = {bias},
            .passesGradient = true,
            .stack = stack});
    return out;
}

/// One expert's rows: gathered, run, weighted, and added to the output.
TensorId oneExpert(OpBuilder& g,
                   const MoeSpec& moe,
                   const HfExpertStacks& weights,
                   const HfRouting& routing,
                   std::int64_t count,
                   TensorId sum) {
    const std::int64_t width = g.info(routing.tokens).width;
    const std::int64_t hidden = g.weightAt(weights.down).elements / moe.experts / moe.expertWidth;
    const std::int64_t inner = count * moe.expertWidth;
    const StackUse stack = sum == kNoTensor ? StackUse::FirstOne : StackUse::One;
    const TensorId tokenIndex = g.fresh(count, kRowIndexBytes, false);
    const TensorId position = g.fresh(count, kRowIndexBytes, false);
    g.push({.name = "where", .outputs = {tokenIndex, position}});
    const TensorId state =
        g.pointwise("rows", {routing.tokens}, count * hidden, width, {tokenIndex});
    const TensorId both = addOneBias(
        g, oneOfStack(g, state, weights.gateAndUp, 2 * inner, stack), weights.gateAndUpBias, stack);
    const TensorId gated = hfGated(g, moe, both, inner);
    const TensorId out = addOneBias(
        g, oneOfStack(g, gated, weights.down, count * hidden, stack), weights.downBias, stack);
    const TensorId picked = g.pointwise("row scores",
                                        {routing.scores},
                                        count,
                                        g.info(routing.scores).width,
                                        {tokenIndex, position});
    const TensorId weighted = g.cast(g.multiply(out, picked), width);
    // index_add_ writes into the sum and keeps what it adds.
    if (sum == kNoTensor) {
        sum = g.fresh(g.info(routing.tokens).elements, width);
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

TensorId hfLoopedExperts(OpBuilder& g,
                         const Scenario& scenario,
                         const HfExpertStacks& weights,
                         const HfRouting& routing) {
    const MoeSpec& moe = *scenario.model.moe;
    const std::int64_t all = g.info(routing.indices).elements;
    TensorId sum = kNoTensor;
    for (std::int64_t expert = 0; expert < moe.experts; ++expert) {
        const std::int64_t count = all * (expert + 1) / moe.experts - all * expert / moe.experts;
        if (count > 0) {
            sum = oneExpert(g, moe, weights, routing, count, sum);
        }
    }
    return sum;
}

}  // namespace fabricast
