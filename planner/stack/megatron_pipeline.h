#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// These are Megatron's rules for pipelines: layers that divide, chunks that interleave, and
/// micro-batches enough to do so.
Result<void> checkMegatronPipeline(const Scenario& scenario);

/// A number of layers that does not divide is split as its recipes do: the embedding and the loss
/// count as layers if that makes it even, else by a layout string.
PipelineSettings megatronPipeline(const ModelSpec& model, const Layout& layout);

}  // namespace fabricast
