#include "planner/models/hf_config.h"

#include <array>

namespace fabricast {
namespace {

using Covers = HfAttentionBias::Covers;
using Shared = HfExperts::Shared;
using SparseLayers = HfExperts::SparseLayers;

constexpr HfDecoder kMixtral{.modelType = "mixtral",
                             .className = "MixtralForCausalLM",
                             .vocab = 32000,
                             .hidden = 4096,
                             .layers = 32,
                             .heads = 32,
                             .kvHeads = 8,
                             .width = 14336,
                             .positions = 131072,
                             .window = HfWindow::EveryLayer,
                             .experts = HfExperts{.localName = true,
                                                  .experts = 8,
                                                  .topK = 2,
                                                  .widthKey = "intermediate_size",
                                                  .width = 14336}};

constexpr HfDecoder kQwen2Moe{.modelType = "qwen2_moe",
                              .className = "Qwen2MoeForCausalLM",
                              .vocab = 151936,
                              .hidden = 2048,
                              .layers = 24,
                              .heads = 16,
                              .kvHeads = 16,
                              .width = 5632,
                              .positions = 32768,
                              .bias = {Covers::Qkv, "qkv_bias", true},
                              .window = HfWindow::WhenUsedAlternate,
                              .windowSize = 4096,
                              .experts = HfExperts{.experts = 60,
                                                   .topK = 4,
                                                   .width = 1408,
                                                   .sparseLayers = SparseLayers::EveryStep,
                                                   .shared = Shared::OwnWidth,
                                                   .sharedSize = 5632}};

constexpr HfDecoder kQwen3Moe{.modelType = "qwen3_moe",
                              .className = "Qwen3MoeForCausalLM",
                              .vocab = 151936,
                              .hidden = 2048,
                              .layers = 24,
                              .heads = 32,
                              .kvHeads = 4,
                              .width = 6144,
                              .positions = 32768,
                              .bias = kBiasEverywhereIfSaid,
                              .qkNorm = QkNorm::PerHead,
                              .window = HfWindow::WhenUsedEveryLayer,
                              .windowSize = 4096,
                              .experts = HfExperts{.localName = true,
                                                   .experts = 128,
                                                   .topK = 8,
                                                   .width = 768,
                                                   .sparseLayers = SparseLayers::EveryStep}};

constexpr HfDecoder kDeepseekV2{.modelType = "deepseek_v2",
                                .className = "DeepseekV2ForCausalLM",
                                .vocab = 102400,
                                .hidden = 4096,
                                .layers = 32,
                                .heads = 32,
                                .width = 11008,
                                .positions = 2048,
                                .latent = true,
                                .refusedKey = "mlp_bias",
                                .experts = HfExperts{.routedName = true,
                                                     .experts = 64,
                                                     .width = 1407,
                                                     .sparseLayers = SparseLayers::FromLayer,
                                                     .shared = Shared::Multiple,
                                                     .sharedSize = 2,
                                                     .groups = 1}};

constexpr HfDecoder deepseekV3(std::string_view modelType) {
    return {.modelType = modelType,
            .className = "DeepseekV3ForCausalLM",
            .vocab = 129280,
            .hidden = 7168,
            .layers = 61,
            .heads = 128,
            .width = 18432,
            .positions = 4096,
            .latent = true,
            .experts = HfExperts{.routedName = true,
                                 .experts = 256,
                                 .topK = 8,
                                 .width = 2048,
                                 .sparseLayers = SparseLayers::FromLayer,
                                 .firstSparse = 3,
                                 .shared = Shared::Multiple,
                                 .sharedSize = 1,
                                 .correctionBias = true,
                                 .sigmoidScore = true,
                                 .groups = 8,
                                 .bestGroups = 4},
            .predictsMore = true};
}

constexpr HfDecoder kGlm4Moe{.modelType = "glm4_moe",
                             .className = "Glm4MoeForCausalLM",
                             .vocab = 151552,
                             .hidden = 4096,
                             .layers = 46,
                             .heads = 96,
                             .kvHeads = 8,
                             .width = 10944,
                             .positions = 131072,
                             .bias = {Covers::Qkv, "attention_bias", false},
                             .qkNorm = QkNorm::PerHead,
                             .qkNormKey = "use_qk_norm",
                             .experts = HfExperts{.routedName = true,
                                                  .experts = 128,
                                                  .topK = 8,
                                                  .width = 1408,
                                                  .sparseLayers = SparseLayers::FromLayer,
                                                  .firstSparse = 1,
                                                  .shared = Shared::Multiple,
                                                  .sharedSize = 1,
                                                  .correctionBias = true,
                                                  .sigmoidScore = true},
                             .predictsMore = true};

constexpr HfDecoder kGptOss{.modelType = "gpt_oss",
                            .className = "GptOssForCausalLM",
                            .vocab = 201088,
                            .hidden = 2880,
                            .layers = 36,
                            .heads = 64,
                            .kvHeads = 8,
                            .headDim = 64,
                            .width = 2880,
                            .positions = 131072,
                            .bias = {Covers::QkvAndOut, "attention_bias", true},
                            .sinks = true,
                            .window = HfWindow::Alternate,
                            .windowSize = 128,
                            .experts = HfExperts{.localName = true,
                                                 .experts = 128,
                                                 .topK = 4,
                                                 .widthKey = "intermediate_size",
                                                 .width = 2880,
                                                 .biases = true}};

constexpr HfDecoder kLlama4{.modelType = "llama4_text",
                            .className = "Llama4ForCausalLM",
                            .vocab = 202048,
                            .hidden = 5120,
                            .layers = 48,
                            .heads = 40,
                            .kvHeads = 8,
                            .headDim = 128,
                            .widthKey = "intermediate_size_mlp",
                            .width = 16384,
                            .positions = 131072,
                            .refusedKey = "attention_bias",
                            .turnsSomeLayers = true,
                            .window = HfWindow::Chunked,
                            .windowSize = 8192,
                            .experts = HfExperts{.localName = true,
                                                 .experts = 16,
                                                 .topK = 1,
                                                 .widthKey = "intermediate_size",
                                                 .width = 8192,
                                                 .sparseLayers = SparseLayers::Interleaved,
                                                 .shared = Shared::SameWidth,
                                                 .sigmoidScore = true}};

constexpr std::array kSparseFamilies{kMixtral,
                                     kQwen2Moe,
                                     kQwen3Moe,
                                     kDeepseekV2,
                                     deepseekV3("deepseek_v3"),
                                     deepseekV3("kimi_k2"),
                                     kGlm4Moe,
                                     kGptOss,
                                     kLlama4};

}  // namespace

std::span<const HfDecoder> hfSparseFamilies() {
    return kSparseFamilies;
}

}  // namespace fabricast
