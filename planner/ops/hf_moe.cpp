#include "planner/ops/hf_moe.h"

#include "planner/ops/hf_expert_adapters.h"

#include <algorithm>
#include <array>
#include <optional>

namespace fabricast {

namespace {

constexpr std::int64_t kHfScoreBytes = 4;
constexpr std::int64_t kHfIndexBytes = 8;

constexpr std::array kHfRouters = {
    HfRouter{.family = "mixtral"},
    HfRouter{.family = "qwen2_moe", .narrowsScores = true, .normalises = false},
    HfRouter{.family = "qwen3_moe", .registeredFirst = false, .narrowsScores = true}};

int hfGate(OpBuilder& g, const Scenario& scenario) {
    return g.matrix("router", scenario.model.moe->experts, scenario.model.hidden);
}

HfExpertStacks hfExpertWeights(OpBuilder& g, const Scenario& scenario) {
    const MoeSpec& moe = *scenario.model.moe;
    const auto stack = [&](std::string_view name, std::int64_t rows, std::int64_t columns) {
        const int weight = g.matrix(name, moe.experts * rows, columns);
        g.weightAt(weight).experts = moe.experts;
        g.weightAt(weight).cast = false;  // autocast leaves grouped products alone
        return weight;
    };
    HfExpertStacks weights;
    // Named as the parameters of one expert are: by name weights find their place in the order.
    weights.gateAndUp = stack("experts.gate_proj", 2 * moe.expertWidth, scenario.model.hidden);
    weights.down = stack("experts.down_proj", scenario.model.hidden, moe.expertWidth);
    return weights;
}

/// The block's parameters, and PEFT's adapters of them.
struct HfBlock {
    int gate = -1;
    HfExpertStacks experts;
    std::optional<ParameterAdapter> gateAdapter;
    std::optional<ParameterAdapter> gateAndUpAdapter;
    std::optional<ParameterAdapter> downAdapter;
};

void declareExperts(OpBuilder& g, const Scenario& scenario, HfBlock& block) {
    const LoraSettings& lora = scenario.settings.lora;
    block.experts = hfExpertWeights(g, scenario);
    if (adaptsExperts(scenario.settings)) {  // gate and up are one: theirs has the rank of both
        block.gateAndUpAdapter =
            declareParameterAdapter(g, lora, block.experts.gateAndUp, 2 * lora.rank);
        block.downAdapter = declareParameterAdapter(g, lora, block.experts.down, lora.rank);
    }
}

void declareGate(OpBuilder& g, const Scenario& scenario, HfBlock& block) {
    block.gate = hfGate(g, scenario);
    if (adaptsRouter(scenario.settings)) {
        const LoraSettings& lora = scenario.settings.lora;
        block.gateAdapter = declareParameterAdapter(g, lora, block.gate, lora.rank);
    }
}

HfBlock declareBlock(OpBuilder& g, const Scenario& scenario, const HfRouter& code) {
    HfBlock block;
    if (code.registeredFirst) {
        declareGate(g, scenario, block);
        declareExperts(g, scenario, block);
    } else {
        declareExperts(g, scenario, block);
        declareGate(g, scenario, block);
    }
    return block;
}

void claimWeights(OpBuilder& g, int weight, const std::optional<ParameterAdapter>& adapter) {
    g.claimWeight(weight);
    if (adapter) {
        g.claimWeight(adapter->factors.down);
        g.claimWeight(adapter->factors.up);
    }
}

/// The router's product; adapted, it is with the sum of the frozen weight and its adapters.
TensorId hfLogits(
    OpBuilder& g, const HfBlock& block, std::int64_t elements, TensorId x, TensorIds& named) {
    if (!block.gateAdapter) {
        return g.linear(x, block.gate, elements);
    }
    ParameterAdapter adapter = *block.gateAdapter;
    enterAdapter(g, adapter);
    const TensorId merged = mergedWeight(g, adapter);
    named.push_back(merged);
    const bool autocast = g.options().autocast;
    const TensorId read = autocast ? g.cast(x, g.options().computeWidth) : x;
    const TensorId factor = autocast ? g.cast(merged, g.options().computeWidth) : merged;
    const TensorId out = g.fresh(elements, g.info(read).width);
    g.push({.kind = OpKind::Gemm,
            .name = "router",
            .inputs = {read, factor},
            .outputs = {out},
            .saved = g.info(x).requiresGrad ? TensorIds{read, factor} : TensorIds{read},
            .weights = {block.gate}});
    return out;
}

/// Divided by their sum in place, which keeps a copy of them.
TensorId hfNormalise(OpBuilder& g, TensorId values, std::int64_t tokens) {
    const std::int64_t chosen = g.info(values).elements;
    const TensorId sum = g.pointwise("sum", {values}, tokens, kHfScoreBytes, {});
    const TensorId copy = g.fresh(chosen, kHfScoreBytes, false);
    g.push({.name = "clone", .outputs = {copy}});
    const TensorId out = g.viewOf(values, chosen);
    g.push({.name = "divide",
            .inputs = {values, sum},
            .outputs = {out},
            .saved = g.info(values).requiresGrad ? TensorIds{copy, sum} : TensorIds{}});
    return out;
}

/// An fp32 softmax over all experts, of which the highest are chosen.
HfRouting hfRoute(OpBuilder& g,
                  const Scenario& scenario,
                  const HfRouter& code,
                  const HfBlock& block,
                  TensorId x) {
    const MoeSpec& moe = *scenario.model.moe;
    const std::int64_t tokens = g.info(x).elements / scenario.model.hidden;
    const std::int64_t chosen = tokens * moe.topK;
    HfRouting out{.tokens = x};
    g.enterModule();
    claimWeights(g, block.gate, block.gateAdapter);
    TensorIds named;
    out.logits = hfLogits(g, block, tokens * moe.experts, x, named);
    const TensorId wide = g.cast(out.logits, kHfScoreBytes);
    const TensorId all = g.pointwise("softmax", {wide}, tokens * moe.experts, kHfScoreBytes, {});
    if (g.info(all).requiresGrad) {
        g.last().saved = {all};
    }
    out.indices = g.fresh(chosen, kHfIndexBytes, false);
    const TensorId values = g.pointwise("topk", {all}, chosen, kHfScoreBytes, {out.indices});
    g.last().outputs.push_back(out.indices);
    out.scores = code.normalises ? hfNormalise(g, values, tokens) : values;
    if (code.narrowsScores) {
        out.scores = g.cast(out.scores, g.info(out.logits).width);
    }
    g.holdUntilHere(named);
    g.leaveModule();
    return out;
}

/// The wrapper of the down projections is around that of the gate and up projections.
TensorId hfExpertsOf(OpBuilder& g,
                     const Scenario& scenario,
                     HfBlock block,
                     const HfRouting& routing) {
    g.enterModule();
    claimWeights(g, block.experts.gateAndUp, block.gateAndUpAdapter);
    claimWeights(g, block.experts.down, block.downAdapter);
    if (block.downAdapter) {
        enterAdapter(g, *block.downAdapter);
        enterAdapter(g, *block.gateAndUpAdapter);
        block.experts.downAdapter = &*block.downAdapter;
        block.experts.gateAndUpAdapter = &*block.gateAndUpAdapter;
    }
    const bool looped = scenario.settings.kernels.experts == ExpertKernel::Sequential;
    const TensorId out = looped ? hfLoopedExperts(g, scenario, block.experts, routing)
                                : hfGroupedExperts(g, scenario, block.experts, routing);
    g.leaveModule();
    return out;
}

/// Qwen2-MoE's MLP beside the routed experts.
TensorId hfShared(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const std::int64_t hidden = scenario.model.hidden;
    const std::int64_t width = scenario.model.moe->sharedWidth;
    const Settings& settings = scenario.settings;
    g.enterModule();
    const TensorId opened =
        siteLinear(g, settings, {"shared_expert.gate_proj", "gate", hidden, width}, x);
    g.enterModule();
    const TensorId gate = g.silu(opened);
    g.leaveModule();
    const TensorId up = siteLinear(g, settings, {"shared_expert.up_proj", "up", hidden, width}, x);
    const TensorId inner = g.multiply(gate, up);
    const TensorId out =
        siteLinear(g, settings, {"shared_expert.down_proj", "down", width, hidden}, inner);
    g.leaveModule();
    return out;
}

/// sigmoid(shared_expert_gate(x)) · shared
TensorId hfGateShared(OpBuilder& g, const Scenario& scenario, TensorId x, TensorId shared) {
    const std::int64_t hidden = scenario.model.hidden;
    const std::int64_t tokens = g.info(x).elements / hidden;
    g.enterModule();
    const TensorId logits = g.linear(x, g.matrix("shared_expert_gate", 1, hidden), tokens);
    g.leaveModule();
    const TensorId open = g.pointwise("sigmoid", {logits}, tokens, g.info(logits).width, {});
    if (g.info(open).requiresGrad) {
        g.last().saved = {open};
    }
    return g.multiply(shared, open);
}

}  // namespace

const HfRouter* hfRouterOf(std::string_view family) {
    const auto* const found = std::ranges::find(kHfRouters, family, &HfRouter::family);
    return found == kHfRouters.end() ? nullptr : found;
}

TensorId huggingFaceMoe(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const HfRouter& code = *hfRouterOf(scenario.model.family);
    g.enterModule();
    const HfBlock block = declareBlock(g, scenario, code);
    const bool shares = scenario.model.moe->sharedWidth > 0;
    const TensorId shared = shares ? hfShared(g, scenario, x) : kNoTensor;
    const HfRouting routing = hfRoute(g, scenario, code, block, x);
    TensorId out = hfExpertsOf(g, scenario, block, routing);
    if (shares) {
        out = g.add(out, hfGateShared(g, scenario, x, shared));
    }
    g.holdUntilHere({routing.logits, routing.scores, routing.indices});
    g.leaveModule();
    return out;
}

}  // namespace fabricast
