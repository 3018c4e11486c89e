#include "planner/ops/hf_expert_adapters.h"

namespace fabricast {

namespace {

constexpr std::int64_t kSortedBytes = 8;
constexpr std::int64_t kCountBytes = 4;
/// A grouped product's arguments for each expert, and CUTLASS's workspace on 132 multiprocessors.
constexpr std::int64_t kGroupArguments = 60;
constexpr std::int64_t kGroupWorkspace = std::int64_t{132} * 512;

/// Rows of `x` picked by an index that is kept. Backward sorts the index and adds the rows up.
TensorId hfPick(
    OpBuilder& g, std::string_view name, TensorId x, TensorId index, std::int64_t elements) {
    const TensorId out = g.pointwise(name, {x}, elements, g.info(x).width, {index});
    g.last().backwardTemps = {4 * kSortedBytes * g.info(index).elements};
    return out;
}

/// A stack, or what adapters made of it.
struct UsedStack {
    int weight = -1;
    TensorId merged = kNoTensor;
};

UsedStack useStack(OpBuilder& g, int weight, const ParameterAdapter* adapter) {
    return {weight, adapter != nullptr ? mergedWeight(g, *adapter) : kNoTensor};
}

/// A frozen stack keeps no rows.
TensorId hfGroupedProduct(
    OpBuilder& g, TensorId x, const UsedStack& stack, std::int64_t elements, TensorId offsets) {
    const TensorId merged = stack.merged;
    const WeightUse& use = g.weightAt(stack.weight);
    const bool trained = use.trained || merged != kNoTensor;
    const bool flows = g.info(x).requiresGrad;
    const TensorId out = g.fresh(elements, g.info(x).width, flows || trained);
    Op op{.kind = OpKind::GroupedGemm, .name = use.name, .inputs = {x}, .outputs = {out}};
    if (trained) {
        op.saved = {x};
    }
    if (flows || trained) {
        op.saved.push_back(offsets);
    }
    if (merged != kNoTensor) {
        op.inputs.push_back(merged);
    }
    if (merged != kNoTensor && flows) {
        op.saved.push_back(merged);
    }
    op.weights = {stack.weight};
    op.forwardTemps = {kGroupArguments * use.experts, kGroupWorkspace};
    g.push(std::move(op));
    return out;
}

/// The bias of each row's expert. Backward sorts the index to add the rows up.
TensorId pickBiases(OpBuilder& g, int bias, TensorId experts, std::int64_t elements) {
    if (bias < 0) {
        return kNoTensor;
    }
    const WeightUse& use = g.weightAt(bias);
    const bool trained = use.trained;
    const std::int64_t width = g.readWidth(use.widthOr(g.options().storedWidth));
    const TensorId rows = g.fresh(elements, width, trained);
    Op op{.name = "rows", .outputs = {rows}, .weights = {bias}};
    if (trained) {
        op.saved = {experts};
        op.backwardTemps = {4 * kSortedBytes * g.info(experts).elements};
    }
    g.push(std::move(op));
    return rows;
}

/// The product's gradient is that of the biases too.
TensorId addInPlace(OpBuilder& g, TensorId product, TensorId biases) {
    if (biases == kNoTensor) {
        return product;
    }
    const TensorId sum = g.viewOf(product, g.info(product).elements);
    g.push({.name = "add", .inputs = {product, biases}, .outputs = {sum}, .passesGradient = true});
    return sum;
}

struct SortedRows {
    TensorId rows = kNoTensor;
    TensorId scores = kNoTensor;
    TensorId order = kNoTensor;
    TensorId experts = kNoTensor;  ///< of each row
    TensorId offsets = kNoTensor;
    TensorIds named;  ///< variables that live until the function returns
};

TensorId hfIndex(OpBuilder& g, std::string_view name, std::int64_t elements, std::int64_t width) {
    const TensorId out = g.fresh(elements, width, false);
    g.push({.name = name, .outputs = {out}});
    return out;
}

SortedRows hfSortRows(OpBuilder& g, const Scenario& scenario, const HfRouting& routing) {
    const std::int64_t hidden = scenario.model.hidden;
    const std::int64_t experts = scenario.model.moe->experts;
    const std::int64_t count = g.info(routing.indices).elements;
    SortedRows out;
    const TensorId ids = g.fresh(count, kSortedBytes, false);
    out.order = g.fresh(count, kSortedBytes, false);
    g.push({.name = "sort", .outputs = {ids, out.order}, .forwardTemps = {kSortedBytes * count}});
    const TensorId token = hfIndex(g, "token indices", count, kSortedBytes);
    out.rows = hfPick(g, "rows", routing.tokens, token, count * hidden);
    out.scores = hfPick(g, "sorted scores", routing.scores, out.order, count);
    const TensorId narrow = hfIndex(g, "expert indices", count, kCountBytes);
    const TensorId counts = hfIndex(g, "rows of experts", experts, kCountBytes);
    out.offsets = hfIndex(g, "offsets", experts, kCountBytes);
    out.experts = ids;
    out.named = {ids, out.order, out.rows, out.scores, narrow, counts, out.offsets};
    return out;
}

/// The rows times their scores: in the scores' type, from which the rows' gradient is cast back.
TensorId hfWeigh(OpBuilder& g, TensorId rows, TensorId scores) {
    const TensorId out = g.multiply(rows, scores);
    if (g.info(rows).requiresGrad && g.info(out).width != g.info(rows).width) {
        g.last().backwardTemps.push_back(g.info(out).bytes);
        g.last().narrowsGradient = true;
    }
    return out;
}

}  // namespace

TensorId hfGroupedExperts(OpBuilder& g,
                          const Scenario& scenario,
                          const HfExpertStacks& weights,
                          const HfRouting& routing) {
    const std::int64_t hidden = scenario.model.hidden;
    const SortedRows sorted = hfSortRows(g, scenario, routing);
    const std::int64_t count = g.info(sorted.order).elements;
    const std::int64_t inner = count * scenario.model.moe->expertWidth;
    const UsedStack upper = useStack(g, weights.gateAndUp, weights.gateAndUpAdapter);
    const TensorId wide = pickBiases(g, weights.gateAndUpBias, sorted.experts, 2 * inner);
    const TensorId both =
        addInPlace(g, hfGroupedProduct(g, sorted.rows, upper, 2 * inner, sorted.offsets), wide);
    const TensorId gated = hfGated(g, *scenario.model.moe, both, inner);
    const UsedStack lower = useStack(g, weights.down, weights.downAdapter);
    const TensorId narrow = pickBiases(g, weights.downBias, sorted.experts, count * hidden);
    if (wide != kNoTensor) {
        g.holdUntilHere({wide});
    }
    const TensorId out =
        addInPlace(g, hfGroupedProduct(g, gated, lower, count * hidden, sorted.offsets), narrow);
    const TensorId weighed = hfWeigh(g, out, sorted.scores);
    const TensorId inverse = hfIndex(g, "inverse order", count, kSortedBytes);
    g.last().forwardTemps = {kSortedBytes * count};
    const TensorId restored = hfPick(g, "unsorted", weighed, inverse, count * hidden);
    const TensorId summed = g.pointwise(
        "sum of experts", {restored}, g.info(routing.tokens).elements, g.info(restored).width, {});
    const TensorId result = g.cast(summed, g.info(routing.tokens).width);
    TensorIds named = sorted.named;
    for (const TensorId id : {out, inverse, restored, summed}) {
        named.push_back(id);
    }
    if (narrow != kNoTensor) {
        named.push_back(narrow);
    }
    g.holdUntilHere(named);
    return result;
}

}  // namespace fabricast
