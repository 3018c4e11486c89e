#include "planner/memory/stage_memory.h"
#include "study/input_effects.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace fabricast {
namespace {

ComparedSide sideOf(const Scenario& scenario) {
    return {.scenario = scenario,
            .step = estimated(scenario),
            .memory = memoryOfAllStages(scenario).value()};
}

Scenario pipelineRun() {
    return exampleRun(
        "megatron",
        {.dp = 2, .tp = 2, .pp = 2, .shard = Shard::Zero1, .schedule = ScheduleKind::OneFOneB});
}

/// The same run with one thing changed, of every kind.
std::vector<Scenario> changedRuns() {
    std::vector<Scenario> runs(6, pipelineRun());
    runs[1].settings.recompute.kind = Checkpointing::Full;
    runs[2].layout.tp = 1;
    runs[2].layout.dp = 4;
    runs[3].layout.microBatch = 2;
    runs[4].workload.globalBatch = 128;
    runs[5].workload.sequence = 4096;
    runs[5].workload.globalBatch = 128;
    return runs;
}

double sumOf(const Waterfall& fall) {
    double sum = 0.0;
    for (const DifferencePart& part : fall.parts) {
        sum += part.change;
    }
    return sum;
}

TEST(CompareSides, PartsSumToTheDifference) {
    std::vector<ComparedSide> sides;
    for (const Scenario& run : changedRuns()) {
        sides.push_back(sideOf(run));
    }
    const Comparison comparison = compareSides(sides, 0);
    ASSERT_EQ(comparison.differences.size(), 5U);
    EXPECT_FALSE(comparison.sameTokens);
    for (const SideDifference& difference : comparison.differences) {
        ASSERT_TRUE(difference.time);
        const Waterfall& time = *difference.time;
        EXPECT_NEAR(sumOf(time), time.to - time.from, 1e-12 * (time.to + time.from));
        const Waterfall& memory = difference.memory;
        EXPECT_EQ(sumOf(memory), memory.to - memory.from);
        EXPECT_EQ(memory.to, static_cast<double>(sides[difference.side].memory.peak.value.count()));
    }
}

TEST(CompareSides, StepsOfOneSizeAreComparedInSeconds) {
    const std::vector<Scenario> runs = changedRuns();
    const ComparedSide base = sideOf(runs[0]);
    const ComparedSide recomputed = sideOf(runs[1]);
    const Comparison comparison = compareSides({base, recomputed}, 0);
    EXPECT_TRUE(comparison.sameTokens);
    const Waterfall& time = *comparison.differences[0].time;
    EXPECT_DOUBLE_EQ(time.from, base.step->step.value.count());
    EXPECT_DOUBLE_EQ(time.to, recomputed.step->step.value.count());
    EXPECT_EQ(comparison.differences[0].verdict, SpeedVerdict::Slower);
    const auto again = std::ranges::find(time.parts, "recompute", &DifferencePart::key);
    ASSERT_NE(again, time.parts.end());
    // Its transfers are made again too, and the bubble is a part of longer passes.
    EXPECT_GT(again->change, 0.8 * (time.to - time.from));
}

TEST(CompareSides, TheOtherBaselineGivesTheOppositeDifference) {
    const ComparedSide base = sideOf(changedRuns()[0]);
    const ComparedSide other = sideOf(changedRuns()[3]);
    const Comparison there = compareSides({base, other}, 0);
    const Comparison back = compareSides({base, other}, 1);
    const auto& parts = there.differences[0].time->parts;
    const auto& opposite = back.differences[0].time->parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        EXPECT_DOUBLE_EQ(parts[i].change, -opposite[i].change) << parts[i].key;
    }
    EXPECT_DOUBLE_EQ(there.differences[0].ratio * back.differences[0].ratio, 1.0);
}

/// 7 % apart: told of layouts with the same split, and neither of others nor of another stack.
TEST(CompareSides, TheErrorIsThatOfTheTwoLayouts) {
    ComparedSide base = sideOf(changedRuns()[0]);
    base.step->comparison = {.sameSplit = {.error = 0.056}, .otherSplit = {.error = 0.096}};
    std::vector<ComparedSide> sides(4, base);
    sides[1].scenario.layout.microBatch = 2;
    sides[2].scenario.layout.tp = 1;
    sides[2].scenario.layout.dp = 4;
    sides[3].scenario.stack = "nemo";
    for (std::size_t i = 1; i < sides.size(); ++i) {
        sides[i].step->tokensPerSecond *= 1.07;
    }
    const Comparison comparison = compareSides(sides, 0);
    const auto& differences = comparison.differences;
    EXPECT_EQ(differences[0].verdict, SpeedVerdict::Faster);
    EXPECT_EQ(differences[0].band, 0.056);
    for (const std::size_t other : {1U, 2U}) {
        EXPECT_EQ(differences[other].verdict, SpeedVerdict::Equal);
        EXPECT_EQ(differences[other].band, 0.096);
    }
    EXPECT_EQ(comparison.band, 0.096);
}

TEST(CompareSides, ASideIsEqualToItself) {
    const ComparedSide base = sideOf(pipelineRun());
    const Comparison comparison = compareSides({base, base}, 0);
    EXPECT_TRUE(comparison.inputs.empty());
    EXPECT_EQ(comparison.differences[0].verdict, SpeedVerdict::Equal);
    for (const ComparedNumber& number : comparison.numbers) {
        EXPECT_FALSE(number.changes(0, 0.0)) << number.key;
    }
}

TEST(CompareSides, ASideWithoutAStepStillHasItsMemory) {
    ComparedSide without = sideOf(pipelineRun());
    without.step.reset();
    const Comparison comparison = compareSides({sideOf(pipelineRun()), without}, 0);
    EXPECT_EQ(comparison.differences[0].verdict, SpeedVerdict::Unknown);
    EXPECT_FALSE(comparison.differences[0].time);
    const auto& numbers = comparison.numbers;
    const auto step = std::ranges::find(numbers, "step_s", &ComparedNumber::key);
    const auto peak = std::ranges::find(numbers, "peak_bytes", &ComparedNumber::key);
    EXPECT_FALSE(step->values[1]);
    EXPECT_TRUE(step->changes(0, 1.0));
    EXPECT_EQ(peak->values[0], peak->values[1]);
}

TEST(ScenarioInputs, HaveEveryKeyOnceAndNameWhatDiffers) {
    const std::vector<ScenarioInput> inputs = scenarioInputs(pipelineRun());
    std::set<std::string> keys;
    for (const ScenarioInput& input : inputs) {
        EXPECT_TRUE(keys.insert(input.key).second) << input.key;
        EXPECT_FALSE(input.value.empty()) << input.key;
    }
    for (const char* key : {"model", "layout.tp", "layout.placement", "stack"}) {
        EXPECT_TRUE(keys.contains(key)) << key;
    }
    Scenario other = pipelineRun();
    other.settings.kernels.compile = !other.settings.kernels.compile;
    const auto differences = inputDifferences({{.scenario = pipelineRun()}, {.scenario = other}});
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences[0].key, "settings.kernels.compile");
}

}  // namespace
}  // namespace fabricast
