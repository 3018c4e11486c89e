#pragma once
#include "planner/base/result.h"
#include "planner/ops/op_list.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// This is one layer of megatron-core's GPTModel: with the modules written in PyTorch (the local
/// spec), or with Transformer Engine's fused ones.
Result<OpList> megatronLayer(const Scenario& scenario, std::int64_t layer);

}  // namespace fabricast
