#pragma once
#include "planner/base/result.h"
#include "planner/ops/megatron_linear.h"
#include "planner/ops/op_list.h"
#include "planner/spec/scenario.h"

#include <vector>

namespace fabricast {

/// The dense MLP from the norm's output to the second product; its bias, if any, is not added yet.
struct MlpOutput {
    TensorId out = kNoTensor;
    int bias = -1;
};
MlpOutput megatronMlp(MegatronCode& m, TensorId x);

/// silu(gate) · up, or gelu(x + bias): Megatron's autograd functions keep their input and compute
/// the rest again, step by step unless they are compiled into one kernel.
TensorId gatedActivation(MegatronCode& m, TensorId gateAndUp);

/// This is one layer of megatron-core's GPTModel: with the modules written in PyTorch (the local
/// spec), or with Transformer Engine's fused ones.
Result<OpList> megatronLayer(const Scenario& scenario, std::int64_t layer);
/// The same among other operations: hidden states in, hidden states out.
TensorId megatronLayerOps(MegatronCode& m, TensorId x, bool sparse);
/// The tables that a layer's ops read from outside: latent attention's angles, which it keeps.
std::vector<std::int64_t> megatronTableBytes(const Scenario& scenario);

}  // namespace fabricast
