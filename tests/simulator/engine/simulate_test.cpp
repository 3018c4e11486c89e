#include "simulator/engine/simulate.h"

#include "planner/base/check.h"
#include "simulator/engine/critical_path.h"
#include "tests/simulator/engine/naive_engine.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <numeric>

namespace fabricast {
namespace {

OpIndex compute(SimProgram& program, ActorIndex actor, std::int64_t duration) {
    return program.add({.duration = SimTime(duration), .actor = actor, .slowed = true});
}

TEST(Simulate, RunsStreamsInOrderAndWaits) {
    // actor 0: 10 on its compute, then 5; a transfer of 3 to actor 1, which computes 2 and then 4.
    //     0  ==========.....          0 ends at 15
    //     1  ==           ====        the transfer takes 10 to 13, its second op 13 to 17
    SimProgram program({.actors = 2});
    const OpIndex made = compute(program, 0, 10);
    const OpIndex more = compute(program, 0, 5);
    const OpIndex early = compute(program, 1, 2);
    const OpIndex used = compute(program, 1, 4);
    const OpIndex wire =
        program.add({.duration = SimTime(3), .actor = 1, .stream = SimStream::Pipeline});
    program.wait(wire, made);
    program.wait(used, wire);
    program.hop({.op = wire, .made = made, .from = 0, .to = 1, .bytes = Bytes(64)});
    const SimRun run = simulate(program).value();
    EXPECT_EQ(run.end[more], SimTime(15));
    EXPECT_EQ(run.end[early], SimTime(2));
    EXPECT_EQ(run.start[used], SimTime(13));
    EXPECT_EQ(run.makespan, SimTime(17));
    EXPECT_EQ(run.events, 5U);
    EXPECT_EQ(run.sent, (std::vector<Bytes>{Bytes(64), Bytes(0)}));
    EXPECT_EQ(run.received, (std::vector<Bytes>{Bytes(0), Bytes(64)}));
    const CriticalPath path = criticalPath(program, run);
    EXPECT_EQ(path.ops, (std::vector<OpIndex>{made, wire, used}));
    EXPECT_EQ(path.busiest, 0U);
    // The path's last 4 run while the busiest actor still works for 2 of them.
    EXPECT_EQ(path.of(PathPart::Compute), SimTime(12));
    EXPECT_EQ(path.of(PathPart::Pipeline), SimTime(3));
    EXPECT_EQ(path.of(PathPart::Bubble), SimTime(2));
}

TEST(Simulate, SlowsKernelsBesideCommunication) {
    // 100 of work at a rate of 0.75 from 20 on, as long as a transfer of 40 runs: 30 of its work.
    SimProgram program({.actors = 2, .contention = 0.25});
    const OpIndex first = program.add({.duration = SimTime(20), .stream = SimStream::Host});
    const OpIndex transfer =
        program.add({.duration = SimTime(40), .stream = SimStream::Data, .slows = true});
    program.wait(transfer, first);
    const OpIndex kernels = compute(program, 0, 100);
    const OpIndex elsewhere = compute(program, 1, 100);
    const SimRun run = simulate(program).value();
    EXPECT_EQ(run.end[transfer], SimTime(60));
    EXPECT_EQ(run.end[kernels], SimTime(20 + 40 + 50));
    EXPECT_EQ(run.end[elsewhere], SimTime(100));
}

TEST(Simulate, NamesOpsThatWaitForEachOther) {
    SimProgram program({.actors = 2});
    const OpIndex a =
        program.add({.actor = 0, .microBatch = 3, .stage = 0, .kind = SimKind::Forward});
    const OpIndex b =
        program.add({.actor = 1, .microBatch = 0, .stage = 1, .kind = SimKind::Backward});
    program.wait(a, b);
    program.wait(b, a);
    const auto run = simulate(program);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().why,
              "2 ops wait for each other (deadlock): forward of microbatch 3 in stage 0, rank 0; "
              "backward of microbatch 0 in stage 1, rank 1");
}

TEST(Simulate, RefusesWhatItCannotCount) {
    SimProgram program({.actors = 1});
    constexpr std::int64_t kHalf = 5'000'000'000'000'000'000;
    compute(program, 0, kHalf);
    compute(program, 0, kHalf);
    const auto run = simulate(program);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().why, "a step must be shorter than 106 days");
}

TEST(Simulate, StopsWhenAsked) {
    SimProgram program({.actors = 1});
    for (int op = 0; op < 5000; ++op) {
        compute(program, 0, 1);
    }
    std::stop_source stop;
    EXPECT_TRUE(simulate(program, stop.get_token()));
    stop.request_stop();
    const Result<SimRun> run = simulate(program, stop.get_token());
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, Error::Code::Stopped);
}

TEST(Simulate, TakesAnEmptyProgram) {
    const SimProgram program({.actors = 1});
    const SimRun run = simulate(program).value();
    EXPECT_EQ(run.makespan, SimTime(0));
    EXPECT_TRUE(criticalPath(program, run).ops.empty());
}

constexpr std::int64_t kTick = 1'000'000;

/// Any ops on a few actors, each waiting for some before it; times of 0 and equal times are common.
SimProgram anyProgram() {
    const auto actors = *rc::gen::inRange<ActorIndex>(1, 4);
    SimProgram program({.actors = actors, .contention = *rc::gen::element(0.0, 0.25, 0.07, 0.5)});
    const auto count = *rc::gen::inRange<OpIndex>(1, 25);
    for (OpIndex op = 0; op < count; ++op) {
        const auto stream = static_cast<SimStream>(*rc::gen::inRange<std::size_t>(0, kSimStreams));
        const bool kernels = stream == SimStream::Compute;
        program.add({.duration = SimTime(kTick * *rc::gen::inRange<std::int64_t>(0, 40)),
                     .actor = *rc::gen::inRange<ActorIndex>(0, actors),
                     .stream = stream,
                     .slowed = kernels,
                     .slows = !kernels && *rc::gen::arbitrary<bool>()});
    }
    const auto edges = *rc::gen::inRange<std::size_t>(0, 20);
    for (std::size_t edge = 0; edge < edges && count > 1; ++edge) {
        const auto op = *rc::gen::inRange<OpIndex>(1, count);
        program.wait(op, *rc::gen::inRange<OpIndex>(0, op));
    }
    return program;
}

// The reference looks at everything after every event, and takes events of one time in an order of
// its own. What ends then is the same to the picosecond, except for kernels whose rate changes:
// each change may round another way.
RC_GTEST_PROP(Simulate, IsTheNaiveEngine, ()) {
    const SimProgram program = anyProgram();
    const SimRun run = simulate(program).value();
    const NaiveEngine naive(program);
    const auto changes = static_cast<std::int64_t>(2 * program.ops().size());
    const std::int64_t most = program.setting().contention > 0.0 ? changes : 0;
    for (OpIndex op = 0; op < program.ops().size(); ++op) {
        RC_ASSERT(std::abs(run.start[op].count() - naive.start[op]) <= most);
        RC_ASSERT(std::abs(run.end[op].count() - naive.end[op]) <= most);
    }
}

RC_GTEST_PROP(Simulate, PathsAreAsLongAsTheRun, ()) {
    const SimProgram program = anyProgram();
    const SimRun run = simulate(program).value();
    const CriticalPath path = criticalPath(program, run);
    RC_ASSERT(std::accumulate(path.parts.begin(), path.parts.end(), SimTime(0)) == run.makespan);
    RC_ASSERT(run.events == program.ops().size());
    for (const SimProgram::Edge& edge : program.edges()) {
        RC_ASSERT(run.start[edge.op] >= run.end[edge.after]);
    }
}

}  // namespace
}  // namespace fabricast
