#include "study/sensitivity.h"

#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace fabricast {
namespace {

struct HeldRun {
    const char* name;
    const char* stack;
    Layout layout;
    std::int64_t sequence = 8192;
    const char* cluster = "dgx-h100";
};

// One of every way to divide the work, on links of every kind.
const std::vector<HeldRun>& heldRuns() {
    static const std::vector<HeldRun> runs = {
        {"fsdp_one_node", "fsdp2", {.dp = 8, .shard = Shard::Fsdp}},
        {"fsdp_four_nodes", "fsdp2", {.dp = 32, .shard = Shard::Fsdp}},
        {"ddp_pcie", "ddp", {.dp = 8}, 512, "8x-rtx-4090"},
        {"zero3_two_nodes", "deepspeed", {.dp = 16, .shard = Shard::Zero3}, 2048},
        {"tensor", "megatron", {.dp = 2, .tp = 8, .sp = true, .shard = Shard::Zero1}},
        {"pipeline",
         "megatron",
         {.dp = 4, .tp = 2, .pp = 4, .shard = Shard::Zero1, .schedule = ScheduleKind::OneFOneB}},
        {"context",
         "megatron",
         {.dp = 2, .tp = 2, .cp = 4, .cpKind = CpKind::Ring, .shard = Shard::Zero1}},
        {"ring_of_old_cards", "fsdp2", {.dp = 16, .shard = Shard::Fsdp}, 2048, "dgx-a100"},
        {"xgmi", "fsdp2", {.dp = 16, .shard = Shard::Fsdp}, 8192, "mi300x-8"}};
    return runs;
}

Premises premisesOf(const HeldRun& run) {
    Scenario scenario = exampleRun(run.stack, run.layout);
    scenario.cluster = ProfileStore::builtIn().cluster(run.cluster).value();
    scenario.cluster.nodes = std::max<std::int64_t>(1, run.layout.world() / 8);
    scenario.workload.sequence = run.sequence;
    return {scenario, exampleTiming()};
}

class HeldRuns : public testing::TestWithParam<HeldRun> {};

TEST_P(HeldRuns, NothingFasterMakesAStepLonger) {
    const Premises now = premisesOf(GetParam());
    const double step = estimated(now.scenario).step.value.count();
    for (const Knob& knob : knobs()) {
        if (knob.kind == KnobKind::Batch) {
            continue;
        }
        double before = step;
        for (const double factor : {1.1, 1.5, 2.0, 4.0, 16.0}) {
            Premises faster = now;
            knob.scale(faster, factor);
            const auto after = estimateStep(faster.scenario, faster.timing);
            ASSERT_TRUE(after) << knob.key;
            const double seconds = after->step.value.count();
            EXPECT_LE(seconds, before * (1.0 + 1e-9)) << knob.key << " x " << factor;
            before = seconds;
        }
    }
}

TEST_P(HeldRuns, ElasticitiesAreSharesOfTheStep) {
    const auto sensitivity = sensitivityOf(premisesOf(GetParam()));
    ASSERT_TRUE(sensitivity) << sensitivity.error().why;
    double sum = 0.0;
    for (const KnobEffect& knob : sensitivity->knobs) {
        if (!knob.elasticity) {
            continue;
        }
        EXPECT_GE(*knob.elasticity, -1e-9) << knob.key;
        EXPECT_LE(*knob.elasticity, 1.0) << knob.key;
        sum += *knob.elasticity;
        // Twice the speed saves at most the time spent on it: t(2k) is no less than t(k) / 2.
        ASSERT_TRUE(knob.twice) << knob.key << ": " << knob.whyNot;
        EXPECT_GE(knob.twice->step.count(), 0.5 * sensitivity->now.step.count()) << knob.key;
    }
    // What is fixed, launches of kernels and the library's own start, belongs to no knob.
    EXPECT_LE(sum, 1.01);
    EXPECT_GE(sum, 0.8);
}

INSTANTIATE_TEST_SUITE_P(Every, HeldRuns, testing::ValuesIn(heldRuns()), [](const auto& run) {
    return std::string(run.param.name);
});

std::map<std::string_view, double> elasticitiesOf(const Premises& premises) {
    const auto sensitivity = sensitivityOf(premises);
    std::map<std::string_view, double> elasticities;
    for (const KnobEffect& knob : sensitivity->knobs) {
        elasticities[knob.key] = knob.elasticity.value_or(0.0);
    }
    return elasticities;
}

TEST(Sensitivity, OneNodeHasNoNetwork) {
    const auto elasticity = elasticitiesOf(premisesOf(heldRuns()[0]));
    EXPECT_FALSE(elasticity.contains("network_bandwidth"));
    EXPECT_FALSE(elasticity.contains("network_latency"));
    EXPECT_FALSE(elasticity.contains("host_links"));
    EXPECT_GT(elasticity.at("matrix_rate"), 0.3);
}

// What waits in host memory goes there through PCIe, which is no network between nodes.
TEST(Sensitivity, WhatIsOffloadedWaitsForTheHostsLinks) {
    Premises now = premisesOf(heldRuns()[0]);
    now.scenario.layout.offload = Offload::Activations;
    now.scenario.settings.recompute = {};
    const auto elasticity = elasticitiesOf(now);
    EXPECT_GT(elasticity.at("host_links"), 0.1);
    EXPECT_FALSE(elasticity.contains("network_bandwidth"));
}

TEST(Sensitivity, MemoryChangesTheVerdictNotTheStep) {
    Premises now = premisesOf(heldRuns()[0]);
    now.scenario.workload.sequence = 16384;
    now.scenario.workload.globalBatch = 8;
    const auto sensitivity = sensitivityOf(now);
    ASSERT_TRUE(sensitivity);
    const auto size = std::ranges::find(sensitivity->knobs, "memory_size", &KnobEffect::key);
    EXPECT_FALSE(size->elasticity);
    EXPECT_EQ(size->twice->step, sensitivity->now.step);
    EXPECT_EQ(sensitivity->now.verdict, Verdict::DoesNotFit);
    EXPECT_EQ(size->twice->verdict, Verdict::Fits);
}

TEST(Sensitivity, ABatchThatDoesNotDivideIsSaidSo) {
    Premises now = premisesOf(heldRuns()[0]);
    now.scenario.workload.globalBatch = 8;
    const auto sensitivity = sensitivityOf(now);
    const auto micro = std::ranges::find(sensitivity->knobs, "micro_batch", &KnobEffect::key);
    EXPECT_FALSE(micro->twice);
    EXPECT_NE(micro->whyNot.find("not a whole number of microbatches"), std::string::npos);
    const auto global = std::ranges::find(sensitivity->knobs, "global_batch", &KnobEffect::key);
    EXPECT_GT(global->twice->tokensPerGpuSecond, sensitivity->now.tokensPerGpuSecond);
}

}  // namespace
}  // namespace fabricast
