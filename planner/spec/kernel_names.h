#pragma once
#include "planner/spec/cluster_spec.h"
#include "planner/spec/kernel_profile.h"
#include "planner/spec/model_spec.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"

#include <optional>
#include <string>

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

/// 70 of "sm_70", 100 of "sm_100a"; nothing of a GPU that is not NVIDIA's.
std::optional<int> computeCapability(const GpuSpec& gpu);

/// Whether FlashAttention's kernels run: FlashAttention 2, PyTorch's own copy of it and cuDNN's
/// fused attention need compute capability 8.0. Older GPUs take PyTorch's memory-efficient kernel,
/// and Transformer Engine writes attention out.
bool runsFlashAttention(const GpuSpec& gpu);

/// Whether a package's kernel that transformers knows computes the model's attention on it: of
/// scores with sinks there is one, vllm-flash-attn3, for Hopper alone.
bool runsFusedAttention(const GpuSpec& gpu, const ModelSpec& model);

/// "v100-sxm2-32gb has 7.0".
std::string capabilityText(const GpuSpec& gpu);

/// Whether its units multiply in bf16, of which there is none before Ampere: PyTorch emulates it.
bool multipliesBf16(const GpuSpec& gpu);
/// NVIDIA's from Ampere on: transformers refuses `tf32` elsewhere.
bool takesTf32(const GpuSpec& gpu);

}  // namespace fabricast
