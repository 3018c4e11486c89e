#include "planner/ops/hf_expert_adapters.h"
#include "planner/ops/hf_moe.h"

namespace fabricast {

namespace {

constexpr std::int64_t kHfScoreBytes = 4;
constexpr std::int64_t kHfIndexBytes = 8;
constexpr std::int64_t kBestOfGroup = 2;  ///< a group of experts is chosen by its two best

/// A product with a matrix that is no parameter: what adapters made of it, or a copy.
TensorId multiplyBy(
    OpBuilder& g, const HfGate& gate, TensorId x, TensorId matrix, std::int64_t elements) {
    const bool autocast = g.options().autocast;
    const TensorId read = autocast ? g.cast(x, g.options().computeWidth) : x;
    const TensorId factor = autocast ? g.cast(matrix, g.options().computeWidth) : matrix;
    const bool trained = gate.adapter != nullptr || g.weightAt(gate.weight).trained;
    const bool flows = g.info(x).requiresGrad;
    const TensorId out = g.fresh(elements, g.info(read).width, trained || flows);
    Op op{.kind = OpKind::Gemm, .name = "router", .inputs = {read, factor}, .outputs = {out}};
    if (trained) {
        op.saved.push_back(read);
    }
    if (flows) {
        op.saved.push_back(factor);
    }
    op.weights = {gate.weight};
    g.push(std::move(op));
    return out;
}

/// The router's product; adapted, it is with the sum of the frozen weight and its adapters.
TensorId hfLogits(
    OpBuilder& g, const HfGate& gate, std::int64_t elements, TensorId x, TensorIds& named) {
    if (gate.adapter == nullptr) {
        return g.linear(x, gate.weight, elements, gate.bias);
    }
    ParameterAdapter adapter = *gate.adapter;
    enterAdapter(g, adapter);
    const TensorId merged = mergedWeight(g, adapter);
    named.push_back(merged);
    return multiplyBy(g, gate, x, merged, elements);
}

/// F.linear(x.float(), weight.float())
TensorId hfWideLogits(
    OpBuilder& g, const HfGate& gate, std::int64_t elements, TensorId x, TensorIds& named) {
    const TensorId wide = g.cast(x, kHfScoreBytes);
    const std::int64_t stored = g.readWidth(g.options().storedWidth);
    if (gate.adapter != nullptr) {
        ParameterAdapter adapter = *gate.adapter;
        enterAdapter(g, adapter);
        const TensorId merged = mergedWeight(g, adapter);
        named.push_back(merged);
        return multiplyBy(g, gate, wide, g.cast(merged, kHfScoreBytes), elements);
    }
    if (stored == kHfScoreBytes) {
        return g.linear(wide, gate.weight, elements);
    }
    const TensorId copy = g.fresh(g.weightAt(gate.weight).elements, kHfScoreBytes, false);
    g.push({.kind = OpKind::Copy, .name = "cast_weight", .outputs = {copy}});
    return multiplyBy(g, gate, wide, copy, elements);
}

/// Divided by their sum in place, which keeps a copy of them.
TensorId hfNormalise(OpBuilder& g, TensorId values, std::int64_t tokens) {
    const std::int64_t chosen = g.info(values).elements;
    const TensorId sum = g.pointwise("sum", {values}, tokens, kHfScoreBytes, {});
    const TensorId copy = g.fresh(chosen, g.info(values).width, false);
    g.push({.name = "clone", .outputs = {copy}});
    const TensorId out = g.viewOf(values, chosen);
    g.push({.name = "divide",
            .inputs = {values, sum},
            .outputs = {out},
            .saved = g.info(values).requiresGrad ? TensorIds{copy, sum} : TensorIds{}});
    return out;
}

TensorId saveOwnResult(OpBuilder& g, TensorId result) {
    if (g.info(result).requiresGrad) {
        g.last().saved = {result};
    }
    return result;
}

/// The highest of each token, which backward puts in zeros.
TensorId hfHighest(OpBuilder& g, TensorId all, TensorId indices) {
    const TensorId out =
        g.pointwise("topk", {all}, g.info(indices).elements, g.info(all).width, {indices});
    g.last().outputs.push_back(indices);
    return out;
}

/// An fp32 softmax over all experts, of which the highest are chosen.
void scoreBySoftmax(OpBuilder& g, const HfRouter& code, std::int64_t tokens, HfRouting& out) {
    const TensorId wide = g.cast(out.logits, kHfScoreBytes);
    const TensorId all =
        saveOwnResult(g, g.pointwise("softmax", {wide}, g.info(wide).elements, kHfScoreBytes, {}));
    const TensorId values = hfHighest(g, all, out.indices);
    out.scores = code.normalises ? hfNormalise(g, values, tokens) : values;
    if (code.narrowsScores) {
        out.scores = g.cast(out.scores, g.info(out.logits).width);
    }
}

/// The highest logits, and a softmax over them in their type.
void scoreChosen(OpBuilder& g, const HfRouter& code, HfRouting& out) {
    const std::int64_t width = g.info(out.logits).width;
    if (code.scoring == HfScoring::SoftmaxOfWidened) {
        out.logits = g.cast(out.logits, kHfScoreBytes);
    }
    const TensorId values = hfHighest(g, out.logits, out.indices);
    const TensorInfo in = g.info(values);
    out.scores = saveOwnResult(g, g.pointwise("softmax", {values}, in.elements, in.width, {}));
    if (code.narrowsScores) {
        out.scores = g.cast(out.scores, width);
    }
}

/// What is only compared: no gradient reaches it.
TensorId compared(OpBuilder& g, std::string_view name, std::int64_t elements, std::int64_t width) {
    const TensorId out = g.fresh(elements, width, false);
    g.push({.name = name, .outputs = {out}});
    return out;
}

/// Sigmoids of all experts; chosen by their sums with a bias, in the groups with the best two.
void scoreBySigmoid(OpBuilder& g, std::int64_t tokens, HfRouting& out) {
    const std::int64_t all = g.info(out.logits).elements;
    const TensorId scores =
        saveOwnResult(g, g.pointwise("sigmoid", {out.logits}, all, g.info(out.logits).width, {}));
    const TensorId biased = compared(g, "biased", all, kHfScoreBytes);
    const TensorId best = compared(g, "best", tokens * kBestOfGroup, kHfScoreBytes);
    const TensorId groups = compared(g, "groups", tokens * (kHfIndexBytes + 1), 1);
    const TensorId mask = compared(g, "mask", all, kHfScoreBytes);
    const TensorId masked = compared(g, "masked_fill", all, kHfScoreBytes);
    g.last().inputs = {biased};
    g.last().forwardTemps = {all, all};
    g.push({.name = "topk", .outputs = {out.indices}});
    const std::int64_t chosen = g.info(out.indices).elements;
    const TensorId values =
        g.pointwise("gather", {scores}, chosen, g.info(scores).width, {out.indices});
    const TensorId normed = hfNormalise(g, values, tokens);
    out.scores = g.pointwise("scale", {normed}, chosen, g.info(normed).width, {});
    g.holdUntilHere({scores, best, groups, mask, masked});
}

/// The same of every expert, without groups.
void scoreBySigmoidOfAll(OpBuilder& g, std::int64_t tokens, HfRouting& out) {
    const std::int64_t all = g.info(out.logits).elements;
    const TensorId wide = g.cast(out.logits, kHfScoreBytes);
    const TensorId scores =
        saveOwnResult(g, g.pointwise("sigmoid", {wide}, all, kHfScoreBytes, {}));
    const TensorId biased = compared(g, "biased", all, kHfScoreBytes);
    const std::int64_t chosen = g.info(out.indices).elements;
    const TensorId best = compared(g, "topk", chosen, kHfScoreBytes);
    g.last().outputs.push_back(out.indices);
    const TensorId values = g.pointwise("gather", {scores}, chosen, kHfScoreBytes, {out.indices});
    out.scores = hfNormalise(g, values, tokens);
    g.holdUntilHere({scores, biased, best});
}

/// Softmax of all; where there are groups, those outside the best ones are filled with 0.
void scoreByGroups(OpBuilder& g, const MoeSpec& moe, HfRouting& out) {
    const std::int64_t all = g.info(out.logits).elements;
    const TensorId wide = g.cast(out.logits, kHfScoreBytes);
    TensorId scores = saveOwnResult(g, g.pointwise("softmax", {wide}, all, kHfScoreBytes, {}));
    if (moe.groups > 1) {
        const TensorId mask = compared(g, "mask", all, kHfScoreBytes);
        const TensorId outside = compared(g, "outside", all, 1);
        scores = g.pointwise("masked_fill", {scores}, all, kHfScoreBytes, {outside});
        g.holdUntilHere({mask});
    }
    const TensorId values = hfHighest(g, scores, out.indices);
    out.scores = g.pointwise("scale", {values}, g.info(values).elements, kHfScoreBytes, {});
}

}  // namespace

HfRouting hfRoute(
    OpBuilder& g, const Scenario& scenario, const HfRouter& code, const HfGate& gate, TensorId x) {
    const MoeSpec& moe = *scenario.model.moe;
    const std::int64_t tokens = g.info(x).elements / scenario.model.hidden;
    HfRouting out{.tokens = x};
    TensorIds named;
    const bool wide =
        code.scoring == HfScoring::Sigmoid || code.scoring == HfScoring::SoftmaxOfGroups;
    out.logits = wide ? hfWideLogits(g, gate, tokens * moe.experts, x, named)
                      : hfLogits(g, gate, tokens * moe.experts, x, named);
    out.indices = g.fresh(tokens * moe.topK, kHfIndexBytes, false);
    switch (code.scoring) {
        case HfScoring::SoftmaxOfAll:
            scoreBySoftmax(g, code, tokens, out);
            break;
        case HfScoring::SoftmaxOfChosen:
        case HfScoring::SoftmaxOfWidened:
            scoreChosen(g, code, out);
            break;
        case HfScoring::SoftmaxOfGroups:
            scoreByGroups(g, moe, out);
            break;
        case HfScoring::SigmoidOfWidened:
            scoreBySigmoidOfAll(g, tokens, out);
            break;
        case HfScoring::Sigmoid:
            scoreBySigmoid(g, tokens, out);
            break;
    }
    g.holdUntilHere(named);
    return out;
}

}  // namespace fabricast
