#include "planner/schedule/span_bounds.h"

#include "planner/schedule/pipeline_span.h"
#include "tests/planner/schedule/any_order.h"
#include "tests/programs/schedule_rows/equal_stages.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fabricast {
namespace {

double makespanOf(OrderKind kind,
                  const PipelineShape& shape,
                  const SpanTimes<double>& times,
                  SpanWorkspace& workspace) {
    return workspace.clock().time(workspace.steps(kind, shape), times).makespan;
}

std::vector<double> everyStage(std::int64_t stages, const EqualTimes& times) {
    std::vector<double> passes;
    for (std::int64_t stage = 0; stage < stages; ++stage) {
        passes.insert(passes.end(),
                      {times.forward, times.backward, times.inputGradient, times.weightGradient});
    }
    return passes;
}

RC_GTEST_PROP(EqualStages, TakeWhatTheClosedFormSays, ()) {
    const OrderKind kind = *rc::gen::elementOf(kAllKinds);
    const PipelineShape shape = anyShape(kind);
    const auto time = [] { return static_cast<double>(*rc::gen::inRange(1, 60)); };
    EqualTimes times{.forward = time(), .backward = time(), .inputGradient = time()};
    times.weightGradient = time();
    if (*rc::gen::arbitrary<bool>()) {  // as the papers have it
        times = {times.forward, 2 * times.forward, times.forward, times.forward};
    }
    const std::optional<double> closed = equalStagesMakespan(kind, shape, times);
    RC_PRE(closed.has_value());
    SpanWorkspace workspace;
    const std::vector<double> passes = everyStage(shape.stages(), times);
    RC_ASSERT(makespanOf(kind, shape, {passes}, workspace) == *closed);
}

RC_GTEST_PROP(MakespanBound, IsNeverAboveTheMakespan, ()) {
    const OrderKind kind = *rc::gen::elementOf(kAllKinds);
    const PipelineShape shape = anyShape(kind);
    const std::vector<std::int64_t> ticks = anyTimes(shape.stages());
    const std::vector<double> passes(ticks.begin(), ticks.end());
    const SpanTimes<double> times{
        .passes = passes,
        .handOver = static_cast<double>(*rc::gen::inRange(0, 20)),
        .receive = *rc::gen::elementOf(std::array{Receive::Overlap, Receive::Block}),
        .far = static_cast<double>(*rc::gen::inRange(20, 400)),
        .siteRanks = *rc::gen::inRange<std::int64_t>(0, 4)};
    SpanWorkspace workspace;
    RC_ASSERT(makespanBound(kind, shape, times) <= makespanOf(kind, shape, times, workspace));
}

// With equal stages the last rank of 1F1B is never idle between its first and its last action.
TEST(MakespanBound, IsTheMakespanOfEqualStages) {
    const EqualTimes times{.forward = 3, .backward = 7};
    for (const OrderKind kind : {OrderKind::Gpipe, OrderKind::OneFOneB}) {
        const PipelineShape shape{.ranks = 6, .microBatches = 11};
        const std::vector<double> passes = everyStage(6, times);
        EXPECT_EQ(makespanBound(kind, shape, {passes}), (11 + 6 - 1) * 10.0);
    }
}

// A microbatch of two stages is on its way for 2 (3 + 7) and twice the hand-over; two are in
// flight.
TEST(MakespanBound, CountsWhatIsOnItsWayBetweenSites) {
    const EqualTimes times{.forward = 3, .backward = 7};
    const std::vector<double> passes = everyStage(2, times);
    const PipelineShape shape{.ranks = 2, .microBatches = 10};
    const SpanTimes<double> far{.passes = passes, .far = 100, .siteRanks = 1};
    EXPECT_EQ(makespanBound(OrderKind::OneFOneB, shape, far), 5 * (20 + 200));
}

TEST(SpanWorkspace, ForgetsAndFindsOrdersAgain) {
    SpanWorkspace small(100);
    const std::vector<double> passes = everyStage(8, {.forward = 1, .backward = 2});
    for (int round = 0; round < 3; ++round) {
        for (const std::int64_t count : {4, 9, 40}) {
            const PipelineShape shape{.ranks = 8, .microBatches = count};
            EXPECT_EQ(
                makespanOf(OrderKind::OneFOneB, shape, {passes}, small),
                *equalStagesMakespan(OrderKind::OneFOneB, shape, {.forward = 1, .backward = 2}));
        }
    }
}

}  // namespace
}  // namespace fabricast
