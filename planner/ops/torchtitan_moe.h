#pragma once
#include "planner/ops/op_builder.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// torchtitan's MoE module, from the norm's output to the sum of routed and shared experts: an fp32
/// router, tokens sorted and exchanged, grouped GEMMs, scores applied to the experts' fp32 outputs.
TensorId torchtitanMoe(OpBuilder& g, const Scenario& scenario, TensorId x);

}  // namespace fabricast
