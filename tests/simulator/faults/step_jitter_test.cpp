#include "simulator/engine/simulate.h"
#include "simulator/faults/jitter_draw.h"
#include "simulator/faults/random_draws.h"
#include "simulator/faults/step_clock.h"
#include "simulator/program/stage_ranks.h"
#include "tests/simulator/program/small_worlds.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fabricast {
namespace {

constexpr double kSigma = 0.02;

/// A layout of the toy under Megatron on one node.
Scenario toy(Layout layout, std::int64_t microBatches) {
    layout.schedule = layout.pp > 1 ? ScheduleKind::OneFOneB : ScheduleKind::None;
    const ClusterSpec cluster = ProfileStore::builtIn().cluster("dgx-h100").value();
    Scenario scenario =
        worldOf(*findStack("megatron").value(), toyModels().front(), cluster, layout);
    scenario.workload.globalBatch = layout.dp * microBatches;
    return scenario;
}

double usualStep(const Scenario& scenario) {
    const StepPieces pieces = stepPieces(scenario, uncontended()).value();
    return seconds(simulate(programOf(scenario, pieces))->makespan).count();
}

/// The mean step where one replica after the other is simulated with factors of its own for every
/// stage, the slowest of the stage's peers: the longest of the replicas is the step.
double bruteForce(const Scenario& scenario, int steps) {
    const StepPieces pieces = stepPieces(scenario, uncontended()).value();
    const Layout& layout = scenario.layout;
    RandomStream random(17, 0, RandomUse::Jitter);
    double sum = 0.0;
    for (int step = 0; step < steps; ++step) {
        SimTime longest;
        for (std::int64_t replica = 0; replica < layout.dp; ++replica) {
            StepDetail detail;
            StepPieces own = pieces;
            for (std::int64_t stage = 0; stage < layout.pp; ++stage) {
                double largest = -10.0;
                for (std::int64_t peer = 0; peer < layout.tp * layout.cp; ++peer) {
                    largest = std::max(largest, normalQuantile(random.uniform()));
                }
                StageTime& time = own.stages[static_cast<std::size_t>(stage)];
                for (ChunkTime& chunk : time.chunks) {
                    for (TimeByPart* const part : {&chunk.forward, &chunk.backward}) {
                        for (const TimePart kernels :
                             {TimePart::Gemm, TimePart::Attention, TimePart::MemoryBound}) {
                            part->of(kernels) *= 1.0 + kSigma * largest;
                        }
                    }
                    chunk.weightSeconds *= 1.0 + kSigma * largest;
                }
                own.optimizer[static_cast<std::size_t>(stage)] *= 1.0 + kSigma * largest;
            }
            longest = std::max(longest, simulate(programOf(scenario, own, detail))->makespan);
        }
        sum += seconds(longest).count();
    }
    return sum / steps;
}

double meanStep(const Scenario& scenario) {
    RunPlan plan{.steps = 1, .step = Seconds(usualStep(scenario))};
    plan.jitter = jitterGroups(scenario, uncontended(), {}, kSigma).value();
    constexpr std::int64_t kSteps = 20'000;
    const JitterDraw draw(plan.jitter);
    return StepClock(plan, draw, 5, 0).take(kSteps).count() / kSteps;
}

// What is drawn at one barrier, compared with steps in which every rank has its own factor.
TEST(StepJitter, IsThatOfEveryRankOnItsOwn) {
    for (const auto& [layout, tolerance] : {std::pair{Layout{.dp = 8}, 0.05},
                                            std::pair{Layout{.dp = 2, .tp = 4}, 0.05},
                                            std::pair{Layout{.dp = 4, .pp = 2}, 0.25},
                                            std::pair{Layout{.dp = 2, .pp = 4}, 0.25}}) {
        const Scenario scenario = toy(layout, 16);
        const double usual = usualStep(scenario);
        const double exact = bruteForce(scenario, 500) - usual;
        const double drawn = meanStep(scenario) - usual;
        EXPECT_GT(exact, 0.005 * usual);
        RecordProperty(worldText(scenario), std::to_string(drawn / exact));
        EXPECT_NEAR(drawn / exact, 1.0, tolerance)
            << worldText(scenario) << ": " << drawn << " for " << exact << " of " << usual;
    }
}

TEST(StepJitter, CountsTheRanksOfAStage) {
    const auto groups = jitterGroups(toy({.dp = 4, .tp = 2}, 8), uncontended(), {}, kSigma).value();
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].ranks, 8.0);
    const double usual = usualStep(toy({.dp = 4, .tp = 2}, 8));
    EXPECT_LT(groups[0].spread.count(), kSigma * usual);
    EXPECT_GT(groups[0].spread.count(), 0.5 * kSigma * usual);
    // In a stage with a straggler no other rank matters.
    const auto slow =
        jitterGroups(toy({.dp = 4, .tp = 2}, 8), uncontended(), {.slow = {{0, 1.5}}}, kSigma)
            .value();
    ASSERT_EQ(slow.size(), 1U);
    EXPECT_EQ(slow[0].ranks, 1.0);
}

TEST(StepJitter, HasToBeSmall) {
    for (const double sigma : {0.0, -0.01, 0.5, static_cast<double>(NAN)}) {
        EXPECT_EQ(jitterGroups(toy({.dp = 8}, 8), uncontended(), {}, sigma).error().where,
                  "--jitter");
    }
}

}  // namespace
}  // namespace fabricast
