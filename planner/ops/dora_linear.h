#pragma once
#include "planner/ops/lora_adapter.h"
#include "planner/ops/op_builder.h"
#include "planner/spec/settings.h"

namespace fabricast {

/// What PEFT's DoRA adds to a linear layer's product `base` of `x`, as its forward writes it: the
/// adapters multiplied out to a whole matrix, the norm of each row of their sum with the base, and
/// the product rescaled by the trained magnitudes over those norms.
TensorId doraUpdate(
    OpBuilder& g, const LoraSettings& lora, const Adapter& adapter, TensorId x, TensorId base);

}  // namespace fabricast
