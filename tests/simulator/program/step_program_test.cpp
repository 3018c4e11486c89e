#include "simulator/program/step_program.h"

#include "planner/estimate/data_parallel_time.h"
#include "planner/estimate/pipeline_time.h"
#include "simulator/program/simulate_step.h"
#include "tests/simulator/engine/naive_engine.h"
#include "tests/simulator/program/small_worlds.h"

#include <gtest/gtest.h>

#include <set>
#include <stop_token>

namespace fabricast {
namespace step_program_test {

const std::vector<World>& worlds() {
    static const std::vector<World> all = smallWorlds();
    return all;
}

bool isPassOp(const SimOp& op) {
    return op.microBatch >= 0;
}

/// When the last pass ends.
double spanOf(const SimProgram& program, const SimRun& run) {
    SimTime last;
    for (OpIndex op = 0; op < program.ops().size(); ++op) {
        if (isPassOp(program.ops()[op])) {
            last = std::max(last, run.end[op]);
        }
    }
    return seconds(last).count();
}

/// The same if reductions and gathers slow concurrent kernels.
StepPieces contended(StepPieces pieces) {
    pieces.software.contention = 0.2;
    return pieces;
}

TEST(SmallWorlds, AreMany) {
    std::set<std::pair<std::string, ScheduleKind>> seen;
    for (const auto& [scenario, pieces] : worlds()) {
        seen.insert({scenario.stack, scenario.layout.schedule});
    }
    for (const auto& [stack, schedules] :
         {std::pair<std::string, std::vector<ScheduleKind>>{
              "megatron", {ScheduleKind::OneFOneB, ScheduleKind::Interleaved}},
          {"torchtitan",
           {ScheduleKind::Gpipe,
            ScheduleKind::OneFOneB,
            ScheduleKind::Interleaved,
            ScheduleKind::LoopedBfs,
            ScheduleKind::InterleavedZb,
            ScheduleKind::ZbV,
            ScheduleKind::DualPipeV}},
          {"deepspeed", {ScheduleKind::None}},
          {"fsdp2", {ScheduleKind::None}},
          {"ddp", {ScheduleKind::None}}}) {
        for (const ScheduleKind schedule : schedules) {
            EXPECT_TRUE(seen.contains({stack, schedule}))
                << stack << " " << static_cast<int>(schedule);
        }
    }
    EXPECT_GT(worlds().size(), 500U) << worlds().size();
    RecordProperty("worlds", static_cast<int>(worlds().size()));
}

// Passes and transfers alone are the recurrence of the forecast.
TEST(SmallWorlds, PassesAreTheRecurrence) {
    SpanWorkspace spans;
    for (const auto& [scenario, all] : worlds()) {
        StepPieces pieces = all;
        const PipelineTime expected = pipelineTime(scenario, pieces.stages, spans).value();
        for (StageTime& stage : pieces.stages) {
            stage.gradientReduce = 0.0;
            stage.parameterGather = 0.0;
        }
        const SimProgram program = programOf(scenario, pieces);
        const double span = spanOf(program, simulate(program).value());
        EXPECT_NEAR(span / expected.span, 1.0, 1e-9) << worldText(scenario);
    }
}

/// Seconds that the stages' norms, gathers and shared gradients differ by: a step waits for the
/// longest of each, where the forecast has those of the stage that waits longest for all of them.
double unevenTail(const StepPieces& pieces) {
    double uneven = 0.0;
    for (double StageTime::*const part :
         {&StageTime::bookkeeping, &StageTime::parameterGather, &StageTime::sharedGradients}) {
        const auto [least, most] = std::ranges::minmax(pieces.stages, {}, part);
        uneven += most.*part - least.*part;
    }
    return uneven;
}

// Without stages that wait for each other the whole step is the forecast's. With them, a stage's
// own reductions and optimizer begin as soon as it can: the forecast adds the longest of each.
TEST(SmallWorlds, StepsAreTheForecast) {
    for (const auto& [scenario, pieces] : worlds()) {
        const auto step = simulateStep(scenario, uncontended(), {.links = Links::Unlimited});
        ASSERT_TRUE(step) << worldText(scenario) << step.error().text();
        if (scenario.layout.pp == 1) {
            EXPECT_NEAR(step->difference(), 0.0, 1e-9) << worldText(scenario);
        }
        const double uneven = unevenTail(pieces) / step->forecast.step.value.count();
        EXPECT_LE(step->difference(), 1e-9 + uneven) << worldText(scenario);
        EXPECT_GE(step->difference(), -0.1) << worldText(scenario);
    }
}

TEST(SmallWorlds, RanksOnTheirOwnTakeAsLongAsOneOfEachStage) {
    for (const auto& [scenario, free] : worlds()) {
        const StepPieces pieces = contended(free);
        const SimProgram classes = programOf(scenario, pieces);
        const SimProgram all = programOf(scenario, pieces, {.ranks = Ranks::All});
        EXPECT_EQ(all.setting().actors, scenario.layout.world());
        EXPECT_EQ(simulate(all)->makespan, simulate(classes)->makespan) << worldText(scenario);
    }
}

// The transfers of a stage are those that its framework sends.
TEST(SmallWorlds, StagesSendWhatTheirCallsSay) {
    int checked = 0;
    for (const auto& [scenario, free] : worlds()) {
        const StepPieces pieces = contended(free);
        const SimProgram program = programOf(scenario, pieces);
        const SimRun run = simulate(program).value();
        for (std::size_t stage = 0; stage < pieces.stages.size(); ++stage) {
            Bytes sent;
            Bytes received;
            for (const CommCall& call : pieces.stages[stage].calls) {
                if (call.use == CommUse::StageExchange) {
                    (call.op == CommOp::Send ? sent : received) +=
                        Bytes(call.count() * call.bytes());
                }
            }
            EXPECT_EQ(run.sent[stage], sent) << worldText(scenario) << " stage " << stage;
            EXPECT_EQ(run.received[stage], received) << worldText(scenario) << " stage " << stage;
            checked += sent > Bytes(0) ? 1 : 0;
        }
    }
    EXPECT_GT(checked, 100);
}

// A schedule ends when its sends have: what follows its passes does not share links with them.
TEST(SmallWorlds, TheEndOfAStepWaitsForHandOvers) {
    int checked = 0;
    for (const auto& [scenario, free] : worlds()) {
        if (tailOverlap(scenario).reduce) {
            continue;  // reductions that overlap with passes overlap with their sends
        }
        const SimProgram program = programOf(scenario, free);
        const SimRun run = simulate(program).value();
        std::vector<SimTime> sent(program.setting().actors);
        for (const SimHop& hop : program.hops()) {
            sent[hop.from] = std::max(sent[hop.from], run.end[hop.op]);
        }
        for (OpIndex op = 0; op < program.ops().size(); ++op) {
            const SimOp& at = program.ops()[op];
            if (at.kind == SimKind::Reduce && sent[at.actor] > SimTime(0)) {
                EXPECT_GE(run.end[op] - at.duration, sent[at.actor]) << worldText(scenario);
                ++checked;
            }
        }
    }
    EXPECT_GT(checked, 100);
}

TEST(SmallWorlds, AProgramIsStoppedWhileItIsMade) {
    std::stop_source stop;
    stop.request_stop();
    for (const auto& [scenario, pieces] : worlds()) {
        const auto made = stepProgram(scenario, pieces, {.ranks = Ranks::All}, stop.get_token());
        ASSERT_FALSE(made) << worldText(scenario);
        EXPECT_EQ(made.error().code, Error::Code::Stopped) << worldText(scenario);
    }
}

// Calls wait for each other: they send the same bytes, and no pass is faster for it.
TEST(SmallWorlds, FrameworksCallsSendTheSameAndTakeNoLess) {
    SpanWorkspace spans;
    int longer = 0;
    for (const auto& [scenario, pieces] : worlds()) {
        if (scenario.layout.pp == 1) {
            EXPECT_EQ(
                stepProgram(scenario, pieces, {.handOvers = HandOvers::Framework}).error().where,
                "--calls");
            continue;
        }
        const SimProgram calls = programOf(scenario, pieces, {.handOvers = HandOvers::Framework});
        const auto run = simulate(calls);
        ASSERT_TRUE(run) << worldText(scenario) << run.error().text();
        const SimProgram modelled = programOf(scenario, pieces);
        EXPECT_EQ(run->sent, simulate(modelled)->sent) << worldText(scenario);
        const PipelineTime expected = pipelineTime(scenario, pieces.stages, spans).value();
        const double alone = expected.span - expected.exchange;
        EXPECT_GE(spanOf(calls, *run), alone * (1.0 - 1e-9)) << worldText(scenario);
        longer += run->makespan > simulate(modelled)->makespan ? 1 : 0;
        const SimProgram all =
            programOf(scenario, pieces, {.ranks = Ranks::All, .handOvers = HandOvers::Framework});
        EXPECT_EQ(simulate(all)->makespan, run->makespan) << worldText(scenario);
    }
    EXPECT_GT(longer, 0);
}

TEST(SmallWorlds, TheNaiveEngineSaysTheSame) {
    constexpr std::size_t kMostOps = 200;
    int checked = 0;
    for (const auto& [scenario, free] : worlds()) {
        const StepProgram step = stepProgram(scenario, contended(free), {}).value();
        const SimProgram& program = step.program;
        if (program.ops().size() > kMostOps) {
            continue;
        }
        const SimRun run = simulate(program).value();
        const NaiveEngine naive(program);
        for (OpIndex op = 0; op < program.ops().size(); ++op) {
            EXPECT_NEAR(static_cast<double>(run.end[op].count()),
                        static_cast<double>(naive.end[op]),
                        static_cast<double>(program.ops().size()))
                << worldText(scenario) << ": " << opText(program.ops()[op]);
        }
        ++checked;
    }
    EXPECT_GT(checked, 100);
}

// Links that are shared slow some steps and quicken none, with one representative rank or with all.
TEST(SmallWorlds, SharedLinksTakeNoLess) {
    int slower = 0;
    for (const auto& [scenario, pieces] : worlds()) {
        const StepProgram shared = stepProgram(scenario, pieces, {}).value();
        const SimRun run = simulate(shared.program).value();
        const SimRun alone = simulate(programOf(scenario, pieces)).value();
        EXPECT_GE(run.makespan, alone.makespan) << worldText(scenario);
        slower += run.makespan > alone.makespan ? 1 : 0;
        const SimRun ranks =
            simulate(stepProgram(scenario, pieces, {.ranks = Ranks::All})->program).value();
        EXPECT_NEAR(ranks.makespan / run.makespan, 1.0, 1e-9) << worldText(scenario);
        for (const LinkUse& use : linkUses(shared.program, run, shared.flows)) {
            EXPECT_LE(use.most, 1.0 + 1e-9) << worldText(scenario) << " " << use.name;
        }
    }
    EXPECT_GT(slower, 20);
    RecordProperty("slower", slower);
}

}  // namespace step_program_test
}  // namespace fabricast
