#include "planner/stack/model_code.h"

namespace fabricast {

// transformers' own models, eager: RMSNorm written out in fp32, RoPE by cos and sin, three
// projections, scaled_dot_product_attention (flash), SwiGLU as two ops, ForCausalLMLoss on fp32
// logits, experts_implementation="grouped_mm".
KernelSettings huggingFaceKernels() {
    return {.code = ModelCode::HuggingFace,
            .norm = NormKernel::Fp32,
            .rope = RopeKernel::CosSin,
            .fusedQkv = false,
            .attention = AttentionKernel::Flash,
            .attentionCode = AttentionCode::Flash2,
            .activation = ActivationKernel::Eager,
            .loss = LossKernel::HuggingFace,
            .experts = ExpertKernel::Grouped};
}

// torchtitan 0.3: nn.RMSNorm, complex RoPE indexed by the loader's position ids, one fused q/k/v
// projection, cross entropy over 8 chunks, grouped experts. Compile is off until asked for.
KernelSettings torchtitanKernels() {
    return {.code = ModelCode::TorchTitan,
            .norm = NormKernel::Fused,
            .rope = RopeKernel::Complex,
            .fusedQkv = true,
            .attention = AttentionKernel::Flash,
            .attentionCode = AttentionCode::Flash2,
            .activation = ActivationKernel::Eager,
            .loss = LossKernel::Chunked,
            .lossChunks = 8,
            .positionIds = true,
            .compile = false,
            .experts = ExpertKernel::Grouped,
            .dispatcher = Dispatcher::AllToAll};
}

// `--transformer-impl transformer_engine` is Megatron's default, with fused SwiGLU and without
// `--cross-entropy-loss-fusion`. Its parser's own choice for experts (allgather, one by one) is
// used by no recipe: they all set alltoall and grouped GEMM, and so do the configs written here.
// Dropout is 0.1 in the parser and 0 in every Llama-class recipe.
KernelSettings megatronKernels() {
    return {.code = ModelCode::TransformerEngine,
            .norm = NormKernel::Fused,
            .rope = RopeKernel::CosSin,
            .fusedQkv = true,
            .attention = AttentionKernel::Flash,
            .attentionCode = AttentionCode::CuDnn,
            .activation = ActivationKernel::Fused,
            .loss = LossKernel::VocabParallel,
            .positionIds = true,
            .dropout = 0.0,
            .deallocatePipelineOutputs = true,
            .experts = ExpertKernel::GroupedFused,
            .dispatcher = Dispatcher::AllToAll};
}

std::string_view softwareName(const Settings& settings) {
    switch (settings.kernels.code) {
        case ModelCode::TransformerEngine:
            return "transformer-engine";
        case ModelCode::Megatron:
            return "megatron";
        case ModelCode::Torch:
        case ModelCode::HuggingFace:
        case ModelCode::TorchTitan:
            break;
    }
    return settings.kernels.compile ? "torch-compiled" : "torch-eager";
}

std::string_view modelCodeName(const Settings& settings) {
    const bool eager = settings.kernels.code == ModelCode::HuggingFace && !settings.kernels.compile;
    return eager ? "huggingface-eager" : softwareName(settings);
}

}  // namespace fabricast
