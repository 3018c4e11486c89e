#include "planner/schedule/pipeline_span.h"

#include "tests/planner/schedule/any_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <tuple>

namespace fabricast {
namespace {

/// The recurrence as stated, over (stage, microbatch) and without any sorting: ends grow until
/// nothing moves.
std::int64_t slowMakespan(const ActionOrder& order,
                          const std::vector<std::int64_t>& times,
                          std::int64_t handOver) {
    const auto count = static_cast<std::size_t>(order.shape.microBatches);
    const auto stages = static_cast<std::size_t>(order.stages());
    std::vector<std::int64_t> forward(stages * count, -1);
    std::vector<std::int64_t> backward(stages * count, -1);
    std::int64_t most = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < order.ranks.size(); ++rank) {
            std::int64_t free = 0;
            for (const StageAction& action : order.ranks[rank]) {
                const auto stage = static_cast<std::size_t>(action.stage);
                const auto at = [&](std::size_t from) {
                    return from * count + static_cast<std::size_t>(action.microBatch);
                };
                std::int64_t input = 0;
                std::size_t from = stage;
                if (action.pass == Pass::Forward && stage > 0) {
                    from = stage - 1;
                    input = forward[at(from)];
                } else if (action.pass == Pass::WeightGradient) {
                    input = backward[at(stage)];
                } else if (action.pass != Pass::Forward) {
                    from = std::min(stage + 1, stages - 1);
                    input = stage + 1 < stages ? backward[at(from)] : forward[at(stage)];
                }
                if (input < 0) {
                    break;  // not yet known
                }
                const bool remote =
                    order.rankOf(static_cast<std::int64_t>(from), action.microBatch) !=
                    static_cast<std::int64_t>(rank);
                free = std::max(free, input + (remote ? handOver : 0)) +
                       times[timeIndex(stage, action.pass)];
                if (action.pass != Pass::WeightGradient) {
                    std::int64_t& end =
                        (action.pass == Pass::Forward ? forward : backward)[at(stage)];
                    moved = moved || end != free;
                    end = free;
                }
                most = std::max(most, free);
            }
        }
    }
    return most;
}

RC_GTEST_PROP(PipelineSpan, IsTheRecurrenceOfAnyOrder, ()) {
    const OrderKind kind = *rc::gen::elementOf(kAllKinds);
    const ActionOrder order = actionOrder(kind, anyShape(kind));
    const StepList list = sortSteps(order, PairMode::Sequential).value();
    const std::vector<std::int64_t> times = anyTimes(list.stages);
    const auto handOver = *rc::gen::inRange<std::int64_t>(0, 20);
    SpanClock<std::int64_t> clock;
    const PipelineSpan<std::int64_t>& span = clock.time(list, {times, handOver});
    RC_ASSERT(span.makespan == slowMakespan(order, times, handOver));
}

RC_GTEST_PROP(PipelineSpan, SaysTheSameInSeconds, ()) {
    const OrderKind kind = *rc::gen::elementOf(kAllKinds);
    const ActionOrder order = actionOrder(kind, anyShape(kind));
    const PairMode mode = *rc::gen::elementOf(std::array{PairMode::Atomic, PairMode::Sequential});
    const StepList list = sortSteps(order, mode).value();
    const std::vector<std::int64_t> times = anyTimes(list.stages);
    const std::vector<double> seconds(times.begin(), times.end());
    const auto handOver = *rc::gen::inRange<std::int64_t>(0, 20);
    const Receive receive = *rc::gen::elementOf(std::array{Receive::Overlap, Receive::Block});
    SpanClock<std::int64_t> ticks;
    SpanClock<double> clock;
    const PipelineSpan<std::int64_t>& exact = ticks.time(list, {times, handOver, receive});
    const PipelineSpan<double>& real =
        clock.time(list, {seconds, static_cast<double>(handOver), receive});
    const auto same = [](const std::vector<std::int64_t>& a, const std::vector<double>& b) {
        return std::ranges::equal(a, b, {}, [](std::int64_t x) { return static_cast<double>(x); });
    };
    RC_ASSERT(static_cast<double>(exact.makespan) == real.makespan);
    RC_ASSERT(same(exact.busy, real.busy));
    RC_ASSERT(same(exact.end, real.end));
    RC_ASSERT(same(exact.slack, real.slack));
    RC_ASSERT(same(exact.firstForward, real.firstForward));
}

RC_GTEST_PROP(PipelineSpan, NoWaitMakesItShorter, ()) {
    const OrderKind kind = *rc::gen::elementOf(kAllKinds);
    const StepList list = sortSteps(actionOrder(kind, anyShape(kind)), PairMode::Atomic).value();
    const std::vector<std::int64_t> times = anyTimes(list.stages);
    SpanClock<std::int64_t> clock;
    const std::int64_t free = clock.time(list, {times, 0}).makespan;
    const std::int64_t overlapped = clock.time(list, {times, 7}).makespan;
    const std::int64_t blocked = clock.time(list, {times, 7, Receive::Block}).makespan;
    RC_ASSERT(free <= overlapped);
    RC_ASSERT(overlapped <= blocked);
}

/// The recurrence of lines as stated: when each output arrives grows until nothing moves.
std::int64_t slowMakespanOfLines(const ActionOrder& order,
                                 const std::vector<std::int64_t>& times,
                                 std::int64_t handOver) {
    using Cell = std::tuple<bool, std::int32_t, std::int32_t>;  // forward, stage, microbatch
    std::map<Cell, std::int64_t> made;
    std::map<Cell, std::int64_t> arrived;
    const auto last = static_cast<std::int32_t>(order.stages()) - 1;
    std::int64_t most = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < order.ranks.size(); ++rank) {
            std::int64_t free = 0;
            std::int64_t line = 0;
            for (const StageAction& action : order.ranks[rank]) {
                const bool forward = action.pass == Pass::Forward;
                const bool weights = action.pass == Pass::WeightGradient;
                const bool turns = !forward && !weights && action.stage == last;
                const std::int32_t from =
                    weights || turns ? action.stage : action.stage + (forward ? -1 : 1);
                const Cell input{forward || turns, from, action.microBatch};
                const bool own = weights || turns ||
                                 (from >= 0 && order.rankOf(from, action.microBatch) ==
                                                   static_cast<std::int64_t>(rank));
                const auto& known = own ? made : arrived;
                if (from >= 0 && !known.contains(input)) {
                    break;
                }
                free = std::max(free, from < 0 ? 0 : known.at(input)) +
                       times[timeIndex(static_cast<std::size_t>(action.stage), action.pass)];
                most = std::max(most, free);
                const std::int32_t to = action.stage + (forward ? 1 : -1);
                const Cell output{forward, action.stage, action.microBatch};
                if (weights) {
                    continue;
                }
                moved = moved || !made.contains(output) || made[output] != free;
                made[output] = free;
                if (to >= 0 && to <= last &&
                    order.rankOf(to, action.microBatch) != static_cast<std::int64_t>(rank)) {
                    line = std::max(line, free) + handOver;
                    moved = moved || !arrived.contains(output) || arrived[output] != line;
                    arrived[output] = line;
                }
            }
        }
    }
    return most;
}

RC_GTEST_PROP(PipelineSpan, OfLinesIsTheirRecurrence, ()) {
    const OrderKind kind = *rc::gen::elementOf(kAllKinds);
    const ActionOrder order = actionOrder(kind, anyShape(kind));
    const StepList list = sortSteps(order, PairMode::Sequential).value();
    std::vector<std::int64_t> times = anyTimes(list.stages);
    const auto handOver = *rc::gen::inRange<std::int64_t>(0, 60);
    const auto longer = *rc::gen::element<std::int64_t>(0, 60);  // than any transfer, or not
    for (std::int64_t& time : times) {
        time += longer;
    }
    SpanClock<std::int64_t> clock;
    const std::int64_t free = clock.time(list, {times, handOver}).makespan;
    const SpanTimes<std::int64_t> lines{.passes = times, .handOver = handOver, .oneAtATime = true};
    RC_ASSERT(clock.time(list, lines).makespan == slowMakespanOfLines(order, times, handOver));
    RC_ASSERT(clock.time(list, lines).makespan >= free);
}

TEST(PipelineSpan, ALinePassesOneOutputOnAtATime) {
    // All forwards, then all backwards: four outputs go one way, and their gradients back.
    const StepList list =
        sortSteps(actionOrder(OrderKind::Gpipe, {.ranks = 2, .microBatches = 4}), PairMode::Atomic)
            .value();
    const std::vector<std::int64_t> times = {1, 2, 0, 0, 1, 2, 0, 0};
    SpanClock<std::int64_t> clock;
    const SpanTimes<std::int64_t> lines{.passes = times, .handOver = 10, .oneAtATime = true};
    EXPECT_EQ(clock.time(list, lines).makespan, (1 + 4 * 10 + 1) + (2 + 4 * 10 + 2));
}

TEST(PipelineSpan, SaysWhereReductionsMayHide) {
    // p = 2, m = 2: rank 0 runs F0 F1 B0 B1, rank 1 F0 B0 F1 B1; F = 1, B = 2.
    //     0  0 1 . 0 0 1 1      rank 0 ends at 9 after waiting for B1 of rank 1 until 7
    //     1  . 0 0 0 1 1 1
    const StepList list =
        sortSteps(actionOrder(OrderKind::OneFOneB, {.ranks = 2, .microBatches = 2}),
                  PairMode::Atomic)
            .value();
    const std::vector<std::int64_t> times = {1, 2, 0, 0, 1, 2, 0, 0};
    SpanClock<std::int64_t> clock;
    const PipelineSpan<std::int64_t>& span = clock.time(list, {times});
    EXPECT_EQ(span.makespan, 9);
    EXPECT_EQ(span.slack, (std::vector<std::int64_t>{0, 2}));
    EXPECT_EQ(span.firstForward, (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(span.busy, (std::vector<std::int64_t>{6, 6}));
}

TEST(StepList, NamesWhatWaitsForEver) {
    // Two microbatches in groups of one on two ranks: the second group's forward stands before the
    // backward that would free the rank below.
    ActionOrder order = actionOrder(OrderKind::OneFOneB, {.ranks = 2, .microBatches = 1});
    std::swap(order.ranks[1][0], order.ranks[1][1]);
    const auto list = sortSteps(order, PairMode::Atomic);
    ASSERT_FALSE(list);
    EXPECT_EQ(list.error().why, "rank 0 waits forever for an input of 0B0");
}

}  // namespace
}  // namespace fabricast
