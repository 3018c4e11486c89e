#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

enum class AttentionKind {
    Grouped,
    Latent
};  ///< MHA, MQA and GQA differ only in kvHeads; Latent is MLA
enum class QkNorm { None, PerHead, FullWidth };
enum class MlpKind { Gated, Plain };  ///< SwiGLU/GeGLU with three matrices, GELU/ReLU with two
enum class NormKind { Rms, Layer, LayerNoBias, LayerNoParameters };
enum class PositionKind { Rope, Learned, Alibi };
enum class NormPlacement {
    Before,
    After,
    Around
};  ///< of attention and MLP; OLMo 2 after, Gemma around
/// Where a layer's code registers its norms: after all linears (Llama), before them (GPT-NeoX),
/// each before its linears (GPT-2), or each after them (OPT).
enum class NormOrder { Last, First, BeforeEach, AfterEach };

struct AttentionSpec {
    AttentionKind kind = AttentionKind::Grouped;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headDim = 0;
    bool qkvBias = false;
    bool outBias = false;
    bool fusedQkv = false;  ///< one matrix in the model's own code (GPT-2, Phi-3, Falcon, ...)
    QkNorm qkNorm = QkNorm::None;
    bool sinks = false;         ///< one learned scalar per head (gpt-oss)
    bool scaledRotary = false;  ///< cos and sin are multiplied by a factor (YaRN)
    bool unitHeads = false;     ///< rotated q and k are divided by their length (Llama 4)
    bool scalesQueries =
        false;  ///< those of layers that do not rotate grow with position (Llama 4)
    // Latent attention only.
    std::int64_t qLoraRank = 0;  ///< 0: one plain q projection
    std::int64_t kvLoraRank = 0;
    std::int64_t qkNopeDim = 0;
    std::int64_t qkRopeDim = 0;
    std::int64_t vHeadDim = 0;
    bool latentBias = false;  ///< bias on q_a, kv_a and o projections

    /// Columns of one head's keys (and queries), and of its values.
    [[nodiscard]] std::int64_t keyDim() const {
        return kind == AttentionKind::Latent ? qkNopeDim + qkRopeDim : headDim;
    }
    [[nodiscard]] std::int64_t valueDim() const {
        return kind == AttentionKind::Latent ? vHeadDim : headDim;
    }

    friend bool operator==(const AttentionSpec&, const AttentionSpec&) = default;
};

struct MlpSpec {
    MlpKind kind = MlpKind::Gated;
    std::int64_t width = 0;
    bool bias = false;
    bool fusedGateUp = false;  ///< one matrix in the model's own code (Phi-3, GLM-4)

    friend bool operator==(const MlpSpec&, const MlpSpec&) = default;
};

/// Routed and shared experts of the sparse layers.
struct MoeSpec {
    std::int64_t experts = 0;
    std::int64_t topK = 0;
    std::int64_t expertWidth = 0;
    MlpKind kind = MlpKind::Gated;
    bool expertBias = false;
    bool routerBias = false;
    bool correctionBias = false;   ///< e_score_correction_bias: a buffer, not a parameter
    std::int64_t sharedWidth = 0;  ///< all shared experts together; 0: none
    bool sharedGate = false;       ///< Qwen2-MoE: one gate of `hidden`
    bool residual = false;         ///< a shared expert, weighed against the routed ones (PR-MoE)
    bool sigmoidScore = false;     ///< router scores by sigmoid (DeepSeek-V3) instead of softmax
    std::int64_t groups = 1;       ///< experts are chosen from the best groups of these alone
    bool clampedGlu = false;       ///< both halves of the activation's input are clamped (gpt-oss)

    friend bool operator==(const MoeSpec&, const MoeSpec&) = default;
};

/// This is what a transformer is made of: enough for exact parameter counts, FLOPs and saved bytes.
/// One value describes every layer; `sparse[i]`: layer i has experts, `window[i]` its
/// attention window (0: full).
struct ModelSpec {
    std::string name;
    std::string family;  ///< model_type of the Hugging Face config, for the code that runs it
    std::int64_t layers = 0;
    std::int64_t hidden = 0;
    std::int64_t vocab = 0;
    std::int64_t maxPositions = 0;
    AttentionSpec attention;
    MlpSpec mlp;
    std::optional<MoeSpec> moe;
    std::vector<bool> sparse;          ///< one per layer; empty: all dense
    std::vector<std::int64_t> window;  ///< one per layer; empty: full attention everywhere
    NormKind norm = NormKind::Rms;
    std::int64_t normsPerLayer = 2;
    NormPlacement normPlacement = NormPlacement::Before;
    NormOrder normOrder = NormOrder::Last;
    bool parallelResidual = false;  ///< attention and MLP read the same input (Falcon, GPT-NeoX)
    bool finalNorm = true;
    bool embeddingNorm = false;  ///< BLOOM
    PositionKind position = PositionKind::Rope;
    std::int64_t learnedPositions = 0;  ///< rows of the learned position table
    bool dropsResiduals = false;  ///< GPT-2: what is added to the residual goes through dropout
    bool tiedEmbeddings = false;
    bool headBias = false;
    std::int64_t embeddingWidth = 0;  ///< OPT: V x p tables with two projections; 0: hidden
    std::int64_t mtpDepth = 0;       ///< multi-token-prediction layers, counted apart from `layers`
    std::vector<std::string> notes;  ///< a remark on its numbers

    [[nodiscard]] bool isSparse(std::int64_t layer) const {
        return !sparse.empty() && sparse[static_cast<std::size_t>(layer)];
    }

    friend bool operator==(const ModelSpec&, const ModelSpec&) = default;
};

}  // namespace fabricast
