#include "planner/stack/packaged_models.h"

#include <algorithm>

namespace fabricast {
namespace {

tl::unexpected<Error> lacksModel(const ModelSpec& model, const std::string& what) {
    return fail(
        Error::Code::Unsupported,
        "model",
        "pretrain_gpt.py of Megatron-Core has no " + what + ", which " + model.name + " has",
        "--stack fsdp2, accelerate or deepspeed, which run Hugging Face's code");
}

}  // namespace

Result<void> checkMegatronCode(const ModelSpec& model) {
    if (model.parallelResidual) {
        return lacksModel(model, "parallel residual");
    }
    if (model.normPlacement != NormPlacement::Before) {
        return lacksModel(model, "norm after attention and MLP");
    }
    if (model.position == PositionKind::Alibi) {
        return lacksModel(model, "ALiBi");
    }
    if (model.embeddingNorm || model.embeddingWidth > 0) {
        return lacksModel(model, "norm or projection of the embedding");
    }
    if (model.norm == NormKind::LayerNoBias || model.norm == NormKind::LayerNoParameters) {
        return lacksModel(model, "LayerNorm without bias");
    }
    if (model.attention.qkNorm == QkNorm::FullWidth) {
        return lacksModel(model, "norm over all of a query");
    }
    if (model.moe && model.moe->expertBias) {
        return lacksModel(model, "experts with biases and a clamped activation");
    }
    if (std::ranges::adjacent_find(model.window, std::ranges::not_equal_to()) !=
        model.window.end()) {
        return lacksModel(model, "windows that differ between layers");
    }
    return {};
}

}  // namespace fabricast
