#pragma once
#include "planner/base/result.h"
#include "planner/comm/stage_view.h"

namespace fabricast {

/// This is what fully_shard calls in a step: gathers of every unit's parameters, reductions of its
/// gradients, and the gradient norm. torchtitan's pipelines gather and reduce once a pass, whatever
/// the microbatches; its replicas without shards all-reduce every unit.
Result<Calls> fsdp2Calls(const StageView& view);

}  // namespace fabricast
