#include "planner/models/hf_config.h"

#include <array>

namespace fabricast {
namespace {

using Covers = HfAttentionBias::Covers;

constexpr HfDecoder kLlama{.modelType = "llama",
                           .className = "LlamaForCausalLM",
                           .vocab = 32000,
                           .hidden = 4096,
                           .layers = 32,
                           .heads = 32,
                           .width = 11008,
                           .positions = 2048,
                           .bias = kBiasEverywhereIfSaid,
                           .mlpBiasKey = "mlp_bias"};

constexpr HfDecoder kMistral{.modelType = "mistral",
                             .className = "MistralForCausalLM",
                             .vocab = 32000,
                             .hidden = 4096,
                             .layers = 32,
                             .heads = 32,
                             .kvHeads = 8,
                             .width = 14336,
                             .positions = 131072,
                             .window = HfWindow::EveryLayer,
                             .windowSize = 4096};

constexpr HfDecoder kQwen2{.modelType = "qwen2",
                           .className = "Qwen2ForCausalLM",
                           .vocab = 151936,
                           .hidden = 4096,
                           .layers = 32,
                           .heads = 32,
                           .kvHeads = 32,
                           .width = 22016,
                           .positions = 32768,
                           .bias = {.covers = Covers::Qkv},
                           .window = HfWindow::WhenUsed,
                           .windowSize = 4096};

constexpr HfDecoder kQwen3{.modelType = "qwen3",
                           .className = "Qwen3ForCausalLM",
                           .vocab = 151936,
                           .hidden = 4096,
                           .layers = 32,
                           .heads = 32,
                           .kvHeads = 32,
                           .headDim = 128,
                           .width = 22016,
                           .positions = 32768,
                           .bias = kBiasEverywhereIfSaid,
                           .qkNorm = QkNorm::PerHead,
                           .window = HfWindow::WhenUsed,
                           .windowSize = 4096};

constexpr HfDecoder kGemma{.modelType = "gemma",
                           .className = "GemmaForCausalLM",
                           .vocab = 256000,
                           .hidden = 3072,
                           .layers = 28,
                           .heads = 16,
                           .kvHeads = 16,
                           .headDim = 256,
                           .width = 24576,
                           .positions = 8192,
                           .tied = true,
                           .bias = kBiasEverywhereIfSaid};

constexpr HfDecoder kGemma2{.modelType = "gemma2",
                            .className = "Gemma2ForCausalLM",
                            .vocab = 256000,
                            .hidden = 2304,
                            .layers = 26,
                            .heads = 8,
                            .kvHeads = 4,
                            .headDim = 256,
                            .width = 9216,
                            .positions = 8192,
                            .tied = true,
                            .bias = kBiasEverywhereIfSaid,
                            .norms = NormPlacement::Around,
                            .window = HfWindow::Alternate,
                            .windowSize = 4096};

constexpr HfDecoder kGemma3{.modelType = "gemma3_text",
                            .className = "Gemma3ForCausalLM",
                            .vocab = 262208,
                            .hidden = 2304,
                            .layers = 26,
                            .heads = 8,
                            .kvHeads = 4,
                            .headDim = 256,
                            .width = 9216,
                            .positions = 131072,
                            .tied = true,
                            .bias = kBiasEverywhereIfSaid,
                            .qkNorm = QkNorm::PerHead,
                            .norms = NormPlacement::Around,
                            .window = HfWindow::Pattern,
                            .windowSize = 4096};

constexpr HfDecoder kPhi3{.modelType = "phi3",
                          .className = "Phi3ForCausalLM",
                          .vocab = 32064,
                          .hidden = 3072,
                          .layers = 32,
                          .heads = 32,
                          .width = 8192,
                          .positions = 4096,
                          .fusedQkv = true,
                          .fusedGateUp = true,
                          .window = HfWindow::EveryLayer};

constexpr HfDecoder kOlmo2{.modelType = "olmo2",
                           .className = "Olmo2ForCausalLM",
                           .vocab = 50304,
                           .hidden = 4096,
                           .layers = 32,
                           .heads = 32,
                           .width = 11008,
                           .positions = 2048,
                           .bias = kBiasEverywhereIfSaid,
                           .qkNorm = QkNorm::FullWidth,
                           .norms = NormPlacement::After};

constexpr HfDecoder kGlm{.modelType = "glm",
                         .className = "GlmForCausalLM",
                         .vocab = 151552,
                         .hidden = 4096,
                         .layers = 40,
                         .heads = 32,
                         .kvHeads = 2,
                         .headDim = 128,
                         .width = 13696,
                         .positions = 131072,
                         .bias = {Covers::Qkv, "attention_bias", true},
                         .fusedGateUp = true};

constexpr HfDecoder kGlm4{.modelType = "glm4",
                          .className = "Glm4ForCausalLM",
                          .vocab = 151552,
                          .hidden = 4096,
                          .layers = 40,
                          .heads = 32,
                          .kvHeads = 2,
                          .headDim = 128,
                          .width = 13696,
                          .positions = 131072,
                          .bias = {Covers::Qkv, "attention_bias", true},
                          .fusedGateUp = true,
                          .norms = NormPlacement::Around};

constexpr HfDecoder kSmolLm3{.modelType = "smollm3",
                             .className = "SmolLM3ForCausalLM",
                             .vocab = 128256,
                             .hidden = 2048,
                             .layers = 36,
                             .heads = 16,
                             .kvHeads = 4,
                             .width = 11008,
                             .positions = 32768,
                             .tied = true,
                             .bias = kBiasEverywhereIfSaid,
                             .mlpBiasKey = "mlp_bias"};

constexpr HfDecoder kSeedOss{
    .modelType = "seed_oss",
    .className = "SeedOssForCausalLM",
    .vocab = 155136,
    .hidden = 4096,
    .layers = 64,
    .heads = 80,
    .kvHeads = 8,
    .headDim = 128,
    .width = 27648,
    .positions = 524288,
    .bias = {Covers::Qkv, "attention_bias", true},
    .mlpBiasKey = "mlp_bias",
    .refused = {{{.key = "attention_out_bias", .why = "adds biases that no published model has"}}}};

constexpr HfDecoder kGranite{.modelType = "granite",
                             .className = "GraniteForCausalLM",
                             .vocab = 32000,
                             .hidden = 4096,
                             .layers = 32,
                             .heads = 32,
                             .width = 11008,
                             .positions = 2048,
                             .bias = kBiasEverywhereIfSaid,
                             .mlpBiasKey = "mlp_bias"};

constexpr HfDecoder kErnie45{.modelType = "ernie4_5",
                             .className = "Ernie4_5ForCausalLM",
                             .vocab = 103424,
                             .hidden = 1024,
                             .layers = 18,
                             .heads = 16,
                             .kvHeads = 2,
                             .headDim = 128,
                             .width = 3072,
                             .positions = 131072,
                             .tied = true,
                             .bias = {Covers::QkvAndOut, "use_bias", false},
                             .mlpBiasKey = "use_bias"};

constexpr HfDecoder kOlmo3{.modelType = "olmo3",
                           .className = "Olmo3ForCausalLM",
                           .vocab = 50304,
                           .hidden = 4096,
                           .layers = 32,
                           .heads = 32,
                           .width = 11008,
                           .positions = 2048,
                           .bias = kBiasEverywhereIfSaid,
                           .qkNorm = QkNorm::FullWidth,
                           .norms = NormPlacement::After,
                           .window = HfWindow::ThreeOfFour,
                           .windowSize = 4096};

constexpr HfDecoder kQwen25Vl{.modelType = "qwen2_5_vl_text",
                              .className = "Qwen2_5_VLTextModel",
                              .vocab = 152064,
                              .hidden = 8192,
                              .layers = 80,
                              .heads = 64,
                              .kvHeads = 8,
                              .width = 29568,
                              .positions = 32768,
                              .bias = {Covers::Qkv},
                              .window = HfWindow::WhenUsed,
                              .windowSize = 4096};

constexpr std::array kDenseFamilies{kLlama,
                                    kMistral,
                                    kQwen2,
                                    kQwen3,
                                    kGemma,
                                    kGemma2,
                                    kGemma3,
                                    kPhi3,
                                    kOlmo2,
                                    kGlm,
                                    kGlm4,
                                    kSmolLm3,
                                    kSeedOss,
                                    kGranite,
                                    kErnie45,
                                    kOlmo3,
                                    kQwen25Vl};

}  // namespace

std::span<const HfDecoder> hfDenseFamilies() {
    return kDenseFamilies;
}

}  // namespace fabricast
