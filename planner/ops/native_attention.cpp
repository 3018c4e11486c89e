#include "planner/ops/native_attention.h"

#include "planner/ops/attention_kernels.h"
#include "planner/spec/attention_model.h"

#include <string_view>
#include <utility>

namespace fabricast {

namespace {

constexpr std::int64_t kFp32Width = 4;

/// One pass over the whole: a root of the scale, for queries and keys.
TensorId scaled(OpBuilder& g, TensorId x) {
    const TensorId wide = g.cast(x, kFp32Width);
    return g.pointwise("scale", {wide}, g.info(wide).elements, kFp32Width, {});
}

/// One head for all queries: of one sample a view, of several a copy.
TensorId forAllHeads(OpBuilder& g, const RankShape& shape, TensorId x) {
    return shape.batch == 1 ? x : repeatForQueries(g, shape, x);
}

/// _safe_softmax: rows without a key become zeros. The mask is added over the scores; backward
/// keeps the result alone, and forms its product with the gradient first.
TensorId safeSoftmax(OpBuilder& g, TensorId scores) {
    const TensorInfo in = g.info(scores);
    const auto once = [&g] { g.last().passesGradient = true; };
    const TensorId masked = g.viewOf(scores, in.elements);
    g.push({.name = "add", .inputs = {scores}, .outputs = {masked}});
    once();
    const TensorId all = g.pointwise("softmax", {masked}, in.elements, in.width, {});
    once();
    const TensorId without = g.fresh(in.elements, 1, false);
    g.push({.name = "isneginf", .inputs = {masked}, .outputs = {without}});
    once();
    const TensorId out = g.pointwise("safe_softmax", {all, without}, in.elements, in.width, {});
    if (in.requiresGrad) {
        g.last().saved = {out};
        g.last().backwardTemps = {in.elements * in.width};
    }
    return out;
}

}  // namespace

bool callsNativeAttention(const Scenario& scenario) {
    const KernelSettings& kernels = scenario.settings.kernels;
    constexpr std::string_view kNative = "sdpa";
    return kernels.code == ModelCode::HuggingFace &&
           attentionName(kernels, scenario.model) == kNative;
}

bool masksWindow(const Scenario& scenario, std::int64_t layer) {
    return callsNativeAttention(scenario) && scenario.layout.cp == 1 &&
           hasWindow(scenario.model, layer) &&
           scenario.model.window[static_cast<std::size_t>(layer)] <= scenario.workload.sequence;
}

bool masksAnyWindow(const Scenario& scenario) {
    for (std::int64_t layer = 0; layer < scenario.model.layers; ++layer) {
        if (masksWindow(scenario, layer)) {
            return true;
        }
    }
    return false;
}

/// One byte a pair; samples share it.
std::vector<std::int64_t> windowMaskBytes(const Scenario& scenario) {
    if (!masksAnyWindow(scenario)) {
        return {};
    }
    const std::int64_t sequence = rankShape(scenario).sequence;
    return {sequence * sequence};
}

TensorId windowMask(OpBuilder& g, const Scenario& scenario, std::int64_t layer) {
    if (!masksAnyWindow(scenario)) {
        return kNoTensor;
    }
    if (!masksWindow(scenario, layer)) {
        g.skipExternal();
        return kNoTensor;
    }
    const std::int64_t sequence = rankShape(scenario).sequence;
    return g.external(sequence * sequence, 1);
}

bool attendsByMath(const Scenario& scenario) {
    const AttentionSpec& attention = scenario.model.attention;
    return callsNativeAttention(scenario) && scenario.model.family == "falcon" &&
           attention.kvHeads == 1 && attention.heads > 1;
}

TensorId mathAttention(OpBuilder& g, const Scenario& scenario, const Projected& projections) {
    const RankShape shape = rankShape(scenario);
    const std::int64_t scores = shape.batch * shape.heads * shape.sequence * shape.sequence;
    const std::int64_t context = g.info(projections.q).elements;
    const OpBuilder::Options& options = g.options();
    const std::int64_t width =
        options.autocast ? options.computeWidth : g.info(projections.q).width;
    const auto narrow = [&](TensorId x) { return g.cast(x, width); };
    const TensorId q = scaled(g, narrow(projections.q));
    const TensorId k = forAllHeads(g, shape, scaled(g, narrow(projections.k)));
    const TensorId weights = safeSoftmax(g, multiplyInHeads(g, q, k, scores));
    const TensorId v = forAllHeads(g, shape, g.cast(narrow(projections.v), kFp32Width));
    const TensorId out = g.cast(multiplyInHeads(g, weights, v, context), width);
    const TensorId joined = g.pointwise("contiguous", {out}, context, width, {});
    g.last().passesGradient = true;
    return joined;
}

TensorId maskedAttention(OpBuilder& g,
                         const Scenario& scenario,
                         const Projected& projections,
                         TensorId mask,
                         const OpBuilder::AttentionShape& shape) {
    const RankShape rank = rankShape(scenario);
    const TensorId k = repeatForQueries(g, rank, projections.k);
    const TensorId v = repeatForQueries(g, rank, projections.v);
    const OpBuilder::Options& options = g.options();
    const std::int64_t width =
        options.autocast ? options.computeWidth : g.info(projections.q).width;
    const std::int64_t pairs = rank.batch * rank.sequence * rank.sequence;
    const TensorId bias = g.fresh(pairs, width, false);
    g.push({.name = "where", .inputs = {mask}, .outputs = {bias}});
    OpBuilder::AttentionShape whole = shape;
    whole.kvHeads = whole.heads;
    const TensorId out = g.flashAttention(projections.q, k, v, whole);
    g.last().inputs.push_back(bias);
    if (g.info(out).requiresGrad) {
        g.last().saved.push_back(bias);
    }
    g.holdUntilHere({k, v});
    return out;
}

}  // namespace fabricast
