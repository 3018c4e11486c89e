#include "planner/schedule/draw_timeline.h"
#include "planner/schedule/order_kind.h"
#include "simulator/engine/simulate.h"
#include "simulator/program/pipeline_program.h"
#include "tests/programs/schedule_rows/recorded_schedules.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

P2pMode modeCalled(const std::string& name) {
    return name == "overlap"         ? P2pMode::Overlap
           : name == "overlap_flush" ? P2pMode::OverlapFlush
                                     : P2pMode::Batch;
}

/// A tick of the recorded times is a picosecond.
std::vector<PassPieces> passesOfTicks(const std::vector<std::int64_t>& ticks) {
    std::vector<PassPieces> passes;
    for (const std::int64_t tick : ticks) {
        passes.push_back({{.stream = SimStream::Compute, .duration = SimTime(tick)}});
    }
    return passes;
}

/// A recorded row as a program: the framework's calls, and passes of whole ticks.
SimProgram programOf(const CsvTable& table, std::size_t row) {
    const ScheduleRequest request = requestOf(table, row);
    const FrameworkOrder chosen = frameworkOrder(request).value();
    const ActionOrder order = actionOrder(chosen.kind, chosen.shape);
    const StepList steps = sortSteps(order, PairMode::Atomic).value();
    const PassTimes times = parsePassTimes(table.text(row, "durations"),
                                           table.text(row, "x"),
                                           static_cast<std::size_t>(steps.stages),
                                           passesOf(steps))
                                .value();
    const CommProgram calls =
        commProgram(request.framework, chosen, modeCalled(table.text(row, "p2p_mode"))).value();
    const Layout layout{.pp = chosen.shape.ranks};
    const Scenario scenario{};
    const StepPieces pieces{.stages = std::vector<StageTime>(order.ranks.size())};
    const StageRanks ranks = StageRanks::classes(layout);
    SimProgram program({.actors = ranks.actors()});
    StepFlows flows;
    StageOpWriter writer(program, ranks, flows);
    StepTransfers none(scenario, pieces, writer);
    PassWriter passes(order, passesOfTicks(times.ticks), writer, none);
    EXPECT_TRUE(addCalls(calls, {SimTime(times.handOver), Bytes(1)}, writer, passes));
    return program;
}

void expectMakespans(const std::string& file, int rows) {
    const CsvTable table = CsvTable::read(FABRICAST_SOURCE_DIR "/tests/cases/schedules/" + file);
    int compared = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto run = simulate(programOf(table, row));
        const std::string ours =
            run ? std::to_string(run->makespan.count()) : std::string("deadlock");
        EXPECT_EQ(ours, table.text(row, "makespan"))
            << table.text(row, "id") << " " << table.text(row, "p2p_mode") << " "
            << table.text(row, "durations") << " x " << table.text(row, "x") << " "
            << (run ? "" : run.error().text());
        ++compared;
    }
    EXPECT_EQ(compared, rows);
}

// What frameworks' ranks called, recorded, takes the recorded time to the tick.
TEST(CallProgram, TakesAsLongAsRecorded) {
    expectMakespans("comms.csv", 222);
    expectMakespans("more/comms.csv", 192);
}

TEST(CallProgram, NamesCallsThatNobodyAnswers) {
    const FrameworkOrder chosen{OrderKind::OneFOneB, {.ranks = 2, .microBatches = 1}};
    const ActionOrder order = actionOrder(chosen.kind, chosen.shape);
    CommProgram calls = commProgram(Framework::Megatron, chosen, P2pMode::Batch).value();
    // The second rank receives one more than the first ever sends.
    CommStep more = calls[1].front();
    ASSERT_EQ(more.kind, CommStep::Kind::Call);
    calls[1].insert(calls[1].begin(), more);
    const Layout layout{.pp = 2};
    const Scenario scenario{};
    const StepPieces pieces{.stages = std::vector<StageTime>(2)};
    const StageRanks ranks = StageRanks::classes(layout);
    SimProgram program({.actors = 2});
    StepFlows flows;
    StageOpWriter writer(program, ranks, flows);
    StepTransfers none(scenario, pieces, writer);
    PassWriter passes(
        order, passesOfTicks(std::vector<std::int64_t>(2 * kPasses, 1)), writer, none);
    const auto added = addCalls(calls, {SimTime(1), Bytes(1)}, writer, passes);
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().why,
              "rank 0 and rank 1 do not both issue the transfer of an output, "
              "number 1");
}

}  // namespace
}  // namespace fabricast
