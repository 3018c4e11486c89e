#pragma once
#include "planner/ops/lora_adapter.h"
#include "planner/ops/op_builder.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What PEFT's LoRA makes of a linear layer where the scenario tunes by it, frozen where its
/// targets leave it out; a plain linear layer where everything is trained.
///     q = siteLinear(g, settings, {"q_proj", "q", hidden, heads * dim}, x);
TensorId siteLinear(OpBuilder& g, const Settings& settings, const LinearSite& site, TensorId x);

/// Its product is fp32 whatever the type of x: DoRA's fp32 magnitudes over a quantised base, which
/// autocast leaves as they are. The residual stream is then fp32 from the first layer on.
bool widensOutput(const Settings& settings);

/// The type of the frozen weights that are not quantised: embedding, norms, head, unquantised base.
Dtype frozenType(const LoraSettings& lora);

}  // namespace fabricast
