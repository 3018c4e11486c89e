#pragma once
#include "planner/ops/op_list.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// This is what follows the final norm where Megatron predicts further tokens (`--mtp-num-layers`):
/// each depth joins the hidden states with the embedding of the next token and runs one more layer;
/// then every depth has its logits and its loss, and last the model itself.
OpList megatronPredictions(const Scenario& scenario);

}  // namespace fabricast
