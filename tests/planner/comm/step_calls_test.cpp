#include "planner/comm/engine_calls.h"
#include "planner/stack/stack.h"
#include "tests/support/scenarios.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

namespace fabricast {
namespace {

Scenario small() {
    return smallTitan(Bytes(80'000'000'000));
}

Scenario megatron(const Layout& layout) {
    Scenario scenario = small();
    scenario.layout = layout;
    scenario.layout.shard = Shard::Zero1;
    scenario.workload.globalBatch = 4 * layout.dp * layout.microBatch;
    scenario.settings = findStack("megatron").value()->defaults(scenario.layout, Tuning::Full);
    return scenario;
}

Scenario huggingFace(const char* stack, Layout layout) {
    Scenario scenario = small();
    scenario.layout = layout;
    scenario.workload.globalBatch = 2 * layout.dp * layout.microBatch;
    scenario.settings = findStack(stack).value()->defaults(layout, Tuning::Full);
    return scenario;
}

using Wanted = std::function<bool(const CommCall&)>;

struct Sum {
    std::int64_t count = 0;
    std::int64_t elements = 0;
    bool operator==(const Sum&) const = default;
};

Sum sum(const Scenario& scenario, const Wanted& wanted, std::int64_t stage = 0) {
    const auto calls = stepCalls(scenario, {.stage = stage});
    EXPECT_TRUE(calls) << (calls ? "" : calls.error().text());
    Sum total;
    for (const CommCall& call : calls ? *calls : std::vector<CommCall>{}) {
        if (wanted(call)) {
            total.count += call.count();
            total.elements += call.totalElements();
        }
    }
    return total;
}

Wanted inPhase(CommUse use, CommOp op, CommPhase phase) {
    return [=](const CommCall& call) {
        return call.use == use && call.op == op && call.phase == phase;
    };
}

// 8 layers, 4 microbatches of 2048 tokens: 3 steps round the ring each, of 1024 tokens' keys and
// values of 8 heads of 64; backward sends their gradients too.
TEST(StepCalls, KeysAndValuesGoRoundTheRing) {
    const Scenario scenario = megatron({.dp = 2, .cp = 4, .cpKind = CpKind::Ring});
    const std::int64_t pair = 2048 / 4 * 2 * 8 * 64;
    EXPECT_EQ(sum(scenario, inPhase(CommUse::KeyValue, CommOp::Send, CommPhase::Forward)),
              (Sum{8 * 4 * 3, 8 * 4 * 3 * pair}));
    EXPECT_EQ(sum(scenario, inPhase(CommUse::KeyValue, CommOp::Send, CommPhase::Backward)),
              (Sum{8 * 4 * 6, 8 * 4 * 6 * pair}));
}

// Two neighbours exchange heads, two such pairs are a ring of one step.
TEST(StepCalls, HierarchicalContextDoesBoth) {
    Scenario scenario = megatron({.dp = 2, .tp = 4, .cp = 4, .cpKind = CpKind::Hierarchical});
    const auto inner = [](const CommCall& call) { return call.group == GroupKind::ContextInner; };
    const auto outer = [](const CommCall& call) {
        return call.group == GroupKind::ContextOuter && call.op == CommOp::Send &&
               call.phase == CommPhase::Forward;
    };
    EXPECT_EQ(sum(scenario, inner).count, 8 * 4 * 4 * 2);
    EXPECT_EQ(sum(scenario, outer).count, 8 * 4);
}

// Adapters of rank 16 on q and v: 16 x (1024 + 1024) and 16 x (1024 + 512) in each of 8 layers.
// DDP reduces them once; FSDP2 in both micro-batches.
// nanotron's ZeRO-1: every rank has all of the sum, and steps its part of the weights.
TEST(StepCalls, GradientsThatAreNotScatteredAreAllReduced) {
    Scenario scenario = megatron({.dp = 8, .microBatch = 1});
    const auto reduced = [&scenario](CommOp op) {
        return sum(scenario, [op](const CommCall& call) {
            return call.use == CommUse::GradientReduce && call.op == op;
        });
    };
    const auto gathered = [&scenario] {
        return sum(scenario,
                   [](const CommCall& call) { return call.use == CommUse::ParameterGather; });
    };
    const Sum scattered = reduced(CommOp::ReduceScatterCoalesced);
    const Sum gathers = gathered();
    EXPECT_GT(scattered.elements, 0);
    EXPECT_EQ(reduced(CommOp::AllReduceCoalesced), Sum{});
    scenario.settings.megatron.reduceScatter = false;
    EXPECT_EQ(reduced(CommOp::AllReduceCoalesced), scattered);
    EXPECT_EQ(reduced(CommOp::ReduceScatterCoalesced), Sum{});
    EXPECT_EQ(gathered(), gathers);
}

TEST(StepCalls, OnlyAdaptersAreReduced) {
    const auto reduced = [](const CommCall& call) { return call.use == CommUse::GradientReduce; };
    const auto elements = [&](Scenario scenario) {
        scenario.settings.tuning = Tuning::Lora;
        scenario.settings.lora.rank = 16;
        scenario.settings.lora.targets = {"q", "v"};
        return sum(scenario, reduced).elements;
    };
    EXPECT_EQ(elements(huggingFace("ddp", {.dp = 8})), 8 * 16 * (2048 + 1536));
    EXPECT_EQ(elements(huggingFace("fsdp2", {.dp = 8, .shard = Shard::Fsdp})),
              2 * 8 * 16 * (2048 + 1536));
}

// 8 ranks, 4 shards, 2 copies, 2 microbatches: both scatter, the last alone joins the copies.
TEST(StepCalls, MegatronFsdpJoinsItsCopiesOnce) {
    const auto reduced = [](const char* stack, CommOp op) {
        return sum(huggingFace(stack, {.dp = 8, .shard = Shard::Hsdp, .shardSize = 4}),
                   [op](const CommCall& call) {
                       return call.use == CommUse::GradientReduce && call.op == op;
                   });
    };
    const Sum scattered = reduced("megatron-fsdp", CommOp::ReduceScatter);
    const Sum joined = reduced("megatron-fsdp", CommOp::AllReduce);
    EXPECT_GT(joined.count, 0);
    EXPECT_EQ(scattered, (Sum{2 * joined.count, 2 * 4 * joined.elements}));
    // fully_shard does both in every microbatch, unless it is told otherwise.
    const Sum torchs = reduced("fsdp2", CommOp::AllReduce);
    EXPECT_EQ(torchs.count, reduced("fsdp2", CommOp::ReduceScatter).count);
}

TEST(StepCalls, AQuantisedBaseIsGatheredAsBytes) {
    Scenario scenario = huggingFace("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
    scenario.settings.tuning = Tuning::Lora;
    scenario.settings.lora = {.rank = 16, .targets = {"q"}, .base = Dtype::Nf4};
    const auto bytes = [](const CommCall& call) {
        return call.type == WireType::Uint8 && call.phase == CommPhase::Forward;
    };
    // q and o 1024 x 1024, k and v 512 x 1024, three of 2816 x 1024; half a byte each, twice
    const std::int64_t linears = (2 * 1024 + 2 * 512 + 3 * 2816) * 1024;
    EXPECT_EQ(sum(scenario, bytes).elements, 2 * 8 * linears / 2);
}

// What one stage sends, its neighbours receive.
TEST(StepCalls, StagesSendWhatOthersReceive) {
    const auto sent = [](const CommCall& call) { return call.op == CommOp::Send; };
    const auto received = [](const CommCall& call) { return call.op == CommOp::Recv; };
    for (const std::int64_t vpp : {1, 2}) {
        Sum all;
        Sum back;
        for (std::int64_t stage = 0; stage < 4; ++stage) {
            const Scenario scenario = megatron({.dp = 2, .tp = 2, .pp = 4, .vpp = vpp});
            const Sum out = sum(scenario, sent, stage);
            const Sum in = sum(scenario, received, stage);
            all.elements += out.elements;
            back.elements += in.elements;
        }
        EXPECT_EQ(all, back);
        EXPECT_EQ(all.elements, 2 * 4 * (4 * vpp - 1) * std::int64_t{2048} * 1024);
    }
}

TEST(StepCalls, OffloadingCallsNothing) {
    Scenario scenario = huggingFace("deepspeed", {.dp = 8, .shard = Shard::Zero2});
    const auto before = stepCalls(scenario, {});
    scenario.layout.offload = Offload::OptimizerCpu;
    EXPECT_EQ(stepCalls(scenario, {}).value(), before.value());
}

TEST(StepCalls, OfTheTailAreWhatZero3CallsOnceAStep) {
    const Scenario scenario = huggingFace("deepspeed", {.dp = 8, .shard = Shard::Zero3});
    auto once = stepCalls(scenario, {}).value();
    std::erase_if(once, [](const CommCall& call) { return call.phase != CommPhase::Optimizer; });
    ASSERT_FALSE(once.empty());
    EXPECT_EQ(tailCalls(stageView(scenario, {}).value()).value(), once);
}

TEST(StepCalls, WhatNobodyRecordedSaysSo) {
    const auto read = [](const CommCall& call) { return call.source == CallSource::Read; };
    EXPECT_EQ(sum(small(), read).count, 0);
    EXPECT_GT(sum(megatron({.dp = 4, .cp = 2}), read).count, 0);
}

// A prediction layer is one more layer, embedding and head on the last stage.
TEST(StepCalls, PredictionsAddALayerToTheLastStage) {
    Scenario scenario = megatron({.dp = 2, .tp = 2, .sp = true, .pp = 2});
    const auto sums = inPhase(CommUse::Activation, CommOp::ReduceScatter, CommPhase::Forward);
    const Sum first = sum(scenario, sums, 0);
    const Sum last = sum(scenario, sums, 1);
    scenario.model.mtpDepth = 1;
    EXPECT_EQ(sum(scenario, sums, 0), first);
    EXPECT_EQ(sum(scenario, sums, 1).count, last.count + 4 * 3);  // attention, MLP, embedding
}

TEST(StepCalls, SaysWhatItDoesNotKnow) {
    Scenario scenario = small();
    EXPECT_EQ(stepCalls(scenario, {.stage = 1}).error().where, "rank");
    scenario.layout.pp = 2;
    scenario.layout.schedule = ScheduleKind::DualPipe;
    EXPECT_EQ(stepCalls(scenario, {}).error().where, "layout.schedule");
    scenario = huggingFace("deepspeed", {.dp = 8, .ep = 2, .shard = Shard::Zero3});
    scenario.settings.kernels.experts = ExpertKernel::Sequential;
    scenario.model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 512};
    scenario.model.sparse.assign(8, true);
    EXPECT_EQ(stepCalls(scenario, {}).error().where, "layout.ep");
}

std::int64_t anyNumber() {
    return *rc::gen::weightedOneOf<std::int64_t>(
        {{30, rc::gen::element<std::int64_t>(1, 1, 1, 1, 2, 2, 4, 8)},
         {1, rc::gen::element<std::int64_t>(0, -1, 3, 1'000'000, INT64_MAX, INT64_MIN)}});
}

Layout anyLayout() {
    Layout layout;
    layout.dp = anyNumber();
    layout.tp = anyNumber();
    layout.pp = anyNumber();
    layout.vpp = anyNumber();
    layout.cp = anyNumber();
    layout.ep = anyNumber();
    layout.etp = anyNumber();
    layout.sp = *rc::gen::arbitrary<bool>();
    layout.shardSize = *rc::gen::element<std::int64_t>(0, 0, 0, 0, 0, 1, 2, -1);
    layout.microBatch = anyNumber();
    layout.shard = *rc::gen::element(
        Shard::None, Shard::Zero1, Shard::Zero2, Shard::Zero3, Shard::Fsdp, Shard::Hsdp);
    layout.cpKind =
        *rc::gen::element(CpKind::Ring, CpKind::AllGather, CpKind::Ulysses, CpKind::Hierarchical);
    layout.schedule = *rc::gen::element(ScheduleKind::None,
                                        ScheduleKind::OneFOneB,
                                        ScheduleKind::Gpipe,
                                        ScheduleKind::Interleaved,
                                        ScheduleKind::ZbV,
                                        ScheduleKind::DualPipeV,
                                        ScheduleKind::VHalf);
    return layout;
}

// Whatever the numbers: calls that can be counted and whose groups exist, or an error.
RC_GTEST_PROP(StepCallsProperty, AnyLayoutGivesCallsOrAnError, ()) {
    Scenario scenario = small();
    const auto stacks = allStacks();
    const auto& stack = stacks[*rc::gen::inRange<std::size_t>(0, stacks.size())];
    scenario.layout = anyLayout();
    scenario.settings = stack.defaults({.dp = 2, .shard = scenario.layout.shard}, Tuning::Full);
    scenario.settings.torch.reshard =
        *rc::gen::element(Reshard::Default, Reshard::Always, Reshard::Never);
    scenario.workload.globalBatch =
        *rc::gen::element<std::int64_t>(512, 512, 512, 512, 64, 8, 1, 0, INT64_MAX);
    if (*rc::gen::arbitrary<bool>()) {
        scenario.model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 512};
        scenario.model.sparse.assign(8, true);
        scenario.model.sparse.front() = false;
    }
    const std::int64_t stage = *rc::gen::element<std::int64_t>(0, 0, 0, 0, 1, 3, -1);
    const auto calls = stepCalls(scenario, {.stage = stage});
    RC_CLASSIFY(calls.has_value());
    if (!calls) {
        RC_ASSERT(!calls.error().why.empty());
        return;
    }
    for (const CommCall& call : *calls) {
        RC_ASSERT(call.count() > 0);
        RC_ASSERT(call.elements > 0);
        RC_ASSERT(call.totalElements() / call.count() == call.elements);
    }
}

// fully_shard(model) alone: one call gathers all weights, and they stay for the backward.
TEST(StepCalls, OneUnitIsGatheredOnceAMicroBatch) {
    Scenario scenario = huggingFace("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
    scenario.model.tiedEmbeddings = false;
    const Wanted gathers = [](const CommCall& call) {
        return call.use == CommUse::ParameterGather && call.op == CommOp::AllGather;
    };
    const Wanted reduces = [](const CommCall& call) { return call.op == CommOp::ReduceScatter; };
    const std::int64_t all = sum(scenario, reduces).elements;
    scenario.settings.torch.oneUnit = true;
    EXPECT_EQ(sum(scenario, gathers), (Sum{2, all}));
    EXPECT_EQ(sum(scenario, reduces), (Sum{2, all}));
    scenario.settings.torch.reshard = Reshard::Always;
    EXPECT_EQ(sum(scenario, gathers), (Sum{4, 2 * all}));
}

}  // namespace
}  // namespace fabricast
