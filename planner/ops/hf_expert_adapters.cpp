#include "planner/ops/hf_expert_adapters.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

constexpr std::int64_t kBatchedWorkspace = std::int64_t{32} << 20;  ///< of cuBLAS

std::int64_t frozenWidth(const OpBuilder& g) {
    return g.readWidth(g.options().storedWidth);
}

bool castsFactors(const OpBuilder& g, const ParameterAdapter& adapter) {
    return adapter.factors.width != frozenWidth(g);
}

/// A factor in the type of the frozen weight. The gradient of a permuted one is put in order.
TensorId castFactor(OpBuilder& g, int weight, std::int64_t width, bool permuted) {
    const WeightUse use = g.weightAt(weight);
    const TensorId out = g.fresh(use.elements, width);
    g.push({.kind = OpKind::Copy, .name = "cast", .outputs = {out}, .weights = {weight}});
    if (permuted) {
        g.last().backwardTemps = {use.elements * g.readWidth(use.widthOr(width))};
    }
    return out;
}

std::int64_t wholeElements(OpBuilder& g, const ParameterAdapter& adapter) {
    return g.weightAt(adapter.frozen).elements;
}

/// baddbmm copies B, whose experts lie side by side.
ByteList mergeTemps(OpBuilder& g, const ParameterAdapter& adapter) {
    const std::int64_t up = g.weightAt(adapter.factors.up).elements;
    return {up * frozenWidth(g), kBatchedWorkspace};
}

}  // namespace

bool adaptsExperts(const Settings& settings) {
    return settings.tuning == Tuning::Lora && settings.lora.targets.contains("experts");
}

bool adaptsRouter(const Settings& settings) {
    return settings.tuning == Tuning::Lora && settings.lora.targets.contains("router");
}

ParameterAdapter declareParameterAdapter(OpBuilder& g,
                                         const LoraSettings& lora,
                                         int frozen,
                                         std::int64_t rank) {
    const WeightUse& use = g.weightAt(frozen);
    const std::int64_t stack = std::max<std::int64_t>(1, use.experts);
    const std::int64_t in = use.columns;
    const std::int64_t out = use.elements / (stack * in);
    LoraSettings all = lora;
    all.rank = rank * stack;
    ParameterAdapter adapter{.frozen = frozen};
    adapter.factors = declareAdapter(g, all, {"", "", in, out});
    for (const int weight : {adapter.factors.down, adapter.factors.up}) {
        g.weightAt(weight).cast = false;  // not autocast's: the code casts
    }
    return adapter;
}

void enterAdapter(OpBuilder& g, ParameterAdapter& adapter) {
    const std::int64_t width = frozenWidth(g);
    if (castsFactors(g, adapter)) {
        adapter.left = castFactor(g, adapter.factors.up, width, true);
        adapter.right = castFactor(g, adapter.factors.down, width, false);
    }
    ByteList temps = mergeTemps(g, adapter);
    temps.push_back(wholeElements(g, adapter) * width);
    g.push({.name = "merge once", .weights = {adapter.frozen}, .forwardTemps = temps});
}

TensorId mergedWeight(OpBuilder& g, const ParameterAdapter& adapter) {
    const TensorId out = g.fresh(wholeElements(g, adapter), frozenWidth(g));
    Op op{.name = "merge", .outputs = {out}, .weights = {adapter.frozen}};
    if (adapter.left == kNoTensor) {
        op.weights.push_back(adapter.factors.up);
        op.weights.push_back(adapter.factors.down);
    } else {
        op.inputs = {adapter.left, adapter.right};
        op.saved = op.inputs;
    }
    op.forwardTemps = mergeTemps(g, adapter);
    op.backwardTemps = op.forwardTemps;
    g.push(std::move(op));
    return out;
}

}  // namespace fabricast
