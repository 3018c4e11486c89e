#include "planner/schedule/pipeline_span.h"

#include "planner/base/check.h"

#include <utility>

namespace fabricast {

const StepList& SpanWorkspace::steps(OrderKind kind, const PipelineShape& shape) {
    const Key key{kind, shape};
    if (const auto known = lists_.find(key); known != lists_.end()) {
        return known->second;
    }
    Result<StepList> sorted = sortSteps(actionOrder(kind, shape), PairMode::Atomic);
    FABRICAST_CHECK(sorted.has_value());  // accepted orders do not wait for themselves
    if (steps_ + sorted->steps.size() > mostSteps_) {
        lists_.clear();
        steps_ = 0;
    }
    steps_ += sorted->steps.size();
    return lists_.emplace(key, *std::move(sorted)).first->second;
}

}  // namespace fabricast
