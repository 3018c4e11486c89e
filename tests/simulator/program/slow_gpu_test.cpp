#include "simulator/engine/simulate.h"
#include "simulator/program/step_program.h"
#include "tests/simulator/program/small_worlds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace fabricast {
namespace {

constexpr double kFactor = 1.3;

const std::vector<World>& worlds() {
    static const std::vector<World> all = smallWorlds();
    return all;
}

SimTime stepOf(const World& world, const StepDetail& detail, double contention = 0.0) {
    StepPieces pieces = world.pieces;
    pieces.software.contention = contention;
    return simulate(programOf(world.scenario, pieces, detail))->makespan;
}

std::size_t lastStage(const World& world) {
    return static_cast<std::size_t>(world.scenario.layout.pp) - 1;
}

// Two actors for each stage give the same as one for each rank.
TEST(SlowGpu, IsAsSlowAmongItsOwnKindAsAmongAllRanks) {
    int alone = 0;
    int beside = 0;
    for (const World& world : worlds()) {
        for (const std::size_t stage : std::set<std::size_t>{0, lastStage(world)}) {
            const std::vector<SlowGpu> slow = {{stage, kFactor}};
            const SimTime classes = stepOf(world, {.slow = slow}, 0.2);
            EXPECT_EQ(classes, stepOf(world, {.ranks = Ranks::All, .slow = slow}, 0.2))
                << worldText(world.scenario) << " stage " << stage;
            EXPECT_GE(classes, stepOf(world, {}, 0.2)) << worldText(world.scenario);
            (world.scenario.layout.dp > 1 ? beside : alone) += 1;
        }
    }
    EXPECT_GT(alone, 200);
    EXPECT_GT(beside, 200);
}

TEST(SlowGpu, HandsOverByTheFrameworksCallsToo) {
    for (const World& world : worlds()) {
        if (world.scenario.layout.pp > 1) {
            StepDetail detail{.handOvers = HandOvers::Framework, .slow = {{1, kFactor}, {0, 1.1}}};
            const SimTime classes = stepOf(world, detail);
            detail.ranks = Ranks::All;
            EXPECT_EQ(classes, stepOf(world, detail)) << worldText(world.scenario);
        }
    }
}

/// The world where every rank of a stage is as slow.
World slowedStage(World world, std::size_t stage) {
    StageTime& time = world.pieces.stages[stage];
    for (ChunkTime& chunk : time.chunks) {
        for (TimeByPart* const part : {&chunk.forward, &chunk.backward}) {
            for (const TimePart kernels :
                 {TimePart::Gemm, TimePart::Attention, TimePart::MemoryBound}) {
                part->of(kernels) *= kFactor;
            }
        }
        chunk.weightSeconds *= kFactor;
    }
    world.pieces.optimizer[stage] *= kFactor;
    return world;
}

// One slow GPU holds up a synchronous step as much as a stage of slow ones.
TEST(SlowGpu, MakesItsStageThatSlow) {
    for (const World& world : worlds()) {
        const std::size_t stage = lastStage(world);
        const SimTime slow = stepOf(world, {.slow = {{stage, kFactor}}});
        const SimTime all = stepOf(slowedStage(world, stage), {});
        EXPECT_NEAR(static_cast<double>(slow.count()),
                    static_cast<double>(all.count()),
                    1e-9 * static_cast<double>(all.count()))
            << worldText(world.scenario);
    }
}

// Without a pipeline it is the kernels' time that grows.
TEST(SlowGpu, AddsToKernelsAlone) {
    int checked = 0;
    for (const World& world : worlds()) {
        if (world.scenario.layout.pp > 1) {
            continue;
        }
        const SimProgram program = programOf(world.scenario, world.pieces);
        const SimRun run = simulate(program).value();
        SimTime kernels;
        for (OpIndex op = 0; op < program.ops().size(); ++op) {
            if (program.ops()[op].stream == SimStream::Compute) {
                kernels += run.lasted(op);
            }
        }
        const double most =
            seconds(run.makespan).count() + (kFactor - 1.0) * seconds(kernels).count();
        const double slow = seconds(stepOf(world, {.slow = {{0, kFactor}}})).count();
        EXPECT_LE(slow, most * (1.0 + 1e-9)) << worldText(world.scenario);
        EXPECT_GE(slow, 0.9 * most) << worldText(world.scenario);
        ++checked;
    }
    EXPECT_GT(checked, 20);
}

TEST(SlowGpu, HasToBeThere) {
    const World& world = worlds().front();
    for (const SlowGpu slow :
         {SlowGpu{99, 1.3}, SlowGpu{0, 0.5}, SlowGpu{0, -1.0}, SlowGpu{0, NAN}}) {
        const auto program = stepProgram(world.scenario, world.pieces, {.slow = {slow}});
        ASSERT_FALSE(program);
        EXPECT_EQ(program.error().where, "--stragglers");
        EXPECT_FALSE(program.error().hint.empty());
    }
}

}  // namespace
}  // namespace fabricast
