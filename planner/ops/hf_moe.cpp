#include "planner/ops/hf_moe.h"

#include "planner/ops/hf_code.h"
#include "planner/ops/hf_expert_adapters.h"

#include <algorithm>
#include <array>
#include <optional>

namespace fabricast {

namespace {

constexpr std::array kHfRouters = {
    HfRouter{.family = "mixtral", .leafOfZero3 = true},
    HfRouter{
        .family = "qwen2_moe", .narrowsScores = true, .normalises = false, .leafOfZero3 = true},
    HfRouter{.family = "qwen3_moe",
             .registeredFirst = false,
             .narrowsScores = true,
             .leafOfZero3 = true},
    HfRouter{.family = "gpt_oss",
             .scoring = HfScoring::SoftmaxOfChosen,
             .transposed = true,
             .returnsScores = true},
    HfRouter{.family = "glm4_moe",
             .scoring = HfScoring::Sigmoid,
             .registeredFirst = false,
             .sharedFirst = false},
    HfRouter{.family = "deepseek_v2",
             .scoring = HfScoring::SoftmaxOfGroups,
             .registeredFirst = false,
             .sharedFirst = false},
    HfRouter{.family = "deepseek_v3",
             .scoring = HfScoring::Sigmoid,
             .registeredFirst = false,
             .sharedFirst = false},
    HfRouter{.family = "kimi_k2",  // which transformers runs as deepseek_v3
             .scoring = HfScoring::Sigmoid,
             .registeredFirst = false,
             .sharedFirst = false},
    HfRouter{.family = "llama4_text", .everyExpert = true},
    HfRouter{.family = "minimax_m2", .scoring = HfScoring::SigmoidOfWidened},
    HfRouter{.family = "olmoe", .narrowsScores = true, .normalises = false},
    HfRouter{
        .family = "granitemoe", .scoring = HfScoring::SoftmaxOfWidened, .narrowsScores = true}};

HfExpertStacks hfExpertWeights(OpBuilder& g, const Scenario& scenario) {
    const MoeSpec& moe = *scenario.model.moe;
    const auto stack = [&](std::string_view name, std::int64_t rows, std::int64_t columns) {
        const int weight = g.matrix(name, moe.experts * rows, columns);
        g.weightAt(weight).experts = moe.experts;
        g.weightAt(weight).cast = false;  // autocast leaves grouped products alone
        return weight;
    };
    const auto biases = [&](std::int64_t rows) {
        if (!moe.expertBias) {
            return -1;
        }
        const int weight = g.weight("bias", moe.experts * rows, false);
        g.weightAt(weight).experts = moe.experts;
        return weight;
    };
    HfExpertStacks weights;
    // Named as the parameters of one expert are: by name weights find their place in the order.
    weights.gateAndUp = stack("experts.gate_proj", 2 * moe.expertWidth, scenario.model.hidden);
    weights.gateAndUpBias = biases(2 * moe.expertWidth);
    weights.down = stack("experts.down_proj", scenario.model.hidden, moe.expertWidth);
    weights.downBias = biases(scenario.model.hidden);
    return weights;
}

/// The block's parameters, and PEFT's adapters of them.
struct HfBlock {
    HfGate gate;
    HfExpertStacks experts;
    std::optional<ParameterAdapter> gateAdapter;
    std::optional<ParameterAdapter> gateAndUpAdapter;
    std::optional<ParameterAdapter> downAdapter;
};

void declareExperts(OpBuilder& g, const Scenario& scenario, const HfRouter& code, HfBlock& block) {
    const LoraSettings& lora = scenario.settings.lora;
    block.experts = hfExpertWeights(g, scenario);
    if (adaptsExperts(scenario.settings)) {
        // PEFT turns the names of gate and up into their one stack, with the rank of both; a stack
        // that was always one is named itself.
        const std::int64_t rank = code.transposed ? lora.rank : 2 * lora.rank;
        block.gateAndUpAdapter = declareParameterAdapter(g, lora, block.experts.gateAndUp, rank);
        block.downAdapter = declareParameterAdapter(g, lora, block.experts.down, lora.rank);
    }
}

void declareGate(OpBuilder& g, const Scenario& scenario, HfBlock& block) {
    const MoeSpec& moe = *scenario.model.moe;
    block.gate.weight = g.matrix("router", moe.experts, scenario.model.hidden);
    if (moe.routerBias) {
        block.gate.bias = g.weight("bias", moe.experts, false);
    }
    if (adaptsRouter(scenario.settings)) {
        const LoraSettings& lora = scenario.settings.lora;
        block.gateAdapter = declareParameterAdapter(g, lora, block.gate.weight, lora.rank);
    }
}

HfBlock declareBlock(OpBuilder& g, const Scenario& scenario, const HfRouter& code) {
    HfBlock block;
    if (code.registeredFirst) {
        declareGate(g, scenario, block);
        declareExperts(g, scenario, code, block);
    } else {
        declareExperts(g, scenario, code, block);
        declareGate(g, scenario, block);
    }
    return block;
}

void claimWeights(OpBuilder& g,
                  int weight,
                  int bias,
                  const std::optional<ParameterAdapter>& adapter) {
    g.claimWeight(weight);
    if (bias >= 0) {
        g.claimWeight(bias);
    }
    if (adapter) {
        g.claimWeight(adapter->factors.down);
        g.claimWeight(adapter->factors.up);
    }
}

/// The wrapper of the down projections is around that of the gate and up projections.
TensorId hfExpertsOf(OpBuilder& g,
                     const Scenario& scenario,
                     HfBlock block,
                     const HfRouting& routing) {
    g.enterModule();
    const HfExpertStacks& stacks = block.experts;
    claimWeights(g, stacks.gateAndUp, stacks.gateAndUpBias, block.gateAndUpAdapter);
    claimWeights(g, stacks.down, stacks.downBias, block.downAdapter);
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

HfRouting routed(
    OpBuilder& g, const Scenario& scenario, const HfRouter& code, HfBlock& block, TensorId x) {
    g.enterModule();
    claimWeights(g, block.gate.weight, block.gate.bias, block.gateAdapter);
    if (block.gateAdapter) {
        block.gate.adapter = &*block.gateAdapter;
    }
    const HfRouting routing = hfRoute(g, scenario, code, block.gate, x);
    g.leaveModule();
    return routing;
}

}  // namespace

TensorId hfShared(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const std::int64_t hidden = scenario.model.hidden;
    const std::int64_t width = scenario.model.moe->sharedWidth;
    const Settings& settings = scenario.settings;
    g.enterModule();
    const TensorId opened = siteLinear(
        g, settings, {"shared_expert.gate_proj", mlpTarget(scenario, "gate"), hidden, width}, x);
    g.enterModule();
    const TensorId gate = g.silu(opened);
    g.leaveModule();
    const TensorId up = siteLinear(
        g, settings, {"shared_expert.up_proj", mlpTarget(scenario, "up"), hidden, width}, x);
    const TensorId inner = g.multiply(gate, up);
    const TensorId out =
        siteLinear(g,
                   settings,
                   {"shared_expert.down_proj", mlpTarget(scenario, "down"), width, hidden},
                   inner);
    g.leaveModule();
    return out;
}

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

TensorId viewOfTokens(OpBuilder& g, TensorId x) {
    const TensorId view = g.viewOf(x, g.info(x).elements);
    g.push({.kind = OpKind::Copy,
            .name = "view",
            .inputs = {x},
            .outputs = {view},
            .passesGradient = true});
    return view;
}

const HfRouter* hfRouterOf(std::string_view family) {
    const auto* const found = std::ranges::find(kHfRouters, family, &HfRouter::family);
    return found == kHfRouters.end() ? nullptr : found;
}

std::string hfRouterFamilies() {
    std::string text;
    for (std::size_t i = 0; i < kHfRouters.size(); ++i) {
        text += i == 0 ? "" : i + 1 == kHfRouters.size() ? " and " : ", ";
        text += kHfRouters[i].family;
    }
    return text;
}

bool isLeafOfZero3(const Scenario& scenario) {
    const HfRouter* const code = hfRouterOf(scenario.model.family);
    return scenario.settings.engine == Engine::DeepSpeed && scenario.layout.shard == Shard::Zero3 &&
           code != nullptr && code->leafOfZero3;
}

HfMoe huggingFaceMoe(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const HfRouter& code = *hfRouterOf(scenario.model.family);
    if (code.everyExpert) {
        return hfAllExperts(g, scenario, x);
    }
    const MoeSpec& moe = *scenario.model.moe;
    isLeafOfZero3(scenario) ? g.enterLeafModule() : g.enterModule();
    HfBlock block = declareBlock(g, scenario, code);
    const bool shares = moe.sharedWidth > 0;
    TensorId shared = shares && code.sharedFirst ? hfShared(g, scenario, x) : kNoTensor;
    HfRouting routing = routed(g, scenario, code, block, x);
    if (!code.sharedFirst) {
        routing.tokens = viewOfTokens(g, x);
    }
    TensorId out = hfExpertsOf(g, scenario, block, routing);
    if (shares && !code.sharedFirst) {
        shared = hfShared(g, scenario, x);
    }
    if (shares) {
        out = g.add(out, moe.sharedGate ? hfGateShared(g, scenario, x, shared) : shared);
    }
    g.holdUntilHere({routing.logits, routing.scores, routing.indices});
    g.leaveModule();
    return {out, code.returnsScores ? routing.scores : kNoTensor};
}

}  // namespace fabricast
