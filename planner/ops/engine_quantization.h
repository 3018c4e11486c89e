#pragma once
#include "planner/spec/scenario.h"

#include <cstdint>
#include <string_view>

namespace fabricast {

// Transformer Engine's products in fewer than 16 bits under Megatron-Core: what its modules keep.

/// Whether it forms the product of a weight of this name so. The embedding, the output layer and
/// the router are Megatron's own, in 16 bits.
bool isQuantizedByEngine(const Settings& settings, std::string_view weight);

/// Bytes of one quantised copy of so many elements, by rows or by columns, with the scales of its
/// blocks.
///     quantizedBytes(Quantization::MxFp8, 64);  // 66
std::int64_t quantizedBytes(Quantization quantization, std::int64_t elements);

/// Bytes of what a module keeps of a weight from a step's first microbatch on (Megatron-Core's
/// disable_parameter_transpose_cache is off): a copy by rows for forward, one by columns for
/// backward. GPUs that multiply fp8 in every order (compute capability 10, and from 13) need no
/// second one of a weight with one scale. Weights that are stored in fp8 are the first themselves.
std::int64_t quantizedCopies(const Scenario& scenario, std::int64_t elements);

}  // namespace fabricast
