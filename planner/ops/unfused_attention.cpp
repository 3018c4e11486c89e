#include "planner/ops/unfused_attention.h"

#include "planner/ops/dense_layer.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

constexpr std::int64_t kPositionBytes = 8;  ///< of a maximum's place

bool hasWindows(const ModelSpec& model) {
    return std::ranges::any_of(model.window, [](std::int64_t window) { return window > 0; });
}

/// repeat_kv: a copy for every query head; backward adds the copies' gradients up.
TensorId repeatForQueries(OpBuilder& g, const RankShape& shape, TensorId x) {
    if (shape.heads == shape.kvHeads) {
        return x;
    }
    const std::int64_t elements = g.info(x).elements / shape.kvHeads * shape.heads;
    return g.pointwise("repeat_kv", {x}, elements, g.info(x).width, {});
}

/// A batched product, which autocast runs in its own type.
TensorId multiplyHeads(OpBuilder& g, TensorId left, TensorId right, std::int64_t elements) {
    const OpBuilder::Options& options = g.options();
    const TensorId a = options.autocast ? g.cast(left, options.computeWidth) : left;
    const TensorId b = options.autocast ? g.cast(right, options.computeWidth) : right;
    const bool graph = g.info(a).requiresGrad || g.info(b).requiresGrad;
    const TensorId out = g.fresh(elements, g.info(a).width, graph);
    Op op{.kind = OpKind::Gemm, .name = "bmm", .inputs = {a, b}, .outputs = {out}};
    if (g.info(a).requiresGrad) {
        op.saved.push_back(b);
    }
    if (g.info(b).requiresGrad) {
        op.saved.push_back(a);
    }
    g.push(std::move(op));
    return out;
}

struct Probabilities {
    TensorId all = kNoTensor;
    TensorIds named;  ///< by variables of the function
};

TensorId softmaxOf(OpBuilder& g, TensorId scores) {
    const TensorInfo in = g.info(scores);
    const TensorId all = g.pointwise("softmax", {scores}, in.elements, in.width, {});
    if (in.requiresGrad) {
        g.last().saved = {all};
        g.last().backwardTemps = {in.bytes};
    }
    return all;
}

/// The scores joined by their heads' sinks, less the highest of each row, as probabilities, of
/// which the sinks' are left out. Backward puts their gradient in zeros of all.
Probabilities softmaxWithSinks(OpBuilder& g, TensorId scores, std::int64_t rows, int sinks) {
    const std::int64_t width = g.info(scores).width;
    const std::int64_t elements = g.info(scores).elements + rows;
    const bool graph = g.info(scores).requiresGrad || g.weightAt(sinks).trained;
    const TensorId combined = g.fresh(elements, width, graph);
    g.push({.name = "cat",
            .inputs = {scores},
            .outputs = {combined},
            .weights = {sinks},
            .passesGradient = true,
            .viewsGradient = true});
    const TensorId places = g.fresh(rows, kPositionBytes, false);
    const TensorId highest = g.pointwise("max", {combined}, rows, width, {places});
    g.last().outputs.push_back(places);
    const TensorId lower = g.pointwise("subtract", {combined, highest}, elements, width, {});
    g.last().passesGradient = true;
    g.last().backwardTemps = {elements * width};
    const TensorId all = softmaxOf(g, lower);
    const TensorId left = g.viewOf(all, g.info(scores).elements);
    g.push({.kind = OpKind::Copy, .name = "slice", .inputs = {all}, .outputs = {left}});
    return {left, {scores, lower}};
}

}  // namespace

UnfusedAttention unfusedAttention(
    OpBuilder& g, const RankShape& shape, const Projected& projections, TensorId mask, int sinks) {
    const std::int64_t rows = shape.batch * shape.heads * shape.sequence;
    const std::int64_t elements = rows * shape.sequence;
    const TensorId k = repeatForQueries(g, shape, projections.k);
    const TensorId v = repeatForQueries(g, shape, projections.v);
    const TensorId products = multiplyHeads(g, projections.q, k, elements);
    const TensorId scaled = g.pointwise("scale", {products}, elements, g.info(products).width, {});
    const TensorId scores = g.add(scaled, mask);
    const Probabilities probabilities = softmaxWithSinks(g, scores, rows, sinks);
    UnfusedAttention made;
    made.weights = g.cast(probabilities.all, g.info(projections.v).width);
    g.holdUntilHere(probabilities.named);
    const std::int64_t context = g.info(projections.q).elements;
    const TensorId product = multiplyHeads(g, made.weights, v, context);
    made.out = g.pointwise("contiguous", {product}, context, g.info(product).width, {});
    g.last().passesGradient = true;
    g.holdUntilHere({k, v, made.weights});
    return made;
}

bool hasWindow(const ModelSpec& model, std::int64_t layer) {
    return !model.window.empty() && model.window[static_cast<std::size_t>(layer)] > 0;
}

bool writesAttention(const Scenario& scenario) {
    return scenario.settings.kernels.code == ModelCode::HuggingFace &&
           scenario.model.attention.sinks &&
           scenario.settings.kernels.attention == AttentionKernel::Unfused;
}

std::vector<std::int64_t> attentionMaskBytes(const Scenario& scenario) {
    if (!writesAttention(scenario)) {
        return {};
    }
    const RankShape shape = rankShape(scenario);
    const std::int64_t bytes =
        shape.batch * shape.sequence * shape.sequence * residualWidth(scenario.settings);
    return std::vector<std::int64_t>(hasWindows(scenario.model) ? 2 : 1, bytes);
}

TensorId attentionMask(OpBuilder& g, const Scenario& scenario, std::int64_t layer) {
    const RankShape shape = rankShape(scenario);
    const std::int64_t elements = shape.batch * shape.sequence * shape.sequence;
    const std::int64_t width = residualWidth(scenario.settings);
    if (!hasWindows(scenario.model)) {
        return g.external(elements, width);
    }
    if (hasWindow(scenario.model, layer)) {
        g.skipExternal();
        return g.external(elements, width);
    }
    const TensorId mask = g.external(elements, width);
    g.skipExternal();
    return mask;
}

}  // namespace fabricast
