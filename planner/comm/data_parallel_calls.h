#pragma once
#include "planner/base/result.h"
#include "planner/comm/stage_view.h"

namespace fabricast {

/// These are the calls of the engines that move states over data parallel ranks, around a model of
/// transformers or plain PyTorch.

/// DistributedDataParallel: buckets in the order in which gradients are ready, closed at bucket_cap
/// or more (the first at 1 MiB unless a cap was given), and the model's buffers.
Calls ddpCalls(const StageView& view);
/// FullyShardedDataParallel: one flat parameter for each layer, and one for the rest.
Calls fsdp1Calls(const StageView& view);
/// DeepSpeed without ZeRO, and its stages 1 and 2: they all-reduce buckets of gradients, keep their
/// part, and gather all parameters after the step.
Calls zeroCalls(const StageView& view);
/// ZeRO-3: parameters are gathered as modules need them, gradients scattered by buckets.
Calls zero3Calls(const StageView& view);

}  // namespace fabricast
