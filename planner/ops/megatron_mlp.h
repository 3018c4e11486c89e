#pragma once
#include "planner/ops/megatron_linear.h"

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
TensorId geluActivation(MegatronCode& m, TensorId x, int bias);

}  // namespace fabricast
