#pragma once
#include "planner/ops/hf_moe.h"
#include "planner/ops/lora_linear.h"

#include <cstdint>

namespace fabricast {

/// PEFT's adapters of one parameter that is no linear layer (lora.ParamWrapper): a stack of
/// experts, each with its own A and B, or the router. They are multiplied out and added to the
/// frozen weight in every forward, and the sum is what the products read and keep.
struct ParameterAdapter {
    int frozen = -1;
    Adapter factors;             ///< of all experts: rank · experts rows of A, columns of B
    TensorId left = kNoTensor;   ///< B in the type of the frozen weight; kNoTensor: it has it
    TensorId right = kNoTensor;  ///< A
};

bool adaptsExperts(const Settings& settings);
bool adaptsRouter(const Settings& settings);

/// Declares A and B of weight `frozen`, [stack, out, in].
ParameterAdapter declareParameterAdapter(OpBuilder& g,
                                         const LoraSettings& lora,
                                         int frozen,
                                         std::int64_t rank);
/// Entering the wrapper: A and B are cast, and torch's parametrisation computes the sum once.
void enterAdapter(OpBuilder& g, ParameterAdapter& adapter);
/// What the products read.
TensorId mergedWeight(OpBuilder& g, const ParameterAdapter& adapter);

}  // namespace fabricast
