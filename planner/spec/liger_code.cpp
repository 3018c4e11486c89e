#include "planner/spec/liger_code.h"

#include <algorithm>
#include <array>

namespace fabricast {

const LigerCode* ligerCodeOf(const ModelSpec& model) {
    static constexpr std::array kCodes = {
        LigerCode{.family = "llama"},
        LigerCode{.family = "mistral"},
        LigerCode{.family = "qwen2"},
        LigerCode{.family = "qwen3"},
        LigerCode{.family = "phi3"},
        LigerCode{.family = "gemma"},
        LigerCode{.family = "gemma2", .overwritesGradients = false},
        LigerCode{.family = "gemma3_text", .overwritesGradients = false},
        LigerCode{.family = "olmo2", .overwritesGradients = false, .normsHeads = false},
        LigerCode{.family = "glm4", .overwritesGradients = false, .rotates = false},
        LigerCode{.family = "mixtral"},
        LigerCode{.family = "qwen3_moe"},
        LigerCode{.family = "gpt_oss", .activates = false}};
    const auto* const found = std::ranges::find(kCodes, model.family, &LigerCode::family);
    return found == kCodes.end() ? nullptr : found;
}

bool isLigerFamily(const ModelSpec& model) {
    constexpr std::array<std::string_view, 5> kUnmodelled = {
        "deepseek_v2", "deepseek_v3", "llama4_text", "smollm3", "nemotron"};
    return ligerCodeOf(model) != nullptr ||
           std::ranges::find(kUnmodelled, model.family) != kUnmodelled.end();
}

bool usesLiger(const KernelSettings& kernels) {
    return kernels.loss == LossKernel::Liger || kernels.norm == NormKernel::Liger ||
           kernels.rope == RopeKernel::Liger || kernels.activation == ActivationKernel::Liger;
}

}  // namespace fabricast
