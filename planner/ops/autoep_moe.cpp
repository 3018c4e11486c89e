#include "planner/base/integers.h"
#include "planner/ops/expert_layers.h"
#include "planner/ops/hf_views.h"
#include "planner/ops/rank_shape.h"

#include <cmath>

namespace fabricast {

namespace {

constexpr std::int64_t kSortedIndexBytes = 8;
constexpr std::int64_t kRowPlaceBytes = 4;     ///< of a row among the local experts' ones
constexpr std::int64_t kRowsOfGroup = 8;       ///< TOKEN_GROUP_ALIGN_SIZE_M
constexpr std::int64_t kSumOfRoutesBytes = 4;  ///< scores are fp32, and what they weigh
/// A grouped product's arguments for each expert, and CUTLASS's workspace on 132 multiprocessors.
constexpr std::int64_t kAutoEpArguments = 60;
constexpr std::int64_t kAutoEpWorkspace = std::int64_t{132} * 512;

struct AutoEpWalk {
    OpBuilder& g;
    const Scenario& scenario;
    AutoEpRows rows;
    std::int64_t hidden = 0;
    bool exchanged = false;
    TensorIds named;  ///< variables that live until the layer returns
};

struct AutoEpWeights {
    int router = -1;
    int gate = -1;
    int up = -1;
    int down = -1;
};

/// [local experts, rows, columns]; they have optimizer groups of their own.
int autoEpStack(AutoEpWalk& w, std::string_view name, std::int64_t rows, std::int64_t columns) {
    const int weight = w.g.matrix(name, w.rows.experts * rows, columns);
    WeightUse& use = w.g.weightAt(weight);
    use.expert = true;
    use.experts = w.rows.experts;
    use.cast = false;
    return weight;
}

AutoEpWeights declareAutoEp(AutoEpWalk& w) {
    const MoeSpec& moe = *w.scenario.model.moe;
    AutoEpWeights weights;
    weights.router = w.g.matrix("router", moe.experts, w.hidden);
    weights.gate = autoEpStack(w, "experts.gate_proj", moe.expertWidth, w.hidden);
    weights.up = autoEpStack(w, "experts.up_proj", moe.expertWidth, w.hidden);
    weights.down = autoEpStack(w, "experts.down_proj", w.hidden, moe.expertWidth);
    return weights;
}

/// Rows of the tokens by expert. Backward sorts the index again, and adds the rows up.
TensorId rowsByExpert(AutoEpWalk& w, TensorId tokens) {
    const TensorId origin =
        namedIndex(w.g, w.named, "token indices", w.rows.sent, kSortedIndexBytes);
    const TensorId out =
        w.g.pointwise("rows", {tokens}, w.rows.sent * w.hidden, w.g.info(tokens).width, {origin});
    w.g.last().backwardTemps = {4 * kSortedIndexBytes * w.rows.sent};
    return out;
}

TensorId exchanged(AutoEpWalk& w, TensorId rows, std::int64_t received) {
    if (!w.exchanged) {
        return rows;
    }
    const TensorId out = w.g.fresh(received * w.hidden, w.g.info(rows).width);
    w.g.push(
        {.kind = OpKind::Collective, .name = "all_to_all", .inputs = {rows}, .outputs = {out}});
    return out;
}

/// Where each received row is put; made for the way there and again for the way back.
TensorId inverseOrder(AutoEpWalk& w) {
    const std::int64_t padded = w.rows.padded * kSortedIndexBytes;
    const TensorId out = w.g.fresh(w.rows.received + w.rows.padded, kSortedIndexBytes, false);
    w.g.push({.name = "inverse order",
              .outputs = {out},
              .forwardTemps = {padded, padded, padded, w.rows.padded}});
    return out;
}

/// Both ways are gathers, and so are their gradients.
TensorId gatheredRows(
    AutoEpWalk& w, std::string_view name, TensorId rows, TensorId places, std::int64_t count) {
    const TensorId inverse = inverseOrder(w);
    return w.g.pointwise(name, {rows}, count * w.hidden, w.g.info(rows).width, {places, inverse});
}

TensorId autoEpProduct(
    AutoEpWalk& w, TensorId x, int weight, std::int64_t outputs, TensorId offsets) {
    OpBuilder& g = w.g;
    const WeightUse& use = g.weightAt(weight);
    const bool flows = g.info(x).requiresGrad;
    const TensorId out = g.fresh(w.rows.padded * outputs, g.info(x).width, flows || use.trained);
    Op op{.kind = OpKind::GroupedGemm, .name = use.name, .inputs = {x}, .outputs = {out}};
    if (use.trained) {
        op.saved = {x};
    }
    if (flows || use.trained) {
        op.saved.push_back(offsets);
    }
    op.weights = {weight};
    op.forwardTemps = {kAutoEpArguments * use.experts, kAutoEpWorkspace};
    g.push(std::move(op));
    return out;
}

/// GroupedExperts: gate and up apart, one kernel for silu(gate) · up.
TensorId localAutoEp(AutoEpWalk& w, const AutoEpWeights& weights, TensorId x) {
    OpBuilder& g = w.g;
    const std::int64_t width = w.scenario.model.moe->expertWidth;
    g.enterModule();
    for (const int weight : {weights.gate, weights.down, weights.up}) {
        g.claimWeight(weight);
    }
    const TensorId offsets = g.fresh(w.rows.experts, kRowPlaceBytes, false);
    g.push({.name = "offsets", .outputs = {offsets}});
    const TensorId gate = autoEpProduct(w, x, weights.gate, width, offsets);
    const TensorId up = autoEpProduct(w, x, weights.up, width, offsets);
    const TensorId inner =
        g.pointwise("swiglu", {gate, up}, w.rows.padded * width, g.info(gate).width, {gate, up});
    const TensorId out = autoEpProduct(w, inner, weights.down, w.hidden, offsets);
    g.holdUntilHere({gate, up, inner});
    g.leaveModule();
    return out;
}

/// Put back in the order of routes, times the scores in fp32, and summed.
TensorId combinedRows(AutoEpWalk& w, TensorId rows, TensorId order, TensorId scores) {
    OpBuilder& g = w.g;
    const std::int64_t width = g.info(rows).width;
    const TensorId restored =
        g.pointwise("restored", {rows}, w.rows.sent * w.hidden, width, {order});
    const TensorId weighed = g.multiply(restored, scores);
    if (g.info(weighed).width != width) {
        g.last().backwardTemps.push_back(g.info(weighed).bytes);
        g.last().narrowsGradient = true;
    }
    const TensorId sum =
        g.pointwise("sum of routes", {weighed}, w.rows.tokens * w.hidden, kSumOfRoutesBytes, {});
    g.last().passesGradient = true;  // expanded: a view
    g.last().viewsGradient = true;
    const TensorId out = g.cast(sum, width);
    g.holdUntilHere({restored, sum});
    return out;
}

TensorId routedAutoEp(AutoEpWalk& w, const AutoEpWeights& weights, TensorId tokens) {
    OpBuilder& g = w.g;
    const HfRouter& code = *hfRouterOf(w.scenario.model.family);
    const AutoEpRouting routing = autoEpRoute(g, w.scenario, code, weights.router, tokens);
    const std::int64_t sorted = w.rows.sent * kSortedIndexBytes;
    const TensorId order =
        namedIndex(w.g, w.named, "argsort", w.rows.sent, kSortedIndexBytes, {sorted, sorted});
    namedIndex(w.g, w.named, "sorted scores", w.rows.sent, kSumOfRoutesBytes);
    namedIndex(w.g, w.named, "expert indices", w.rows.sent, kSortedIndexBytes);
    const TensorId picked = rowsByExpert(w, tokens);
    const TensorId arrived = exchanged(w, picked, w.rows.received);
    if (!w.exchanged) {
        w.named.push_back(picked);  // else what arrives takes its name
    }
    const TensorId places = namedIndex(w.g, w.named, "places", w.rows.padded, kRowPlaceBytes);
    const TensorId in = gatheredRows(w, "permute", arrived, places, w.rows.padded);
    const TensorId out = localAutoEp(w, weights, in);
    const TensorId left = gatheredRows(w, "unpermute", out, places, w.rows.received);
    const TensorId back = exchanged(w, left, w.rows.sent);
    const TensorId combined = combinedRows(w, back, order, routing.scores);
    for (const TensorId id : {routing.scores, routing.indices, in, back, combined}) {
        w.named.push_back(id);
    }
    return combined;
}

/// The model's own MLP beside the routed experts.
TensorId withShared(AutoEpWalk& w, TensorId x, TensorId tokens, TensorId routed) {
    const MoeSpec& moe = *w.scenario.model.moe;
    if (moe.sharedWidth == 0) {
        return routed;
    }
    const TensorId shared = hfShared(w.g, w.scenario, moe.sharedGate ? tokens : x);
    return w.g.add(routed, moe.sharedGate ? hfGateShared(w.g, w.scenario, tokens, shared) : shared);
}

}  // namespace

AutoEpRows autoEpRows(const Scenario& scenario) {
    const MoeSpec& moe = *scenario.model.moe;
    const std::int64_t ranks = scenario.layout.ep;
    AutoEpRows rows;
    rows.tokens = rankShape(scenario).localTokens;
    rows.sent = rows.tokens * moe.topK;
    const double imbalance = ranks > 1 ? scenario.settings.kernels.imbalance : 1.0;
    rows.received = std::llround(static_cast<double>(rows.sent) * imbalance);
    rows.experts = moe.experts / ranks;
    rows.padded = roundUp(rows.received + rows.experts * kRowsOfGroup, kRowsOfGroup);
    return rows;
}

bool usesAutoEp(const Scenario& scenario) {
    return scenario.model.moe && scenario.settings.kernels.experts == ExpertKernel::AutoEp;
}

HfMoe autoEpMoe(OpBuilder& g, const Scenario& scenario, TensorId x) {
    AutoEpWalk walk{.g = g,
                    .scenario = scenario,
                    .rows = autoEpRows(scenario),
                    .hidden = scenario.model.hidden,
                    .exchanged = scenario.layout.ep > 1,
                    .named = {}};
    g.enterModule();
    const AutoEpWeights weights = declareAutoEp(walk);
    const TensorId tokens = viewOfTokens(g, x);
    const TensorId routed = routedAutoEp(walk, weights, tokens);
    const TensorId out = withShared(walk, x, tokens, routed);
    g.holdUntilHere(walk.named);
    g.leaveModule();
    return {out, kNoTensor};
}

}  // namespace fabricast
