#pragma once
#include "planner/ops/op_builder.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// transformers' eager Mixtral block: an fp32 softmax over experts, then one expert after another
/// on the rows that chose it. Rows are dealt evenly.
TensorId mixtralExperts(OpBuilder& g, const Scenario& scenario, TensorId x);

}  // namespace fabricast
