#include "planner/spec/attention_model.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {

namespace {

/// transformers 5.23: the families whose eager_attention_forward is neither Llama's nor GPT-2's.
constexpr std::array<std::string_view, 3> kOwnCode = {"llama4_text", "falcon", "mpt"};

}  // namespace

std::optional<WrittenScores> writtenScores(const ModelSpec& model) {
    if (model.attention.sinks) {
        return WrittenScores::WithSinks;
    }
    if (model.attention.kind == AttentionKind::Latent ||
        std::ranges::find(kOwnCode, model.family) != kOwnCode.end()) {
        return std::nullopt;
    }
    return model.family == "gpt2"     ? WrittenScores::OwnType
           : model.family == "gemma2" ? WrittenScores::Capped
           : model.family == "bloom"  ? WrittenScores::Biased
                                      : WrittenScores::Fp32;
}

bool lacksNativeAttention(const ModelSpec& model) {
    const std::optional<WrittenScores> scores = writtenScores(model);
    return scores == WrittenScores::WithSinks || scores == WrittenScores::Capped ||
           scores == WrittenScores::Biased;
}

bool lacksFusedAttention(const ModelSpec& model) {
    return writtenScores(model) == WrittenScores::Biased;
}

std::string_view attentionName(const KernelSettings& kernels, const ModelSpec& model) {
    if (kernels.attention == AttentionKernel::Unfused) {
        return "eager";
    }
    if (model.attention.sinks) {
        return kSinkAttention;
    }
    if (kernels.attentionCode == AttentionCode::Flash3) {
        return "flash_attention_3";
    }
    const bool isFlash2 =
        kernels.attentionCode == AttentionCode::Flash2 || lacksNativeAttention(model);
    return isFlash2 ? "flash_attention_2" : "sdpa";
}

}  // namespace fabricast
