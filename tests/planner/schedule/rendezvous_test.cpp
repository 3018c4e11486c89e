#include "tests/programs/schedule_rows/rendezvous.h"

#include "tests/planner/schedule/any_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fabricast {
namespace {

constexpr std::array kTorchKinds = {OrderKind::Gpipe,
                                    OrderKind::OneFOneB,
                                    OrderKind::LoopedBfs,
                                    OrderKind::Interleaved,
                                    OrderKind::InterleavedZb,
                                    OrderKind::ZbV,
                                    OrderKind::DualPipeV};

// Transfers that take nothing leave only the order of the computations, and the two halves of a
// pair, which wait for both inputs and are sent on together.
RC_GTEST_PROP(Replay, WithoutHandOverIsTheRecurrence, ()) {
    const OrderKind kind = *rc::gen::elementOf(kTorchKinds);
    const FrameworkOrder order{kind, anyShape(kind)};
    const std::vector<std::int64_t> times = anyTimes(order.shape.stages());
    const CommProgram program = commProgram(Framework::Torch, order, P2pMode::Batch).value();
    const StepList steps = sortSteps(actionOrder(kind, order.shape), PairMode::Sequential).value();
    SpanClock<std::int64_t> clock;
    const auto free = replay(program, times, 0);
    const auto late = replay(program, times, 5);
    RC_ASSERT(free.has_value());
    RC_ASSERT(late.has_value());
    RC_ASSERT(free->busy == clock.time(steps, {times}).busy);
    RC_ASSERT(free->makespan >= clock.time(steps, {times}).makespan);
    RC_ASSERT(late->makespan >= free->makespan);
    if (kind != OrderKind::DualPipeV && kind != OrderKind::Gpipe && kind != OrderKind::OneFOneB) {
        RC_ASSERT(free->makespan == clock.time(steps, {times}).makespan);
    }
}

TEST(Replay, AddsWhatBlockingCallsCost) {
    // 1F1B's blocking calls add x(2m + 2p - 5) to the makespan of equal stages.
    const PipelineShape shape{.ranks = 4, .microBatches = 8};
    std::vector<std::int64_t> times;
    for (int stage = 0; stage < 4; ++stage) {
        times.insert(times.end(), {10, 20, 10, 10});
    }
    const CommProgram program =
        commProgram(Framework::Megatron, {OrderKind::OneFOneB, shape}, P2pMode::Batch).value();
    EXPECT_EQ(replay(program, times, 0)->makespan, (8 + 4 - 1) * 30);
    EXPECT_EQ(replay(program, times, 1)->makespan, (8 + 4 - 1) * 30 + 2 * 8 + 2 * 4 - 5);
}

TEST(Replay, NamesACallThatNobodyAnswers) {
    CommProgram program = commProgram(Framework::Megatron,
                                      {OrderKind::OneFOneB, {.ranks = 2, .microBatches = 1}},
                                      P2pMode::Batch)
                              .value();
    program[1].clear();
    const std::vector<std::int64_t> times(2 * kPasses, 1);
    EXPECT_EQ(replay(program, times, 0).error().why, "deadlock: rank 0 never completes C(sn)");
}

TEST(CommProgram, IsRefusedWhereTheFrameworkHasNone) {
    const PipelineShape shape{.ranks = 4, .microBatches = 8};
    EXPECT_EQ(commProgram(Framework::Megatron, {OrderKind::OneFOneB, shape}, P2pMode::Overlap)
                  .error()
                  .why,
              "ValueError: Non-interleaved pipeline parallelism does not support overlapping p2p "
              "communication");
    EXPECT_FALSE(commProgram(Framework::Paper, {OrderKind::ZbH2, shape}, P2pMode::Batch));
}

}  // namespace
}  // namespace fabricast
