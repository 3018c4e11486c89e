#include "planner/ops/attention_kernels.h"
#include "planner/ops/dense_layer.h"
#include "planner/spec/attention_model.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

constexpr std::int64_t kPositionBytes = 8;  ///< of a maximum's place

/// A mask for the layers of a window, and one for those that attend to all.
struct MaskKinds {
    bool full = true;
    bool windowed = false;
};
MaskKinds maskKinds(const ModelSpec& model) {
    const auto windowed = std::ranges::count_if(model.window, [](auto w) { return w > 0; });
    return {windowed == 0 || windowed<std::ssize(model.window), windowed> 0};
}

/// A product of four dimensions copies what is a part of another tensor, whose batches and heads do
/// not lie one behind another. BLOOM's, of three, was recorded without.
TensorId apart(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const TensorInfo part = g.info(x);
    if (scenario.layout.microBatch == 1 || part.base == x ||
        writtenScores(scenario.model) == WrittenScores::Biased) {
        return x;
    }
    const TensorId copy = g.pointwise("contiguous", {x}, part.elements, part.width, {});
    g.last().passesGradient = true;
    return copy;
}

/// That product, which autocast runs in its own type.
TensorId multiplyHeads(OpBuilder& g, TensorId left, TensorId right, std::int64_t elements) {
    const OpBuilder::Options& options = g.options();
    const TensorId a = options.autocast ? g.cast(left, options.computeWidth) : left;
    const TensorId b = options.autocast ? g.cast(right, options.computeWidth) : right;
    return multiplyInHeads(g, a, b, elements);
}

struct Probabilities {
    TensorId all = kNoTensor;
    TensorIds named;  ///< by variables of the function
};

TensorId softmaxOf(OpBuilder& g, TensorId scores, std::int64_t width) {
    const TensorInfo in = g.info(scores);
    const TensorId all = g.pointwise("softmax", {scores}, in.elements, width, {});
    if (in.requiresGrad) {
        g.last().saved = {all};
        g.last().backwardTemps = {in.elements * width};
    }
    return all;
}

/// Half precision is widened within the kernel, bf16 before it.
TensorId softmaxInFp32(OpBuilder& g, TensorId scores, bool halves) {
    constexpr std::int64_t kWide = 4;
    return softmaxOf(g, halves ? scores : g.cast(scores, kWide), kWide);
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
    const TensorId all = softmaxOf(g, lower, width);
    const TensorId left = g.viewOf(all, g.info(scores).elements);
    g.push({.kind = OpKind::Copy, .name = "slice", .inputs = {all}, .outputs = {left}});
    return {left, {scores, lower}};
}

/// The scores as probabilities, by the family's code.
Probabilities probabilitiesOf(
    OpBuilder& g, const Scenario& scenario, TensorId scores, std::int64_t rows, int sinks) {
    switch (*writtenScores(scenario.model)) {
        case WrittenScores::WithSinks:
            return softmaxWithSinks(g, scores, rows, sinks);
        case WrittenScores::OwnType:
            return {softmaxOf(g, scores, g.info(scores).width), {scores}};
        case WrittenScores::Fp32:
        case WrittenScores::Capped:
        case WrittenScores::Biased:
            break;
    }
    const bool halves = scenario.settings.precision.compute == Dtype::Fp16;
    return {softmaxInFp32(g, scores, halves), {scores}};
}

/// Products over the root of a head's width, as the family's code has them; ALiBi's come so.
TensorId scaledBy(OpBuilder& g, const Scenario& scenario, TensorId products) {
    const WrittenScores scores = *writtenScores(scenario.model);
    if (scores == WrittenScores::Biased) {
        return products;
    }
    const TensorInfo in = g.info(products);
    const TensorId scaled = g.pointwise("scale", {products}, in.elements, in.width, {});
    return scores == WrittenScores::Capped ? g.capped(scaled) : scaled;
}

/// Llama's takes the queries' type, the others the values'.
std::int64_t weightsWidth(const OpBuilder& g, const Scenario& scenario, const Projected& p) {
    const std::optional<WrittenScores> scores = writtenScores(scenario.model);
    const bool ofQueries = scores != WrittenScores::WithSinks && scores != WrittenScores::OwnType;
    return g.info(ofQueries ? p.q : p.v).width;
}

}  // namespace

TensorId multiplyInHeads(OpBuilder& g, TensorId left, TensorId right, std::int64_t elements) {
    const bool ofLeft = g.info(left).requiresGrad;
    const bool ofRight = g.info(right).requiresGrad;
    const TensorId out = g.fresh(elements, g.info(left).width, ofLeft || ofRight);
    Op op{.kind = OpKind::Gemm, .name = "bmm", .inputs = {left, right}, .outputs = {out}};
    if (ofLeft) {
        op.saved.push_back(right);
    }
    if (ofRight) {
        op.saved.push_back(left);
    }
    g.push(std::move(op));
    return out;
}

TensorId repeatForQueries(OpBuilder& g, const RankShape& shape, TensorId x) {
    if (shape.heads == shape.kvHeads) {
        return x;
    }
    const std::int64_t elements = g.info(x).elements / shape.kvHeads * shape.heads;
    return g.pointwise("repeat_kv", {x}, elements, g.info(x).width, {});
}

UnfusedAttention unfusedAttention(OpBuilder& g,
                                  const Scenario& scenario,
                                  const Projected& projections,
                                  TensorId mask,
                                  int sinks) {
    const RankShape shape = rankShape(scenario);
    const std::int64_t rows = shape.batch * shape.heads * shape.sequence;
    const std::int64_t elements = rows * shape.sequence;
    const TensorId k = repeatForQueries(g, shape, projections.k);
    const TensorId v = repeatForQueries(g, shape, projections.v);
    const TensorId products =
        multiplyHeads(g, apart(g, scenario, projections.q), apart(g, scenario, k), elements);
    const TensorId scores = g.add(scaledBy(g, scenario, products), mask);
    const Probabilities probabilities = probabilitiesOf(g, scenario, scores, rows, sinks);
    UnfusedAttention made;
    made.weights = g.cast(probabilities.all, weightsWidth(g, scenario, projections));
    g.holdUntilHere(probabilities.named);
    const std::int64_t context = g.info(projections.q).elements;
    const TensorId product = multiplyHeads(g, made.weights, apart(g, scenario, v), context);
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
           scenario.settings.kernels.attention == AttentionKernel::Unfused &&
           writtenScores(scenario.model).has_value();
}

std::vector<std::int64_t> attentionMaskBytes(const Scenario& scenario) {
    if (!writesAttention(scenario)) {
        return {};
    }
    const RankShape shape = rankShape(scenario);
    const std::int64_t bytes =
        shape.batch * shape.sequence * shape.sequence * residualWidth(scenario.settings);
    const MaskKinds kinds = maskKinds(scenario.model);
    return std::vector<std::int64_t>(kinds.full && kinds.windowed ? 2 : 1, bytes);
}

TensorId attentionMask(OpBuilder& g, const Scenario& scenario, std::int64_t layer) {
    const RankShape shape = rankShape(scenario);
    const std::int64_t elements = shape.batch * shape.sequence * shape.sequence;
    const std::int64_t width = residualWidth(scenario.settings);
    const MaskKinds kinds = maskKinds(scenario.model);
    if (!kinds.full || !kinds.windowed) {
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
