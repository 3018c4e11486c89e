#include "simulator/memory/memory_curve.h"

#include "planner/memory/walk_stage.h"
#include "simulator/program/step_program.h"
#include "tests/simulator/program/small_worlds.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <tuple>

namespace fabricast {
namespace {

const std::vector<World>& worlds() {
    static const std::vector<World> all = smallWorlds();
    return all;
}

/// A step of a small world, simulated, with the memory of every stage.
struct Walked {
    SimProgram program;
    SimRun run;
    std::vector<MemoryCurve> curves;
};

Walked walked(const World& world) {
    SimProgram program = programOf(world.scenario, world.pieces);
    SimRun run = simulate(program).value();
    const StageRanks ranks = StageRanks::classes(world.scenario.layout);
    std::vector<std::size_t> stages(ranks.stages());
    std::iota(stages.begin(), stages.end(), 0);
    auto curves = memoryCurves(world.scenario, program, run, ranks, stages);
    EXPECT_TRUE(curves) << curves.error().text();
    return {std::move(program), std::move(run), std::move(*curves)};
}

void expectPeaksOfTheWalk(const World& world) {
    for (const MemoryCurve& curve : walked(world).curves) {
        const auto stage = peakOfStage(world.scenario, {.stage = curve.stage});
        ASSERT_TRUE(stage) << stage.error().text();
        EXPECT_EQ(curve.peak, stage->requested)
            << worldText(world.scenario) << ", stage " << curve.stage << ": " << curve.peakMoment
            << ", " << stage->peakAt;
        EXPECT_EQ(curve.rest, stage->betweenSteps) << worldText(world.scenario);
    }
}

// The planner walks only the microbatches that determine the peak; here all are walked, in the
// order in which they were simulated.
TEST(MemoryCurve, PeaksWhereTheExactWalkDoes) {
    for (const World& world : worlds()) {
        expectPeaksOfTheWalk(world);
    }
}

// The same with enough microbatches that the planner leaves most of them out.
TEST(MemoryCurve, PeaksWhereTheWalkOfManyMicrobatchesDoes) {
    std::set<std::tuple<std::string, ScheduleKind, std::int64_t, bool>> seen;
    for (World world : worlds()) {
        const Layout& layout = world.scenario.layout;
        if (layout.pp > 1 &&
            seen.insert({world.scenario.stack, layout.schedule, layout.pp, layout.tp > 1}).second) {
            world.scenario.workload.globalBatch *= 8;
            expectPeaksOfTheWalk(world);
        }
    }
    EXPECT_GT(seen.size(), 40U);
}

void expectSteps(const MemoryCurve& curve, SimTime makespan) {
    ASSERT_GE(curve.points.size(), 2U);
    EXPECT_EQ(curve.points.front().at, SimTime(0));
    EXPECT_EQ(curve.points.back().bytes.total(), curve.rest);
    EXPECT_LE(curve.points.back().at, makespan);
    Bytes most;
    SimTime before;
    for (const MemoryPoint& point : curve.points) {
        EXPECT_GE(point.at, before);
        before = point.at;
        most = std::max(most, point.bytes.total());
        EXPECT_EQ(most == curve.peak, point.at >= curve.peakFrom);
    }
    EXPECT_EQ(most, curve.peak);
    EXPECT_LE(curve.peakFrom, curve.peakUntil);
    EXPECT_FALSE(curve.peakMoment.empty());
}

TEST(MemoryCurve, StepsFromRestToRest) {
    for (std::size_t i = 0; i < worlds().size(); i += 7) {
        const Walked step = walked(worlds()[i]);
        for (const MemoryCurve& curve : step.curves) {
            SCOPED_TRACE(worldText(worlds()[i].scenario));
            expectSteps(curve, step.run.makespan);
        }
    }
}

// 1F1B: the first stage peaks once all its microbatches are in flight, the last one with the
// second microbatch's or a later backward, which has the first one's gradients too.
TEST(MemoryCurve, OfOneFOneBRisesWithTheWarmUp) {
    for (const World& world : worlds()) {
        const Layout& layout = world.scenario.layout;
        if (world.scenario.stack != "megatron" || layout.schedule != ScheduleKind::OneFOneB ||
            layout.pp != 4 || layout.vpp != 1) {
            continue;
        }
        const Walked step = walked(world);
        const std::vector<RankPasses> ranks = passesOfActors(step.program, step.run);
        for (std::size_t stage = 0; stage < 4; ++stage) {
            const std::size_t warmUp = 3 - stage;
            const RankPass& last = ranks[stage].passes[warmUp];
            EXPECT_EQ(last.action.pass, Pass::Forward);
            EXPECT_GE(step.curves[stage].peakFrom, last.begin) << worldText(world.scenario);
        }
    }
}

}  // namespace
}  // namespace fabricast
