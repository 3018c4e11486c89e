#include "planner/comm/engine_calls.h"
#include "planner/stack/stack.h"
#include "tests/support/scenarios.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

namespace fabricast {
namespace {

namespace autoep_experts_test {

/// Row 0 of tests/cases/memory/autoep_memory.csv, and others of its first ones by `layout`.
Scenario autoEpScenario(Layout layout, std::int64_t layers = 2, std::int64_t vocab = 4096) {
    Scenario scenario = smallTitan(Bytes(80'000'000'000));
    ModelSpec& model = scenario.model;
    model.family = "mixtral";
    model.layers = layers;
    model.hidden = 512;
    model.vocab = vocab;
    model.mlp.width = 1024;
    model.attention.heads = 8;
    model.attention.kvHeads = 4;
    model.attention.headDim = 64;
    model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 1024};
    model.sparse.assign(static_cast<std::size_t>(layers), true);
    scenario.layout = layout;
    scenario.workload = {.sequence = 2048, .globalBatch = layout.microBatch * layout.dp};
    scenario.settings = findStack("deepspeed").value()->defaults(layout, Tuning::Full);
    scenario.settings.deepspeed.reduceBucket = 20'000'000;
    return scenario;
}

using Key = std::tuple<CommOp, GroupKind, WireType, std::int64_t>;
using AutoEpCounts = std::map<Key, std::int64_t>;

AutoEpCounts autoEpCounts(const Scenario& scenario) {
    AutoEpCounts counts;
    const auto calls = stepCalls(scenario, {.stage = 0});
    EXPECT_TRUE(calls) << (calls ? "" : calls.error().text());
    for (const CommCall& call : calls ? *calls : std::vector<CommCall>{}) {
        counts[{call.op, call.group, call.type, call.elements}] += call.count();
    }
    return counts;
}

constexpr auto kOver = GroupKind::DataContext;
constexpr auto kAlike = GroupKind::ExpertData;
constexpr auto kApart = GroupKind::Expert;

}  // namespace autoep_experts_test

using autoep_experts_test::autoEpCounts;
using autoep_experts_test::AutoEpCounts;
using autoep_experts_test::autoEpScenario;
using autoep_experts_test::kAlike;
using autoep_experts_test::kApart;
using autoep_experts_test::kOver;

TEST(AutoEpExperts, AreWhatDeepSpeedPutsInPlaceWithExpertParallelism) {
    const Scenario scenario = autoEpScenario({.dp = 4, .ep = 2, .shard = Shard::Zero2});
    EXPECT_EQ(scenario.settings.kernels.experts, ExpertKernel::AutoEp);
}

/// What deepspeed 0.19.8 called in the recorded steps.
TEST(AutoEpExperts, CallWhatWasRecordedAtStage2) {
    const AutoEpCounts expected = {{{CommOp::AllToAll, kApart, WireType::Bf16, 4'194'304}, 8},
                                   {{CommOp::AllToAll, kApart, WireType::Int32, 8}, 2},
                                   {{CommOp::AllGather, kAlike, WireType::Bf16, 12'582'912}, 1},
                                   {{CommOp::AllGather, kOver, WireType::Bf16, 5'777'920}, 1},
                                   {{CommOp::AllReduce, kAlike, WireType::Bf16, 12'582'912}, 1},
                                   {{CommOp::AllReduce, kOver, WireType::Bf16, 5'777'920}, 1},
                                   {{CommOp::AllReduce, kAlike, WireType::Fp32, 1}, 1},
                                   {{CommOp::AllReduce, kOver, WireType::Fp32, 1}, 2},
                                   {{CommOp::AllReduce, kOver, WireType::Uint8, 1}, 1}};
    EXPECT_EQ(
        autoEpCounts(autoEpScenario({.dp = 4, .ep = 2, .shard = Shard::Zero2, .microBatch = 2})),
        expected);
}

/// A bucket has gradients of both kinds, each reduced over its own ranks.
TEST(AutoEpExperts, ShareBucketsWithTheRest) {
    Scenario scenario =
        autoEpScenario({.dp = 4, .ep = 2, .shard = Shard::Zero2, .microBatch = 4}, 3, 1024);
    scenario.settings.recompute.kind = Checkpointing::Full;
    const AutoEpCounts expected = {{{CommOp::AllToAll, kApart, WireType::Bf16, 8'388'608}, 18},
                                   {{CommOp::AllToAll, kApart, WireType::Int32, 8}, 6},
                                   {{CommOp::AllGather, kAlike, WireType::Bf16, 18'874'368}, 1},
                                   {{CommOp::AllGather, kOver, WireType::Bf16, 3'423'744}, 1},
                                   {{CommOp::AllReduce, kAlike, WireType::Bf16, 16'777'216}, 1},
                                   {{CommOp::AllReduce, kAlike, WireType::Bf16, 2'097'152}, 1},
                                   {{CommOp::AllReduce, kOver, WireType::Bf16, 1'315'840}, 1},
                                   {{CommOp::AllReduce, kOver, WireType::Bf16, 2'107'904}, 1},
                                   {{CommOp::AllReduce, kAlike, WireType::Fp32, 1}, 1},
                                   {{CommOp::AllReduce, kOver, WireType::Fp32, 1}, 2},
                                   {{CommOp::AllReduce, kOver, WireType::Uint8, 1}, 1}};
    EXPECT_EQ(autoEpCounts(scenario), expected);
}

TEST(AutoEpExperts, CallWhatWasRecordedWithoutZeRO) {
    const AutoEpCounts expected = {{{CommOp::AllToAll, kApart, WireType::Bf16, 4'194'304}, 8},
                                   {{CommOp::AllToAll, kApart, WireType::Int32, 8}, 2},
                                   {{CommOp::AllReduce, kAlike, WireType::Bf16, 12'582'912}, 1},
                                   {{CommOp::AllReduce, kOver, WireType::Bf16, 5'777'920}, 1},
                                   {{CommOp::AllReduce, kApart, WireType::Fp32, 1}, 1},
                                   {{CommOp::AllReduce, kApart, WireType::Uint8, 1}, 1}};
    EXPECT_EQ(
        autoEpCounts(autoEpScenario({.dp = 4, .ep = 2, .shard = Shard::None, .microBatch = 2})),
        expected);
}

/// Experts are gathered, reduced and measured over the ranks that have the same ones.
TEST(AutoEpExperts, CallWhatWasRecordedAtStage3) {
    const AutoEpCounts expected = {{{CommOp::AllToAll, kApart, WireType::Bf16, 4'194'304}, 8},
                                   {{CommOp::AllToAll, kApart, WireType::Int32, 8}, 2},
                                   {{CommOp::AllGather, kAlike, WireType::Bf16, 12'582'912}, 1},
                                   {{CommOp::AllGather, kOver, WireType::Bf16, 5'767'168}, 1},
                                   {{CommOp::AllGather, kOver, WireType::Bf16, 4096}, 2},
                                   {{CommOp::AllGather, kOver, WireType::Bf16, 512}, 5},
                                   {{CommOp::ReduceScatter, kAlike, WireType::Bf16, 6'291'456}, 2},
                                   {{CommOp::ReduceScatter, kOver, WireType::Bf16, 2'097'664}, 1},
                                   {{CommOp::ReduceScatter, kOver, WireType::Bf16, 791'552}, 1},
                                   {{CommOp::ReduceScatter, kOver, WireType::Bf16, 2'888'704}, 1},
                                   {{CommOp::AllReduce, kAlike, WireType::Fp64, 1}, 1},
                                   {{CommOp::AllReduce, kApart, WireType::Fp64, 1}, 1},
                                   {{CommOp::AllReduce, kOver, WireType::Fp64, 1}, 1}};
    EXPECT_EQ(
        autoEpCounts(autoEpScenario({.dp = 4, .ep = 2, .shard = Shard::Zero3, .microBatch = 2})),
        expected);
}

}  // namespace
}  // namespace fabricast
