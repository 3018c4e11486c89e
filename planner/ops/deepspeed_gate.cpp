#include "planner/ops/expert_layers.h"
#include "planner/ops/hf_views.h"
#include "planner/ops/rank_shape.h"

#include <algorithm>
#include <cmath>

namespace fabricast {

namespace {

constexpr std::int64_t kGateBytes = 4;
constexpr std::int64_t kGateMaskBytes = 8;  ///< one_hot makes int64
constexpr std::int64_t kRouteBytes = 4;     ///< routes are handed on as int32

/// Sizes of the gate's tensors, and what its function has names for until it returns.
struct GateWalk {
    OpBuilder& g;
    std::int64_t tokens = 0;
    std::int64_t experts = 0;
    std::int64_t routes = 1;    ///< of a token
    std::int64_t capacity = 0;  ///< rows of an expert
    TensorIds named;

    [[nodiscard]] std::int64_t all() const { return tokens * experts; }
};

/// linear(input.float(), weight.float()): both copies are kept.
TensorId gateLogits(GateWalk& w, int weight, TensorId x) {
    const TensorId wide = w.g.cast(x, kGateBytes);
    const std::int64_t elements = w.g.weightAt(weight).elements;
    const TensorId copy = w.g.fresh(elements, kGateBytes, false);
    w.g.push({.kind = OpKind::Copy, .name = "gate weight in fp32", .outputs = {copy}});
    const TensorId logits = w.g.fresh(w.all(), kGateBytes);
    w.g.push({.kind = OpKind::Gemm,
              .name = "router",
              .inputs = {wide, copy},
              .outputs = {logits},
              .saved = {wide, copy},
              .weights = {weight},
              .castsBeforeWeight = elements * kGateBytes});
    w.named.push_back(logits);
    return logits;
}

TensorId gateSoftmax(GateWalk& w, TensorId logits) {
    const TensorId gates = w.g.pointwise("softmax", {logits}, w.all(), kGateBytes, {});
    w.g.last().saved = {gates};
    w.named.push_back(gates);
    return gates;
}

/// The layer's `l_aux` has the graph that leads to it: of a checkpoint's second forward, which
/// nothing frees, with all that it saves, until the next forward.
void keepAuxiliaryLoss(GateWalk& w) {
    w.g.push({.kind = OpKind::Copy,
              .name = "l_aux",
              .attributes = w.g.savedSoFar(),
              .attributesOfSecond = true});
}

DeepSpeedRoutes takeRoutes(GateWalk& w, TensorId gates) {
    const std::int64_t count = w.routes * w.tokens;
    DeepSpeedRoutes out{.gates = gates};
    out.indices = w.g.fresh(count, kRouteBytes, false);
    out.locations = w.g.fresh(count, kRouteBytes, false);
    w.g.push({.name = "routes",
              .outputs = {out.indices, out.locations},
              .forwardTemps = {count * kGateMaskBytes, count * kGateMaskBytes}});
    w.g.holdUntilHere(w.named);
    return out;
}

/// Random token selection keeps the highest of the mask times random numbers for each expert.
DeepSpeedRoutes gateByOne(GateWalk& w, TensorId gates) {
    namedIndex(w.g, w.named, "argmax", w.tokens, kGateMaskBytes);
    namedIndex(w.g, w.named, "one_hot", w.all(), kGateMaskBytes);
    namedIndex(w.g, w.named, "random numbers", w.all(), kGateBytes, {2 * w.all() * kGateBytes});
    const std::int64_t kept = std::min(w.capacity, w.tokens) * w.experts;
    namedIndex(w.g, w.named, "topk", kept, kGateMaskBytes, {kept * kGateBytes});
    const TensorId mask =
        namedIndex(w.g, w.named, "mask", w.all(), kGateMaskBytes, {w.all() * kGateMaskBytes});
    namedIndex(w.g, w.named, "locations", w.all(), kGateMaskBytes, {w.all() * kGateMaskBytes});
    const TensorId masked = w.g.pointwise("masked", {gates}, w.all(), kGateBytes, {mask});
    const TensorId chosen = w.g.pointwise("sum", {masked}, w.tokens, kGateBytes, {});
    return takeRoutes(w, chosen);
}

/// The gate of one of two routes: a product of each row of the gates with its mask's.
TensorId gateOfRoute(GateWalk& w, TensorId gates) {
    const TensorId mask = namedIndex(w.g, w.named, "mask in fp32", w.all(), kGateBytes);
    return w.g.pointwise("gate of route", {gates}, w.tokens, kGateBytes, {mask});
}

/// Both gates, divided in place by their sum, which keeps a copy of each.
TensorId shareGates(GateWalk& w, TensorId first, TensorId second) {
    const TensorId sum = w.g.add(first, second);
    const TensorId bounded = w.g.pointwise("clamp", {sum}, w.tokens, kGateBytes, {sum});
    const TensorId copies = namedIndex(w.g, w.named, "clone", 2 * w.tokens, kGateBytes);
    const TensorId shared = w.g.pointwise(
        "divide", {first, second, bounded}, 2 * w.tokens, kGateBytes, {copies, bounded});
    w.named.push_back(bounded);
    return shared;
}

/// The second expert is that of the highest logits with Gumbel noise, the first left out.
DeepSpeedRoutes gateByTwo(GateWalk& w, TensorId gates) {
    namedIndex(w.g, w.named, "argmax", w.tokens, kGateMaskBytes);
    namedIndex(w.g, w.named, "one_hot", w.all(), kGateMaskBytes);
    const std::int64_t noise = w.all() * kGateBytes;
    namedIndex(w.g, w.named, "logits without first", w.all(), kGateBytes, {noise, noise, noise});
    namedIndex(w.g, w.named, "argmax", w.tokens, kGateMaskBytes);
    namedIndex(w.g, w.named, "one_hot", w.all(), kGateMaskBytes);
    namedIndex(w.g, w.named, "locations", w.all(), kGateMaskBytes, {w.all() * kGateMaskBytes});
    namedIndex(w.g, w.named, "locations", w.all(), kGateMaskBytes, {w.all() * kGateMaskBytes});
    const TensorId first = gateOfRoute(w, gates);
    const TensorId second = gateOfRoute(w, gates);
    return takeRoutes(w, shareGates(w, first, second));
}

/// The highest of each token; those with the highest gates stay with each expert.
DeepSpeedRoutes gateByMany(GateWalk& w, TensorId gates) {
    const std::int64_t count = w.routes * w.tokens;
    const TensorId top =
        namedIndex(w.g, w.named, "topk", count, kGateMaskBytes, {count * kGateBytes});
    const TensorId mask = namedIndex(w.g, w.named, "mask", w.all(), 1);
    namedIndex(w.g, w.named, "gates of top k", w.all(), kGateBytes);
    const std::int64_t kept = std::min(w.capacity, w.tokens) * w.experts;
    namedIndex(w.g, w.named, "topk", kept, kGateMaskBytes, {kept * kGateBytes});
    namedIndex(w.g, w.named, "capacity mask", w.all(), 1);
    namedIndex(w.g, w.named, "locations", w.all(), kGateMaskBytes, {w.all() * kGateMaskBytes});
    const TensorId masked = w.g.pointwise("masked", {gates}, w.all(), kGateBytes, {mask});
    const TensorId sum = w.g.pointwise("sum", {masked}, w.tokens, kGateBytes, {});
    const TensorId bounded = w.g.pointwise("clamp", {sum}, w.tokens, kGateBytes, {sum});
    const TensorId shared =
        w.g.pointwise("divide", {masked, bounded}, w.all(), kGateBytes, {masked, bounded});
    w.named.push_back(shared);
    const TensorId picked = w.g.pointwise("gather", {shared}, count, kGateBytes, {shared, top});
    return takeRoutes(w, picked);
}

}  // namespace

std::int64_t deepspeedCapacity(const Scenario& scenario) {
    const MoeSpec& moe = *scenario.model.moe;
    const KernelSettings& kernels = scenario.settings.kernels;
    const auto tokens = static_cast<double>(rankShape(scenario).localTokens);
    const double even = tokens / static_cast<double>(moe.experts);
    const auto routes = static_cast<double>(moe.topK);
    if (kernels.capacityFactor > 0) {
        return std::max(
            static_cast<std::int64_t>(std::ceil(even * kernels.capacityFactor * routes)),
            scenario.settings.deepspeed.minCapacity);
    }
    return static_cast<std::int64_t>(
        std::min(tokens, std::ceil(even * routes * kernels.imbalance)));
}

DeepSpeedRoutes deepspeedGate(OpBuilder& g, const Scenario& scenario, int weight, TensorId x) {
    const MoeSpec& moe = *scenario.model.moe;
    GateWalk walk{.g = g,
                  .tokens = g.info(x).elements / scenario.model.hidden,
                  .experts = moe.experts,
                  .routes = moe.topK,
                  .capacity = deepspeedCapacity(scenario),
                  .named = {}};
    const TensorId gates = gateSoftmax(walk, gateLogits(walk, weight, x));
    if (scenario.settings.recompute.kind == Checkpointing::Full) {
        keepAuxiliaryLoss(walk);
    }
    switch (moe.topK) {
        case 1:
            return gateByOne(walk, gates);
        case 2:
            return gateByTwo(walk, gates);
        default:
            return gateByMany(walk, gates);
    }
}

}  // namespace fabricast
