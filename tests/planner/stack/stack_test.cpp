#include "planner/stack/stack.h"

#include "planner/stack/optimizer_numbers.h"
#include "planner/stack/rules.h"
#include "tests/support/scenarios.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

namespace fabricast {
namespace {

using namespace literals;

Settings defaultsOf(std::string_view name, const Layout& layout) {
    return findStack(name).value()->defaults(layout, Tuning::Full);
}

TEST(Stack, EveryNameAndAliasIsFound) {
    std::set<std::string_view> names;
    for (const Stack& stack : allStacks()) {
        EXPECT_TRUE(names.insert(stack.name).second) << stack.name;
        EXPECT_EQ(findStack(stack.name).value(), &stack);
    }
    EXPECT_EQ(names.size(), 10U);
    EXPECT_EQ(findStack("megatron-bridge").value()->name, "nemo");
}

TEST(Stack, AnUnknownNameListsTheKnownOnes) {
    const auto found = findStack("colossal");
    ASSERT_FALSE(found.has_value());
    EXPECT_EQ(found.error().code, Error::Code::NotFound);
    EXPECT_NE(found.error().text().find("torchtitan"), std::string::npos);
}

TEST(StackDefaults, TorchtitanReducesInFp32AndSelectsWhatItKeeps) {
    const Settings titan = defaultsOf("torchtitan", {.dp = 8, .shard = Shard::Fsdp});
    EXPECT_EQ(titan.precision.parameters, Dtype::Fp32);
    EXPECT_EQ(titan.precision.reduce, Dtype::Fp32);
    EXPECT_EQ(titan.recompute.kind, Checkpointing::Selective);
    EXPECT_EQ(titan.kernels.loss, LossKernel::Chunked);
    EXPECT_TRUE(titan.kernels.fusedQkv);
    EXPECT_TRUE(titan.kernels.positionIds);
}

TEST(StackDefaults, DeepspeedOverlapsOnlyAtStageThree) {
    EXPECT_FALSE(defaultsOf("deepspeed", {.dp = 8, .shard = Shard::Zero2}).deepspeed.overlapComm);
    EXPECT_TRUE(defaultsOf("deepspeed", {.dp = 8, .shard = Shard::Zero3}).deepspeed.overlapComm);
}

TEST(StackDefaults, MegatronShardNoneIsWithoutDistributedOptimizer) {
    EXPECT_TRUE(
        defaultsOf("megatron", {.dp = 8, .shard = Shard::Zero1}).megatron.distributedOptimizer);
    EXPECT_FALSE(
        defaultsOf("megatron", {.dp = 8, .shard = Shard::None}).megatron.distributedOptimizer);
    EXPECT_EQ(defaultsOf("megatron", {}).precision.reduce, Dtype::Fp32);
}

TEST(StackDefaults, AccelerateIsTheEngineThatTheShardingNames) {
    EXPECT_EQ(defaultsOf("accelerate", {.dp = 1, .shard = Shard::None}).engine, Engine::Local);
    EXPECT_EQ(defaultsOf("accelerate", {.dp = 2, .shard = Shard::None}).engine, Engine::Ddp);
    EXPECT_EQ(defaultsOf("accelerate", {.shard = Shard::Hsdp}).engine, Engine::Fsdp2);
    EXPECT_EQ(defaultsOf("axolotl", {.shard = Shard::Zero2}).engine, Engine::DeepSpeed);
    EXPECT_EQ(defaultsOf("accelerate", {.shard = Shard::Fsdp}).torch.sync,
              GradientSync::LastMicroBatch);
}

TEST(StackDefaults, UntypedLayoutKeysFollowTheStack) {
    const LayoutDefaults megatron =
        layoutDefaults(*findStack("megatron").value(), {.tp = 8, .pp = 4, .vpp = 2});
    EXPECT_EQ(megatron.shard, Shard::Zero1);
    EXPECT_EQ(megatron.schedule, ScheduleKind::Interleaved);
    EXPECT_EQ(megatron.etp, 8);
    EXPECT_FALSE(megatron.sp);
    const LayoutDefaults titan =
        layoutDefaults(*findStack("torchtitan").value(), {.tp = 8, .pp = 4});
    EXPECT_EQ(titan.shard, Shard::Fsdp);
    EXPECT_EQ(titan.schedule, ScheduleKind::OneFOneB);
    EXPECT_EQ(titan.etp, 1);
    EXPECT_TRUE(titan.sp);
    EXPECT_EQ(titan.cpKind, CpKind::Ring);
}

// What a stack lists first is what it checks as valid, so an untyped key is never refused.
TEST(StackAxes, DefaultsAreAccepted) {
    for (const Stack& stack : allStacks()) {
        Layout layout{.dp = 8};
        layout.shard = layoutDefaults(stack, layout).shard;
        EXPECT_TRUE(checkAxes(stack.name, stack.axes, layout).has_value()) << stack.name;
    }
}

struct RefusalCase {
    std::string_view stack;
    Layout layout;
    std::string_view where;
    std::string_view hint;
};

TEST(StackAxes, WhatAStackDoesNotHaveIsNamed) {
    const RefusalCase cases[] = {
        {"ddp", {.tp = 2}, "layout.tp", "another stack"},
        {"ddp", {.shard = Shard::Zero1}, "layout.shard", "one of: none"},
        {"fsdp2", {.pp = 2, .shard = Shard::Fsdp}, "layout.pp", "another stack"},
        {"deepspeed", {.cp = 2, .shard = Shard::Zero3}, "layout.cp_kind", "ulysses"},
        {"torchtitan", {.etp = 2, .shard = Shard::Fsdp}, "layout.etp", "another stack"},
        {"megatron", {.shard = Shard::Zero3}, "layout.shard", "zero1, none"},
        {"accelerate", {.ep = 8, .shard = Shard::Fsdp}, "layout.ep", "another stack"},
    };
    for (const RefusalCase& refusal : cases) {
        const Stack& stack = *findStack(refusal.stack).value();
        const auto verdict = checkAxes(stack.name, stack.axes, refusal.layout);
        ASSERT_FALSE(verdict.has_value()) << refusal.stack;
        EXPECT_EQ(verdict.error().where, refusal.where);
        EXPECT_NE(verdict.error().hint.find(refusal.hint), std::string::npos)
            << verdict.error().text();
    }
}

TEST(MegatronRules, RefusesALossThatIsNotItsOwn) {
    Scenario scenario = smallTitan(Bytes(std::int64_t{80} << 30));
    scenario.stack = "megatron";
    scenario.cluster.nodes = 1;
    scenario.layout = {.dp = 8, .shard = Shard::Zero1, .microBatch = 2};
    const Stack* megatron = findStack("megatron").value();
    scenario.settings = defaultSettings(*megatron, scenario.model, scenario.layout);
    ASSERT_TRUE(megatron->check(scenario)) << megatron->check(scenario).error().text();
    scenario.settings.kernels.loss = LossKernel::Chunked;
    const auto checked = megatron->check(scenario);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().where, "settings.kernels.loss");
}

TEST(StackRules, KernelsOfTransformerEngineAreRefusedElsewhere) {
    const Stack& megatron = *findStack("megatron").value();
    Scenario scenario = smallTitan(80_GiB);
    scenario.stack = "megatron";
    scenario.layout = {.dp = 8, .shard = Shard::Zero1};
    scenario.settings = megatron.defaults(scenario.layout, Tuning::Full);
    const auto refused = [&] {
        const Result<void> allowed = megatron.check(scenario);
        return allowed ? std::string() : allowed.error().where;
    };
    KernelSettings& kernels = scenario.settings.kernels;
    kernels.fp8Attention = true;
    EXPECT_EQ(refused(), "settings.kernels.fp8_attention");  // layers multiply in bf16
    kernels.quantization = Quantization::Fp8Blockwise;
    EXPECT_EQ(refused(), "settings.kernels.fp8_attention");
    kernels.quantization = Quantization::Fp8Tensorwise;
    EXPECT_NE(refused(), "settings.kernels.fp8_attention");
    kernels.fp8Attention = false;
    kernels.fusedExperts = true;
    EXPECT_EQ(refused(), "settings.kernels.fused_experts");
    kernels.fusedExperts = false;
    kernels.fusedOps = true;
    EXPECT_NE(refused(), "settings.kernels.fused_ops");
    kernels.quantization = Quantization::None;
    EXPECT_EQ(refused(), "settings.kernels.fused_ops");
    kernels.fusedOps = false;
    kernels.documentTokens = 512;
    EXPECT_NE(refused(), "settings.kernels.document_tokens");
    kernels.attention = AttentionKernel::Unfused;
    EXPECT_EQ(refused(), "settings.kernels.document_tokens");
}

/// The key that `change` of a mixture's settings is refused for under a stack, or nothing.
std::string refusedOfExperts(const char* name, const std::function<void(KernelSettings&)>& change) {
    const Stack& stack = *findStack(name).value();
    Scenario scenario = smallTitan(80_GiB);
    scenario.stack = name;
    scenario.model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 512};
    scenario.model.sparse.assign(static_cast<std::size_t>(scenario.model.layers), true);
    scenario.layout = {.dp = 8, .shard = usualShard(stack, {.dp = 8})};
    scenario.settings = defaultSettings(stack, scenario.model, scenario.layout);
    change(scenario.settings.kernels);
    const Result<void> allowed = stack.check(scenario);
    return allowed ? std::string() : allowed.error().where + ": " + allowed.error().hint;
}

TEST(StackRules, ExpertsArePaddedToACapacityThatIsSaid) {
    const auto padded = [](double capacity) {
        return [capacity](KernelSettings& kernels) {
            kernels.padToCapacity = true;
            kernels.capacityFactor = capacity;
        };
    };
    EXPECT_EQ(refusedOfExperts("megatron", padded(0.0)),
              "settings.kernels.pad_to_capacity: --set settings.kernels.capacity_factor=1");
    EXPECT_EQ(refusedOfExperts("megatron", padded(1.0)), "");
}

TEST(StackRules, GraphsOfIterationsKnowTheRowsOfExperts) {
    const auto graphs = [](bool any, double capacity, bool oncePerNode) {
        return [=](KernelSettings& kernels) {
            kernels.graphExperts = true;
            kernels.cudaGraphs = any;
            kernels.capacityFactor = capacity;
            kernels.padToCapacity = capacity > 0;
            kernels.dispatchOncePerNode = oncePerNode;
        };
    };
    EXPECT_EQ(refusedOfExperts("megatron", graphs(false, 1.0, false)),
              "settings.kernels.graph_experts: --set settings.kernels.cuda_graphs=true");
    EXPECT_EQ(refusedOfExperts("megatron", graphs(true, 0.0, false)),
              "settings.kernels.graph_experts: --set settings.kernels.capacity_factor=1 --set "
              "settings.kernels.pad_to_capacity=true");
    EXPECT_EQ(refusedOfExperts("megatron", graphs(true, 1.0, false)), "");
    EXPECT_EQ(refusedOfExperts("nemo", graphs(true, 0.0, true)), "");
}

TEST(StackRules, KeysOfExpertsThatDoNothingAreRefused) {
    const auto key = [](const char* stack, const std::function<void(KernelSettings&)>& change) {
        const std::string refused = refusedOfExperts(stack, change);
        return refused.substr(0, refused.find(':'));
    };
    for (const char* const stack : {"fsdp2", "torchtitan", "deepspeed"}) {
        EXPECT_EQ(key(stack, [](KernelSettings& kernels) { kernels.capacityFactor = 1.0; }),
                  "settings.kernels.capacity_factor");
        EXPECT_EQ(key(stack, [](KernelSettings& kernels) { kernels.padToCapacity = true; }),
                  "settings.kernels.pad_to_capacity");
        EXPECT_EQ(key(stack, [](KernelSettings& kernels) { kernels.graphExperts = true; }),
                  "settings.kernels.graph_experts");
        EXPECT_EQ(
            key(stack, [](KernelSettings& kernels) { kernels.dispatcher = Dispatcher::AllGather; }),
            "settings.kernels.dispatcher");
    }
    const auto quantised = [](KernelSettings& kernels) { kernels.quantizedExperts = true; };
    EXPECT_EQ(key("megatron", quantised), "settings.kernels.quantized_experts");
    EXPECT_EQ(key("fsdp2", quantised), "settings.kernels.quantized_experts");
    EXPECT_EQ(key("torchtitan", quantised), "");
}

TEST(StackDefaults, AxolotlQuantizesTwice) {
    EXPECT_TRUE(defaultsOf("axolotl", {.dp = 8}).lora.doubleQuantization);
    EXPECT_FALSE(defaultsOf("fsdp2", {.dp = 8}).lora.doubleQuantization);
}

/// One process alone, too, which no framework wraps.
TEST(OptimizerNumbers, AreKnownOfEveryEngine) {
    for (const Engine engine : {Engine::Local,
                                Engine::Ddp,
                                Engine::Fsdp1,
                                Engine::Fsdp2,
                                Engine::DeepSpeed,
                                Engine::Megatron,
                                Engine::MegatronFsdp}) {
        Settings settings;
        settings.engine = engine;
        settings.precision = {.parameters = Dtype::Fp32};
        EXPECT_TRUE(checkOptimizerNumbers(settings)) << static_cast<int>(engine);
    }
}

}  // namespace
}  // namespace fabricast
