#include "simulator/faults/play_run.h"

#include "tests/simulator/faults/naive_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fabricast {
namespace {

/// A hundred steps of 10 s, saved every five, which stops it for 2 s.
RunPlan smallPlan() {
    RunPlan plan{.steps = 100, .step = Seconds(10.0)};
    plan.saving = {.every = 5, .blocking = Seconds(2.0)};
    plan.failures = {.mtbf = Seconds(400.0),
                     .oneHostShare = 0.7,
                     .hardwareShare = 0.4,
                     .detection = Seconds(7.0),
                     .restart = Seconds(11.0),
                     .load = Seconds(3.0),
                     .repair = Seconds(300.0)};
    return plan;
}

NextFailure listed(const std::vector<Failure>& failures) {
    return [&failures, next = std::size_t{0}]() mutable {
        return next < failures.size() ? failures[next++] : Failure{.after = Seconds(HUGE_VAL)};
    };
}

RunTimes played(const RunPlan& plan, const std::vector<Failure>& failures) {
    const JitterDraw none({});
    StepClock clock(plan, none, 1, 0);
    return playRun(plan, clock, listed(failures)).value();
}

double sumOf(const RunTimes& times) {
    return (times.useful + times.slower + times.saving + times.lost + times.recovery +
            times.waiting)
        .count();
}

TEST(PlayRun, TakesStepsAndCheckpointsWhereNothingFails) {
    const RunTimes times = played(smallPlan(), {});
    EXPECT_DOUBLE_EQ(times.wall.count(), 100 * 10.0 + 20 * 2.0);
    EXPECT_DOUBLE_EQ(times.goodput(), 1000.0 / 1040.0);
    EXPECT_EQ(times.failures, 0);
}

TEST(PlayRun, LosesWhatWasNotSaved) {
    // 52 s to the first checkpoint; 23 s into the second interval it fails.
    const RunTimes times = played(smallPlan(), {{.after = Seconds(75.0)}});
    EXPECT_DOUBLE_EQ(times.lost.count(), 23.0);
    EXPECT_DOUBLE_EQ(times.recovery.count(), 7.0 + 11.0 + 3.0);
    EXPECT_DOUBLE_EQ(times.wall.count(), 1040.0 + 23.0 + 21.0);
    // In the checkpoint itself all five steps are lost.
    const RunTimes later = played(smallPlan(), {{.after = Seconds(51.0)}});
    EXPECT_DOUBLE_EQ(later.lost.count(), 50.0);
    EXPECT_DOUBLE_EQ(later.saving.count(), 41.0);
}

TEST(PlayRun, StorageHasACopyOnlyOnceItIsWritten) {
    RunPlan plan = smallPlan();
    plan.saving.lag = Seconds(30.0);
    // The second copy is taken at 104 s, and in storage at 134 s.
    EXPECT_DOUBLE_EQ(played(plan, {{.after = Seconds(130.0)}}).lost.count(), 50.0 + 26.0);
    EXPECT_DOUBLE_EQ(played(plan, {{.after = Seconds(135.0)}}).lost.count(), 31.0);
    // In memory it is at once, for failures of one host.
    plan.saving.inMemory = true;
    const RunTimes local = played(plan, {{.after = Seconds(130.0), .oneHost = true}});
    EXPECT_DOUBLE_EQ(local.lost.count(), 26.0);
    EXPECT_DOUBLE_EQ(local.recovery.count(), 18.0);
    EXPECT_DOUBLE_EQ(played(plan, {{.after = Seconds(130.0)}}).lost.count(), 76.0);
}

TEST(PlayRun, AFailureInARestartBeginsItAnew) {
    const RunTimes times =
        played(smallPlan(), {{.after = Seconds(60.0)}, {.after = Seconds(10.0)}});
    EXPECT_DOUBLE_EQ(times.recovery.count(), 10.0 + 21.0);
    EXPECT_DOUBLE_EQ(times.lost.count(), 8.0);
    EXPECT_EQ(times.failures, 2);
}

TEST(PlayRun, WaitsForANodeWhereNoneStandsBy) {
    RunPlan plan = smallPlan();
    const Failure broken{.after = Seconds(60.0), .oneHost = true, .hardware = true};
    EXPECT_DOUBLE_EQ(played(plan, {broken, broken}).waiting.count(), 0.0);
    plan.failures.spares = 1;
    EXPECT_DOUBLE_EQ(played(plan, {broken}).waiting.count(), 0.0);
    // The first node is back 307 s after it failed; the second one fails 60 s after the first, and
    // is missed 7 s later.
    EXPECT_DOUBLE_EQ(played(plan, {broken, broken}).waiting.count(), 307.0 - 67.0);
    plan.failures.spares = 0;
    EXPECT_DOUBLE_EQ(played(plan, {broken}).waiting.count(), 300.0);
    // A repaired node is a spare for the next failure.
    plan.failures.spares = 1;
    Failure late = broken;
    late.after = Seconds(400.0);
    EXPECT_DOUBLE_EQ(played(plan, {broken, late}).waiting.count(), 0.0);
}

/// Intervals, copies in memory, and so on: every mode with every kind of failure.
std::vector<RunPlan> manyPlans() {
    std::vector<RunPlan> plans;
    for (const std::int64_t every : {1, 5, 7, 200}) {
        for (const double lag : {0.0, 9.0}) {
            for (const std::int64_t storedEvery : {1, 3}) {
                for (const int spares : {-1, 0, 1, 3}) {
                    RunPlan plan = smallPlan();
                    plan.saving.every = every;
                    plan.saving.lag = Seconds(lag);
                    plan.saving.storedEvery = storedEvery;
                    plan.saving.inMemory = storedEvery > 1;
                    plan.failures.spares =
                        spares < 0 ? std::nullopt : std::optional<std::int64_t>(spares);
                    plan.failures.mtbf = Seconds(every > 100 ? 2000.0 : 300.0);
                    plans.push_back(plan);
                }
            }
        }
    }
    return plans;
}

TEST(PlayRun, IsThePlainLoopForTheSameFailures) {
    std::int64_t failures = 0;
    double waited = 0.0;
    for (const RunPlan& plan : manyPlans()) {
        for (std::uint64_t run = 0; run < 10; ++run) {
            const NextFailure random = randomFailures(plan.failures, 9, run);
            std::vector<Failure> drawn(1000);
            std::ranges::generate(drawn, random);
            const RunTimes times = played(plan, drawn);
            const NaiveRun naive(plan, drawn);
            ASSERT_NEAR(times.wall.count(), naive.wall(), 1e-9 * naive.wall());
            EXPECT_NEAR(times.lost.count(), naive.lost(), 1e-9 * naive.wall());
            EXPECT_NEAR(times.saving.count(), naive.saving(), 1e-9 * naive.wall());
            EXPECT_NEAR(times.recovery.count(), naive.recovery(), 1e-9 * naive.wall());
            EXPECT_NEAR(times.waiting.count(), naive.waiting(), 1e-9 * naive.wall());
            EXPECT_EQ(static_cast<std::size_t>(times.failures), naive.failed());
            EXPECT_NEAR(sumOf(times), times.wall.count(), 1e-9 * naive.wall());
            failures += times.failures;
            waited += times.waiting.count();
        }
    }
    EXPECT_GT(failures, 2000);
    EXPECT_GT(waited, 1000.0);
}

/// The duration of a number of steps.
double taken(const RunPlan& plan, std::int64_t steps) {
    const JitterDraw draw(plan.jitter);
    return StepClock(plan, draw, 1, 0).take(steps).count();
}

TEST(StepClock, SpellsTakeTheirShare) {
    RunPlan plan{.steps = 1, .step = Seconds(10.0)};
    plan.spells = SlowSpells{.every = Seconds(600.0), .last = Seconds(60.0), .factor = 2.0};
    const double work = 6e6;
    const double time = taken(plan, 600'000);
    // Of the time a tenth is slow, in which half as much is done.
    EXPECT_NEAR(work / time, 0.9 + 0.1 / 2.0, 0.003);
}

TEST(StepClock, JitterIsThatOfTheSlowestRank) {
    RunPlan plan{.steps = 1, .step = Seconds(10.0)};
    plan.jitter = {{.ranks = 1024.0, .spread = Seconds(0.1)}};
    constexpr std::int64_t kSteps = 100'000;
    const double mean = taken(plan, kSteps) / kSteps;
    EXPECT_NEAR(mean, 10.0 + 0.1 * 3.248240, 5.0 * 0.1 * 0.35 / std::sqrt(kSteps));
    // Two groups as sensitive are one of all their ranks.
    plan.jitter = {{.ranks = 512.0, .spread = Seconds(0.1)},
                   {.ranks = 512.0, .spread = Seconds(0.1)}};
    const double both = taken(plan, kSteps) / kSteps;
    EXPECT_NEAR(both, mean, 7.0 * 0.1 * 0.35 / std::sqrt(kSteps));
}

}  // namespace
}  // namespace fabricast
