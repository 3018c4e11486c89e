#include "planner/schedule/pipeline_span.h"
#include "tests/planner/schedule/any_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

// What the papers of the schedules promise about them, for any number of ranks and microbatches.

namespace fabricast {
namespace {

struct Outcome {
    PipelineSpan<std::int64_t> span;
    std::vector<InFlight> inFlight;
};

Outcome outcomeOf(OrderKind kind, const PipelineShape& shape, std::array<std::int64_t, 4> passes) {
    const StepList list = sortSteps(actionOrder(kind, shape), PairMode::Atomic).value();
    std::vector<std::int64_t> times;
    for (std::int64_t stage = 0; stage < list.stages; ++stage) {
        times.insert(times.end(), passes.begin(), passes.end());
    }
    SpanClock<std::int64_t> clock;
    return {clock.time(list, {times}), list.inFlight};
}

std::int64_t mostKept(const Outcome& outcome) {
    std::int64_t most = 0;
    for (const InFlight& rank : outcome.inFlight) {
        most = std::max(most, rank.peak);
    }
    return most;
}

/// Idle time of a rank between its first and its last action, where it never starts late.
std::int64_t waitsInside(const Outcome& outcome, std::size_t rank) {
    return outcome.span.end[rank] - outcome.span.firstForward[rank] - outcome.span.busy[rank];
}

// Qi et al. 2023, table 1: ZB-H1 keeps what 1F1B keeps, p microbatches.
RC_GTEST_PROP(PublishedClaims, ZbH1KeepsAsMuchAsOneFOneB, ()) {
    const auto ranks = *rc::gen::inRange<std::int64_t>(1, 12);
    const std::int64_t count = *rc::gen::inRange<std::int64_t>(1, 40);
    const Outcome zb = outcomeOf(OrderKind::InterleavedZb,
                                 {.ranks = ranks, .microBatches = count, .group = count},
                                 {1, 2, 1, 1});
    const Outcome plain =
        outcomeOf(OrderKind::OneFOneB, {.ranks = ranks, .microBatches = count}, {1, 2, 1, 1});
    RC_ASSERT(mostKept(zb) == std::min(ranks, count));
    RC_ASSERT(zb.span.makespan <= plain.span.makespan);
}

// The same table: ZB-H2 keeps 2p-1 and has a bubble of (p-1)(F + I - 2W), none where F = I = W. Its
// bubble is that of the first rank, between its own first and last action.
RC_GTEST_PROP(PublishedClaims, ZbH2HasNoBubble, ()) {
    const auto ranks = *rc::gen::inRange<std::int64_t>(1, 12);
    const std::int64_t count = 2 * ranks - 1 + *rc::gen::inRange<std::int64_t>(0, 30);
    const PipelineShape shape{.ranks = ranks, .microBatches = count};
    const Outcome even = outcomeOf(OrderKind::ZbH2, shape, {5, 10, 5, 5});
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
        RC_ASSERT(waitsInside(even, rank) == 0);
        RC_ASSERT(even.inFlight[rank].peak <= 2 * ranks - 1);
    }
    RC_ASSERT(mostKept(even) == 2 * ranks - 1);
    const Outcome plain = outcomeOf(OrderKind::OneFOneB, shape, {5, 10, 5, 5});
    RC_ASSERT(even.span.makespan == plain.span.makespan - (ranks - 1) * 10);
    const Outcome real = outcomeOf(OrderKind::ZbH2, shape, {30, 61, 33, 28});
    RC_ASSERT(waitsInside(real, 0) == (ranks - 1) * (30 + 33 - 2 * 28));
}

// DeepSeek-V3's report, table 2: bubble (p/2 - 1)(F&B + B - 3W), p+1 microbatches kept. Pairs are
// timed as F + B here.
RC_GTEST_PROP(PublishedClaims, DualPipeHasTheBubbleOfItsReport, ()) {
    const std::int64_t ranks = 2 * *rc::gen::inRange<std::int64_t>(1, 7);
    const std::int64_t count = 2 * ranks + 2 * *rc::gen::inRange<std::int64_t>(0, 12);
    const PipelineShape shape{.ranks = ranks, .microBatches = count};
    const Outcome outcome = outcomeOf(OrderKind::DualPipe, shape, {4, 8, 4, 4});
    const std::int64_t bubble = outcome.span.makespan - outcome.span.busy[0];
    RC_ASSERT(bubble == (ranks / 2 - 1) * ((4 + 8) + 8 - 3 * 4));
    for (const InFlight& rank : outcome.inFlight) {
        RC_ASSERT(rank.peak == ranks + 1);
    }
    const Outcome plain = outcomeOf(OrderKind::OneFOneB, shape, {4, 8, 4, 4});
    RC_ASSERT(outcome.span.makespan <= plain.span.makespan);
}

// Qi et al. 2024: with F = I = W, V-Half keeps (p+2)/2 microbatches and V-Min (p+4)/3, each of them
// two of the stages here, with less bubble than 1F1B's stages of twice the length have.
RC_GTEST_PROP(PublishedClaims, VSchedulesKeepWithinTheirMemory, ()) {
    const auto ranks = *rc::gen::inRange<std::int64_t>(2, 14);
    const auto count = *rc::gen::inRange<std::int64_t>(1, 50);
    const PipelineShape shape{.ranks = ranks, .chunks = 2, .microBatches = count};
    const Outcome half = outcomeOf(OrderKind::VHalf, shape, {1, 2, 1, 1});
    const Outcome least = outcomeOf(OrderKind::VMin, shape, {1, 2, 1, 1});
    const Outcome plain =
        outcomeOf(OrderKind::OneFOneB, {.ranks = ranks, .microBatches = count}, {2, 4, 2, 2});
    RC_ASSERT(mostKept(half) <= ranks + 2);
    RC_ASSERT(3 * mostKept(least) <= 2 * (ranks + 4));
    RC_ASSERT(half.span.makespan <= plain.span.makespan);
    RC_ASSERT(least.span.makespan <= plain.span.makespan);
    if (count >= 2 * ranks) {  // bubbles: about p/2 and 2p/3 microbatches, 1F1B's is p-1
        RC_ASSERT(half.span.makespan - 6 * count <= 3 * ranks + 6);
        RC_ASSERT(least.span.makespan - 6 * count <= 4 * ranks);
    }
}

}  // namespace
}  // namespace fabricast
