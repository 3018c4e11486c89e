#pragma once
#include "planner/spec/model_spec.h"
#include "planner/spec/settings.h"

#include <optional>
#include <string_view>

namespace fabricast {

/// What transformers' eager attention of a family makes of its scores.
enum class WrittenScores {
    Fp32,      ///< softmax in fp32, then the queries' type: Llama's, which most follow
    Capped,    ///< the same of c tanh(score / c)
    Biased,    ///< the same of products to which a bias of position is added at once
    OwnType,   ///< softmax in the scores' own type
    WithSinks  ///< a score per head beside those of the keys, less each row's highest
};

/// How a model's attention is written out (attn_implementation="eager" of transformers); nothing
/// where the family's is not modelled: it adds a bias of position, or has other code altogether.
std::optional<WrittenScores> writtenScores(const ModelSpec& model);

/// Whether PyTorch's own attention cannot compute the model's: without another kernel, transformers
/// writes it out.
bool lacksNativeAttention(const ModelSpec& model);
/// Whether no kernel computes it: transformers always writes it out.
bool lacksFusedAttention(const ModelSpec& model);

/// A kernel of the Hub, which computes scores with sinks, as `attn_implementation` names it.
inline constexpr std::string_view kSinkAttention = "kernels-community/vllm-flash-attn3";

/// transformers' name of the attention that a model runs with: "flash_attention_2", "sdpa" or
/// "eager"; of a model whose scores have sinks, that kernel of the Hub.
std::string_view attentionName(const KernelSettings& kernels, const ModelSpec& model);

/// The share of each head that its position rotates: half of GLM's, a quarter of GPT-NeoX's, all of
/// most (partial_rotary_factor of transformers' configuration classes).
double rotatedShare(const ModelSpec& model);

}  // namespace fabricast
