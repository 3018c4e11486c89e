#pragma once
#include "planner/schedule/order_kind.h"
#include "planner/schedule/pipeline_span.h"

namespace fabricast {

/// A lower bound of the makespan, for any stages and transfers, in O(stages): for each
/// rank, what comes before its first forward, all its work, and what follows its last backward; or
/// as long as microbatches are on their way through the ranks behind it.
double makespanBound(OrderKind kind, const PipelineShape& shape, const SpanTimes<double>& times);

/// Whether the last gradient of the model's first stage ends the makespan, whatever the times.
bool endsWithFirstStage(OrderKind kind);

}  // namespace fabricast
