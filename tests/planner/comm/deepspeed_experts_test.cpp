#include "planner/comm/engine_calls.h"
#include "planner/stack/stack.h"
#include "tests/support/scenarios.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

namespace fabricast {
namespace {

namespace deepspeed_experts_test {

/// Row 0 of tests/cases/memory/deepspeed_moe_memory.csv.
Scenario recorded() {
    Scenario scenario = smallTitan(Bytes(80'000'000'000));
    ModelSpec& model = scenario.model;
    model.family = "mixtral";
    model.layers = 2;
    model.hidden = 512;
    model.vocab = 4096;
    model.mlp.width = 1024;
    model.attention.heads = 8;
    model.attention.kvHeads = 4;
    model.attention.headDim = 64;
    model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 1024};
    model.sparse = {true, true};
    scenario.workload = {.sequence = 2048, .globalBatch = 8};
    scenario.layout = {.dp = 4, .ep = 2, .shard = Shard::Zero2, .microBatch = 2};
    scenario.settings = findStack("deepspeed").value()->defaults(scenario.layout, Tuning::Full);
    scenario.settings.kernels.experts = ExpertKernel::DeepSpeed;
    scenario.settings.kernels.capacityFactor = 1.25;
    return scenario;
}

using Key = std::tuple<CommOp, GroupKind, WireType, std::int64_t>;

std::map<Key, std::int64_t> counted(const Scenario& scenario) {
    std::map<Key, std::int64_t> counts;
    const auto calls = stepCalls(scenario, {.stage = 0});
    EXPECT_TRUE(calls) << (calls ? "" : calls.error().text());
    for (const CommCall& call : calls ? *calls : std::vector<CommCall>{}) {
        counts[{call.op, call.group, call.type, call.elements}] += call.count();
    }
    return counts;
}

}  // namespace deepspeed_experts_test

using deepspeed_experts_test::counted;
using deepspeed_experts_test::Key;

/// What deepspeed 0.19.8 called in the recorded step: every buffer is sent whole, four times a
/// layer; experts are reduced, gathered and have a norm among the ranks that hold the same ones.
TEST(DeepSpeedExperts, CallWhatWasRecorded) {
    const Scenario scenario = deepspeed_experts_test::recorded();
    const std::int64_t buffer = std::int64_t{8} * 1280 * 512;
    const std::map<Key, std::int64_t> expected = {
        {{CommOp::AllToAll, GroupKind::Expert, WireType::Bf16, buffer}, 8},
        {{CommOp::AllGather, GroupKind::ExpertData, WireType::Bf16, 12'582'912}, 1},
        {{CommOp::AllGather, GroupKind::DataContext, WireType::Bf16, 5'777'920}, 1},
        {{CommOp::AllReduce, GroupKind::ExpertData, WireType::Bf16, 12'582'912}, 1},
        {{CommOp::AllReduce, GroupKind::DataContext, WireType::Bf16, 5'777'920}, 1},
        {{CommOp::AllReduce, GroupKind::ExpertData, WireType::Fp32, 1}, 1},
        {{CommOp::AllReduce, GroupKind::DataContext, WireType::Fp32, 1}, 2},
        {{CommOp::AllReduce, GroupKind::DataContext, WireType::Uint8, 1}, 1}};
    EXPECT_EQ(counted(scenario), expected);
}

TEST(DeepSpeedExperts, AgreeOnTheFullestWhereNothingIsDropped) {
    Scenario scenario = deepspeed_experts_test::recorded();
    scenario.settings.kernels.capacityFactor = 0;
    auto counts = counted(scenario);
    const Key agreed{CommOp::AllReduce, GroupKind::Expert, WireType::Int64, 1};
    const Key sent{
        CommOp::AllToAll, GroupKind::Expert, WireType::Bf16, std::int64_t{8} * 1024 * 512};
    EXPECT_EQ(counts[agreed], 2);
    EXPECT_EQ(counts[sent], 8);
}

TEST(DeepSpeedExperts, SendAgainWhatIsRecomputed) {
    Scenario scenario = deepspeed_experts_test::recorded();
    scenario.settings.recompute.kind = Checkpointing::Full;
    auto counts = counted(scenario);
    const Key sent{
        CommOp::AllToAll, GroupKind::Expert, WireType::Bf16, std::int64_t{8} * 1280 * 512};
    EXPECT_EQ(counts[sent], 12);
}

}  // namespace
}  // namespace fabricast
