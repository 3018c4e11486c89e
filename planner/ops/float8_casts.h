#pragma once
#include "planner/ops/op_list.h"
#include "planner/spec/settings.h"

namespace fabricast {

/// torchao's float8 linears keep their 16-bit inputs and cast them in backward, by way of fp32:
/// this gives a layer's GEMMs the bytes that those casts take. The router's GEMM is not converted.
void markFloat8(OpList& layer, Quantization quantization);

}  // namespace fabricast
