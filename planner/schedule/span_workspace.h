#pragma once
#include "planner/schedule/order_kind.h"
#include "planner/schedule/pipeline_span.h"

#include <cstddef>
#include <map>
#include <tuple>

namespace fabricast {

/// This keeps what a search needs to time pipelines again and again: the sorted steps of every
/// order met so far, and the clock's memory. One per thread. Orders are forgotten when they add up
/// to more than `mostSteps`.
class SpanWorkspace {
public:
    explicit SpanWorkspace(std::size_t mostSteps = 4'000'000) : mostSteps_(mostSteps) {}

    /// The sorted steps of an order that `frameworkOrder` accepted; they live until another order
    /// is asked for.
    const StepList& steps(OrderKind kind, const PipelineShape& shape);
    SpanClock<double>& clock() { return clock_; }

private:
    using Key = std::tuple<OrderKind, PipelineShape>;

    std::size_t mostSteps_;
    std::size_t steps_ = 0;
    std::map<Key, StepList> lists_;
    SpanClock<double> clock_;
};

/// How long a pipeline takes, pairs as one: makespan, busy and end of each rank, where the gradient
/// reduction of each stage may hide. Nanoseconds per action once the order is known. The answer
/// lives until the workspace's next one.
///     const auto& span = pipelineSpan(order, {.passes = seconds, .handOver = 20e-6}, workspace);
const PipelineSpan<double>& pipelineSpan(OrderKind kind,
                                         const PipelineShape& shape,
                                         const SpanTimes<double>& times,
                                         SpanWorkspace& workspace);

}  // namespace fabricast
