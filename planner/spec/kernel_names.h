#pragma once
#include "planner/spec/kernel_profile.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"

namespace fabricast {

/// The names of a kernel profile's enumerations, as files and reports have them.
constexpr auto namesOf(GemmType) {
    return std::to_array<Named<GemmType>>({{GemmType::Bf16, "bf16"},
                                           {GemmType::Fp16, "fp16"},
                                           {GemmType::Tf32, "tf32"},
                                           {GemmType::Fp32, "fp32"},
                                           {GemmType::Fp8Gemm, "fp8_gemm"},
                                           {GemmType::Fp8, "fp8"},
                                           {GemmType::Fp8Block, "fp8_block"},
                                           {GemmType::MxFp8, "mxfp8"},
                                           {GemmType::NvFp4, "nvfp4"}});
}
constexpr auto namesOf(MemoryOp) {
    return std::to_array<Named<MemoryOp>>({{MemoryOp::Elementwise, "elementwise"},
                                           {MemoryOp::Norm, "norm"},
                                           {MemoryOp::Softmax, "softmax"},
                                           {MemoryOp::CrossEntropy, "cross_entropy"},
                                           {MemoryOp::FusedCrossEntropy, "fused_cross_entropy"},
                                           {MemoryOp::Permute, "permute"},
                                           {MemoryOp::Cast, "cast"},
                                           {MemoryOp::AmaxScale, "amax_scale"},
                                           {MemoryOp::Copy, "copy"},
                                           {MemoryOp::EmbeddingScatter, "embedding_scatter"},
                                           {MemoryOp::Optimizer, "optimizer"}});
}

}  // namespace fabricast
