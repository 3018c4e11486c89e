#include "planner/budget/cost_of.h"

#include "planner/budget/goodput.h"
#include "tests/planner/budget/budget_example.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace fabricast {
namespace {

const Seconds kNever(std::numeric_limits<double>::infinity());

TEST(CheckpointBytes, AreTheStatesThatARunGoesOnFrom) {
    for (const CaseRow& row : readCases("budget/checkpoint_bytes.csv")) {
        Layout layout{.dp = 8};
        layout.shard = fromName<Shard>(row.at("shard")).value();
        Scenario scenario = exampleRun(row.at("stack"), layout);
        if (row.at("tuning") == "lora") {
            scenario.settings.tuning = Tuning::Lora;
        }
        EXPECT_EQ(checkpointBytes(scenario).count(), std::stoll(row.at("bytes")))
            << row.at("stack") << " " << row.at("shard") << " " << row.at("tuning");
    }
}

TEST(CostOf, IsTimesTimesPrices) {
    // No failures and no checkpoints: 1e9 tokens at 64 · 8192 tokens in 2 s on 8 GPUs.
    const Scenario scenario = exampleRun("fsdp2", {.dp = 8});
    BudgetFacts facts = exampleFacts();
    facts.gpuMtbf = kNever;
    facts.length = RunLength{1'000'000'000};
    const RunCost cost = costOf(scenario, exampleCosted(), facts);
    EXPECT_EQ(cost.goodput.share.value, 1.0);
    const double wall = 1e9 / (64 * 8192) * 2.0;
    ASSERT_TRUE(cost.run && cost.run->price && cost.run->energy && cost.perMtok);
    EXPECT_NEAR(cost.run->wall.value.count(), wall, 1e-9 * wall);
    EXPECT_NEAR(cost.run->wall.lo.count(), wall * 0.8, 1e-9 * wall);
    EXPECT_NEAR(cost.run->wall.hi.count(), wall * 1.25, 1e-9 * wall);
    EXPECT_NEAR(cost.run->gpuTime.value.count(), 8 * wall, 1e-6);
    const double dollars = 8 * wall / 3600 * 2.95;
    EXPECT_NEAR(cost.run->price->value.count(), dollars, 1e-9 * dollars);
    EXPECT_NEAR(cost.perMtok->value.count(), dollars / 1000, 1e-9 * dollars);
    // A DGX H100 in training: 76 % of 10.2 kW, and PUE 1.15.
    const double joules = wall * 0.76 * 10200 * 1.15;
    EXPECT_NEAR(cost.run->energy->value.count(), joules, 1e-9 * joules);
    EXPECT_EQ(cost.run->failures, 0.0);
}

TEST(CostOf, ChargesAnOwnedGpuForItsPriceAndItsElectricity) {
    const Scenario scenario = exampleRun("fsdp2", {.dp = 8});
    BudgetFacts facts = exampleFacts();
    facts.kind = PriceKind::Owned;
    const RunCost cost = costOf(scenario, exampleCosted(), facts);
    ASSERT_TRUE(cost.gpuHour.price);
    EXPECT_NEAR(cost.gpuHour.hardware.count(), 30000 * 1.52 / (4 * 8766), 1e-9);
    EXPECT_NEAR(cost.gpuHour.electricity.count(), 0.76 * 10.2 / 8 * 1.15 * 0.087, 1e-9);
    EXPECT_EQ(cost.gpuHour.price->count(),
              cost.gpuHour.hardware.count() + cost.gpuHour.electricity.count());
}

TEST(CostOf, IsNotKnownWithoutAPriceAndNeverZero) {
    Scenario scenario = exampleRun("fsdp2", {.dp = 8});
    scenario.cluster.node.gpu.name = "rtx-6000-ada";
    BudgetFacts facts = exampleFacts();
    facts.length = RunLength{1'000'000};
    const RunCost cost = costOf(scenario, exampleCosted(), facts);
    EXPECT_FALSE(cost.perMtok);
    EXPECT_FALSE(cost.gpuHour.price);
    ASSERT_TRUE(cost.run);
    EXPECT_FALSE(cost.run->price);
    EXPECT_TRUE(cost.run->energy);
    const CostBasis basis = costBasis(scenario.cluster, 8, facts);
    EXPECT_NE(basis.why.find("on_demand price of rtx-6000-ada"), std::string::npos) << basis.why;
    EXPECT_NE(basis.hint.find("--price-kind owned"), std::string::npos) << basis.hint;
    scenario.cluster.node.gpu.name = "gaudi3";
    EXPECT_NE(costBasis(scenario.cluster, 8, facts).hint.find("--price FILE"), std::string::npos);
}

// Frameworks count steps: of a larger batch as many are more tokens.
TEST(CostOf, HoldsTheStepsOfARunWhateverItsBatch) {
    Scenario scenario = exampleRun("fsdp2", {.dp = 8});
    BudgetFacts facts = exampleFacts();
    facts.length = RunLength{1000, RunLength::Unit::Step};
    const WorkloadSpec& workload = scenario.workload;
    const std::int64_t each = workload.globalBatch * workload.sequence;
    EXPECT_EQ(costBasis(scenario, 8, facts).tokens, Tokens(1000 * each));
    const RunCost cost = costOf(scenario, exampleCosted(), facts);
    scenario.workload.globalBatch *= 2;
    EXPECT_EQ(costBasis(scenario, 8, facts).tokens, Tokens(2000 * each));
    const RunCost twice = costOf(scenario, exampleCosted(), facts);
    ASSERT_TRUE(cost.run && twice.run);
    EXPECT_EQ(twice.run->wall.value, cost.run->wall.value);  // of a step that lasts as long
    facts.length = RunLength{1000, RunLength::Unit::Sample};
    EXPECT_EQ(costBasis(scenario, 8, facts).tokens, Tokens(1000 * workload.sequence));
}

TEST(CostBasis, SaysWhatMakesNoPriceOfAPurchase) {
    Scenario scenario = exampleRun("fsdp2", {.dp = 8});
    BudgetFacts facts = exampleFacts();
    facts.kind = PriceKind::Owned;
    EXPECT_EQ(costBasis(scenario.cluster, 8, facts).why, "");
    scenario.cluster.node.gpu.power.value.reset();
    EXPECT_NE(costBasis(scenario.cluster, 8, facts).why.find("power"), std::string::npos);
    facts.price.ownership.wholeOverGpu.value.reset();
    facts.price.ownership.usdPerKwh.value.reset();
    const CostBasis basis = costBasis(scenario.cluster, 8, facts);
    EXPECT_NE(basis.why.find("whole_over_gpu, usd_per_kwh"), std::string::npos) << basis.why;
    EXPECT_NE(basis.hint.find("\"ownership\""), std::string::npos) << basis.hint;
}

TEST(CostOf, SaysNothingOfARunThatDoesNotGetOn) {
    BudgetFacts facts = exampleFacts();
    facts.gpuMtbf = Seconds(1.0);
    facts.length = RunLength{1'000'000};
    const RunCost cost = costOf(exampleRun("fsdp2", {.dp = 8}), exampleCosted(), facts);
    EXPECT_EQ(cost.goodput.share.value, 0.0);
    EXPECT_FALSE(cost.perMtok);
    EXPECT_FALSE(cost.run);
}

TEST(CostOf, GivesLlamaThreesEffectiveTime) {
    // Llama 3 405B on 16,384 H100: more than 90 % effective time, as its authors report.
    BudgetFacts facts = exampleFacts();
    Scenario scenario =
        exampleRun("megatron", {.dp = 128, .tp = 8, .pp = 16, .shard = Shard::Zero1});
    CostedStep step = exampleCosted();
    step.step.value = Seconds(5.0);
    step.checkpoint = Bytes(405'853'388'800 * 14);
    const RunCost cost = costOf(scenario, step, facts);
    EXPECT_NEAR(cost.goodput.mtbf.count() / 3600, 3.093, 0.001);
    EXPECT_GT(cost.goodput.share.value, 0.88);
    EXPECT_LT(cost.goodput.share.value, 0.95);
    facts.site.reliability.detection.value = Seconds(30.0);
    EXPECT_GT(costOf(scenario, step, facts).goodput.share.value, 0.93);
}

double goodputUnder(const BudgetFacts& facts, std::int64_t gpus) {
    const Scenario scenario = exampleRun("fsdp2", {.dp = gpus});
    return costOf(scenario, exampleCosted(), facts).goodput.share.value;
}

RC_GTEST_PROP(CostOf, MoreFailuresNeverRaiseGoodput, ()) {
    BudgetFacts facts = exampleFacts();
    facts.checkpoint =
        *rc::gen::element(CheckpointMode::Sync, CheckpointMode::Async, CheckpointMode::TwoLevel);
    if (*rc::gen::arbitrary<bool>()) {
        facts.interval = Seconds(*rc::gen::inRange(1, 100000));
    }
    const double hours = std::pow(10.0, *rc::gen::inRange(0, 80) / 10.0);
    facts.gpuMtbf = Seconds(hours * 3600);
    const std::int64_t gpus = std::int64_t{8} << *rc::gen::inRange(0, 11);
    const double share = goodputUnder(facts, gpus);
    RC_ASSERT(share >= 0.0 && share <= 1.0);
    facts.gpuMtbf = Seconds(hours * 3600 / 1.7);
    RC_ASSERT(goodputUnder(facts, gpus) <= share + 1e-6);
    facts.gpuMtbf = kNever;
    RC_ASSERT(goodputUnder(facts, gpus) >= share - 1e-12);
}

// So many steps are the time that they take.
TEST(CostOf, TakesAnIntervalInSteps) {
    BudgetFacts facts = exampleFacts();
    const auto intervalOf = [&facts] {
        return costOf(exampleRun("fsdp2", {.dp = 8}), exampleCosted(), facts)
            .goodput.cycles[0]
            .interval.count();
    };
    facts.interval = static_cast<double>(5000) * exampleCosted().step.value;
    const double asked = intervalOf();
    facts.interval.reset();
    facts.intervalSteps = 5000;
    EXPECT_DOUBLE_EQ(intervalOf(), asked);
}

TEST(CostOf, WithoutFailuresOnlyCheckpointsCost) {
    BudgetFacts facts = exampleFacts();
    facts.gpuMtbf = kNever;
    facts.interval = Seconds(600.0);
    for (const auto mode : {CheckpointMode::Sync, CheckpointMode::Async}) {
        facts.checkpoint = mode;
        const RunCost cost = costOf(exampleRun("fsdp2", {.dp = 8}), exampleCosted(), facts);
        const CheckpointCycle& cycle = cost.goodput.cycles[0];
        EXPECT_NEAR(cost.goodput.share.value,
                    1.0 - cycle.blocking.count() / (600.0 + cycle.blocking.count()),
                    1e-12);
        EXPECT_EQ(
            cycle.blocking.count(),
            (mode == CheckpointMode::Sync ? cost.goodput.write : cost.goodput.snapshot).count());
        EXPECT_LT(cost.goodput.snapshot.count(), cost.goodput.write.count());
    }
}

TEST(CostOf, SavingBesideTheStepsAndInMemoryHelps) {
    BudgetFacts facts = exampleFacts();
    const auto share = [&facts](CheckpointMode mode) {
        facts.checkpoint = mode;
        return goodputUnder(facts, 4096);
    };
    EXPECT_LT(share(CheckpointMode::Sync), share(CheckpointMode::Async));
    EXPECT_LT(share(CheckpointMode::Async), share(CheckpointMode::TwoLevel));
}

TEST(CostOf, StorageIsNeverWrittenToMoreOftenThanMemory) {
    BudgetFacts facts = exampleFacts();
    facts.checkpoint = CheckpointMode::TwoLevel;
    for (const std::int64_t gpus : {8, 256, 4096, 16384}) {
        const Goodput goodput =
            costOf(exampleRun("fsdp2", {.dp = gpus}), exampleCosted(), facts).goodput;
        ASSERT_EQ(goodput.count, 2U);
        EXPECT_GE(goodput.cycles[1].interval, goodput.cycles[0].interval) << gpus;
    }
}

TEST(RunPower, FallsWhileGpusWait) {
    const Scenario scenario = exampleRun("fsdp2", {.dp = 8});
    const PowerFacts facts = exampleFacts().site.power;
    const RunPower full = runPower(scenario.cluster, facts, 1.0);
    const RunPower half = runPower(scenario.cluster, facts, 0.5);
    ASSERT_TRUE(full.perGpu && half.perGpu);
    EXPECT_NEAR(
        full.perGpu->value.count() - half.perGpu->value.count(), 1.15 * 0.78 * 700 * 0.5, 1e-9);
    Scenario unknown = scenario;
    unknown.cluster.node.power = {};
    EXPECT_NEAR(runPower(unknown.cluster, facts, 1.0).nodeRated.count(), 1.82 * 5600, 1e-9);
    unknown.cluster.node.gpu.power = {};
    EXPECT_FALSE(runPower(unknown.cluster, facts, 1.0).perGpu);
}

}  // namespace
}  // namespace fabricast
