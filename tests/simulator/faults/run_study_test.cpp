#include "simulator/faults/run_study.h"

#include "planner/budget/goodput.h"
#include "planner/profiles/profile_store.h"
#include "simulator/faults/plan_run.h"
#include "tests/simulator/program/small_worlds.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fabricast {
namespace {

/// A small model on 64 GPUs, whose steps take 4 s here.
struct Asked {
    Scenario scenario;
    BudgetFacts facts;
};
Asked asked(CheckpointMode mode, double gpuMtbfHours) {
    const ProfileStore profiles = ProfileStore::builtIn();
    Asked all;
    all.scenario.stack = "megatron";
    all.scenario.model = toyModels().front();
    all.scenario.cluster = profiles.cluster("dgx-h100").value();
    all.scenario.cluster.nodes = 8;
    all.scenario.layout = {.dp = 64};
    all.facts.site = profiles.site("typical").value();
    all.facts.checkpoint = mode;
    all.facts.gpuMtbf = Seconds(3600.0 * gpuMtbfHours);
    return all;
}

RunPlan planOf(const Asked& all, std::int64_t steps) {
    return planRun(
               all.scenario, all.facts, {.steps = steps, .step = Seconds(4.0), .failures = true})
        .value();
}

TEST(RunSpread, IsThatOfTheValues) {
    const RunSpread spread = spreadOf({4.0, 1.0, 3.0, 2.0, 5.0});
    EXPECT_DOUBLE_EQ(spread.mean, 3.0);
    EXPECT_DOUBLE_EQ(spread.sd, std::sqrt(2.5));
    EXPECT_DOUBLE_EQ(spread.p50, 3.0);
    EXPECT_DOUBLE_EQ(spread.p5, 1.2);
    EXPECT_DOUBLE_EQ(spread.p95, 4.8);
    EXPECT_DOUBLE_EQ(spreadOf({7.0}).sd, 0.0);
}

TEST(PlanRun, HasTheTimesOfTheForecast) {
    for (const CheckpointMode mode :
         {CheckpointMode::Sync, CheckpointMode::Async, CheckpointMode::TwoLevel}) {
        const Asked all = asked(mode, 5000.0);
        const RunPlan plan = planOf(all, 1'000'000);
        BudgetFacts facts = all.facts;
        facts.interval = static_cast<double>(plan.saving.every) * plan.step;
        const Goodput goodput =
            goodputOf({64, checkpointBytes(all.scenario), plan.step}, all.scenario.cluster, facts);
        EXPECT_DOUBLE_EQ(plan.failures.mtbf.count(), 5000.0 * 3600.0 / 64.0);
        EXPECT_EQ(plan.failures.load, goodput.write);
        if (mode != CheckpointMode::TwoLevel) {
            EXPECT_NEAR(closedGoodput(plan, plan.step), goodput.share.value, 1e-12);
        }
        EXPECT_NEAR(
            closedGoodput(plan, plan.step),
            goodputOf(
                {64, checkpointBytes(all.scenario), plan.step}, all.scenario.cluster, all.facts)
                .share.value,
            0.005);
    }
}

// Of synchronous checkpoints the closed form is exact: whatever fails when, and also in a restart.
TEST(RunStudy, AgreesWithTheClosedFormWhereThatIsExact) {
    for (const double hours : {300.0, 1000.0, 20000.0}) {
        RunPlan plan = planOf(asked(CheckpointMode::Sync, hours), 1'000'000);
        for (const std::int64_t every : {plan.saving.every, 3 * plan.saving.every}) {
            plan.saving.every = every;
            plan.steps = every * (hours > 5000.0 ? 1000 : 200);
            const RunStudy study = studyRuns(plan, {.seed = 11, .runs = 1000}).value();
            EXPECT_LT(std::abs(study.errorsOff()), 4.0)
                << hours << " h, every " << every << ": " << study.goodput.mean << " for "
                << study.closedGoodput();
            EXPECT_GT(study.failures.mean, 1.0);
            EXPECT_GT(study.goodput.p95, study.goodput.p50);
        }
    }
}

// Copies that storage has only later count to first order of the interval over the MTBF.
TEST(RunStudy, AgreesWithTheClosedFormToItsOrder) {
    for (const CheckpointMode mode : {CheckpointMode::Async, CheckpointMode::TwoLevel}) {
        for (const double hours : {2000.0, 20000.0}) {
            RunPlan plan = planOf(asked(mode, hours), 1'000'000);
            plan.steps = plan.saving.every * plan.saving.storedEvery * 1000;
            const RunStudy study = studyRuns(plan, {.seed = 12, .runs = 1000}).value();
            const double cycle = static_cast<double>(plan.saving.every * plan.saving.storedEvery) *
                                     plan.step.count() +
                                 plan.failures.detection.count() + plan.failures.restart.count() +
                                 2.0 * plan.failures.load.count();
            const double order = cycle / plan.failures.mtbf.count();
            const double off = study.wall.mean / study.closedWall().count() - 1.0;
            EXPECT_LT(std::abs(off), 4.0 * study.wallError() / study.wall.mean + order * order)
                << hours << " h";
            EXPECT_LT(std::abs(off), 0.01);
        }
    }
}

TEST(RunStudy, SaysTheSameWhateverTheThreads) {
    RunPlan plan = planOf(asked(CheckpointMode::TwoLevel, 500.0), 20'000);
    plan.jitter = {{.ranks = 64.0, .spread = Seconds(0.04)}};
    plan.failures.spares = 1;
    const RunStudy one = studyRuns(plan, {.seed = 7, .runs = 50}).value();
    const RunStudy four = studyRuns(plan, {.seed = 7, .runs = 50, .threads = 4}).value();
    EXPECT_EQ(one.wall.mean, four.wall.mean);
    EXPECT_EQ(one.goodput.sd, four.goodput.sd);
    EXPECT_EQ(one.goodput.p5, four.goodput.p5);
    EXPECT_EQ(one.mean.lost, four.mean.lost);
    EXPECT_NE(studyRuns(plan, {.seed = 8, .runs = 50})->wall.mean, one.wall.mean);
    EXPECT_GT(one.mean.slower, Seconds());
}

TEST(RunStudy, MoreSparesWaitLess) {
    RunPlan plan = planOf(asked(CheckpointMode::Async, 100.0), 30'000);
    double before = 1e30;
    for (const std::int64_t spares : {0, 1, 2, 4, 64}) {
        plan.failures.spares = spares;
        const RunStudy study = studyRuns(plan, {.seed = 3, .runs = 50}).value();
        EXPECT_LT(study.mean.waiting.count(), before) << spares;
        before = study.mean.waiting.count();
    }
    EXPECT_EQ(before, 0.0);
    plan.failures.spares.reset();
    EXPECT_EQ(studyRuns(plan, {.seed = 3, .runs = 50})->mean.waiting.count(), 0.0);
}

TEST(RunStudy, StopsWithWhatIsOver) {
    const RunPlan plan = planOf(asked(CheckpointMode::Sync, 500.0), 20'000);
    bool stop = false;
    const auto stopped = [&stop] { return stop; };
    const auto stopAt = [&stop](std::size_t done, std::size_t) { stop = done == 5; };
    const RunStudy study =
        studyRuns(plan, {.runs = 100, .stopped = stopped, .progress = stopAt}).value();
    EXPECT_EQ(study.runs, 5);
    EXPECT_EQ(study.asked, 100);
    EXPECT_EQ(study.wall.mean, studyRuns(plan, {.runs = 5})->wall.mean);
    const auto none = studyRuns(plan, {.stopped = stopped});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, Error::Code::Stopped);
}

TEST(RunStudy, RefusesWhatCannotBePlayed) {
    const Asked all = asked(CheckpointMode::Sync, 1.0);
    EXPECT_EQ(studyRuns(planOf(all, 1000), {}).error().where, "--failures");
    RunPlan endless = planOf(asked(CheckpointMode::Sync, 5000.0), 1'000'000'000);
    endless.jitter = {{.ranks = 8.0, .spread = Seconds(0.1)}};
    EXPECT_EQ(studyRuns(endless, {.runs = 1'000'000}).error().where, "--runs");
    const auto plan = [&all](RunRequest request) {
        request.step = Seconds(1.0);
        return planRun(all.scenario, all.facts, request);
    };
    EXPECT_EQ(plan({.steps = 0}).error().where, "--steps");
    EXPECT_EQ(plan({.spares = 1}).error().where, "--spares");
    EXPECT_EQ(plan({.repair = Seconds(1.0)}).error().where, "--repair");
    EXPECT_EQ(plan({.failures = true, .spares = -1}).error().where, "--spares");
}

}  // namespace
}  // namespace fabricast
