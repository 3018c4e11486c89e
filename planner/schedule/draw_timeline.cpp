#include "planner/schedule/draw_timeline.h"

#include "planner/schedule/order_text.h"
#include "planner/schedule/pass_times.h"

namespace fabricast {
namespace {

/// Each rank's actions with the times of the steps they are in: steps come in the rank's order.
void addTimes(const ActionOrder& order,
              const StepList& list,
              const SpanClock<std::int64_t>& clock,
              const PassTimes& times,
              PipelineTimeline& timeline) {
    const auto zero = static_cast<std::uint32_t>(times.ticks.size());
    const auto ticksOf = [&](std::uint32_t time) { return time == zero ? 0 : times.ticks[time]; };
    for (std::size_t i = 0; i < list.steps.size(); ++i) {
        const OrderStep& step = list.steps[i];
        std::vector<TimedAction>& actions = timeline.ranks[step.rank].actions;
        const std::size_t halves = step.times[1] == zero ? 1 : 2;
        const std::int64_t end = clock.ends()[i];
        const std::int64_t start = end - ticksOf(step.times[0]) - ticksOf(step.times[1]);
        for (std::size_t half = 0; half < halves; ++half) {
            actions.push_back({order.ranks[step.rank][actions.size()], start, end});
        }
    }
}

}  // namespace

Result<PipelineTimeline> drawTimeline(const FrameworkOrder& chosen,
                                      const TimelineSettings& settings) {
    const PipelineShape& shape = chosen.shape;
    if (shape.stages() > kMostDrawn / shape.microBatches) {
        return fail(Error::Code::BadInput,
                    "microbatches",
                    "more than " + std::to_string(kMostDrawn) +
                        " stages x microbatches are too many to draw",
                    "fewer microbatches: a schedule repeats itself");
    }
    const ActionOrder order = actionOrder(chosen.kind, shape);
    FABRICAST_ASSIGN(const StepList list, sortSteps(order, settings.pairs));
    FABRICAST_ASSIGN(const PassTimes times,
                     parsePassTimes(settings.durations,
                                    settings.handOver,
                                    static_cast<std::size_t>(list.stages),
                                    passesOf(list)));
    SpanClock<std::int64_t> clock;
    const PipelineSpan<std::int64_t>& span =
        clock.time(list, {times.ticks, times.handOver, settings.receive});
    PipelineTimeline timeline{.chunks = shape.chunks,
                              .microBatches = shape.microBatches,
                              .group = shape.group,
                              .decimals = times.decimals,
                              .handOver = times.handOver,
                              .receiveBlocks = settings.receive == Receive::Block,
                              .makespan = span.makespan,
                              .ranks = {},
                              .slack = span.slack};
    for (std::size_t rank = 0; rank < order.ranks.size(); ++rank) {
        timeline.ranks.push_back({.actions = {},
                                  .text = actionsText(order.ranks[rank]),
                                  .busy = span.busy[rank],
                                  .end = span.end[rank],
                                  .inFlightPeak = list.inFlight[rank].peak,
                                  .untilInput = list.inFlight[rank].untilInput,
                                  .pendingWeights = list.inFlight[rank].pendingWeights});
    }
    addTimes(order, list, clock, times, timeline);
    return timeline;
}

}  // namespace fabricast
