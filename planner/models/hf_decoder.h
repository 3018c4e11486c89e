#pragma once
#include "planner/base/result.h"
#include "planner/models/hf_reader.h"
#include "planner/spec/model_spec.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fabricast {

/// Which projections of attention have biases, and the key for it ("": always or never).
struct HfAttentionBias {
    enum class Covers { None, Qkv, QkvAndOut, LatentDown };
    Covers covers = Covers::None;
    std::string_view key = {};
    bool absent = true;  ///< what an absent key means
};
inline constexpr HfAttentionBias kBiasEverywhereIfSaid{
    HfAttentionBias::Covers::QkvAndOut, "attention_bias", false};

/// A key that is not modelled where it is true, or a number but 0.
struct HfRefusal {
    std::string_view key = {};
    std::string_view why = "is built differently by versions 4 and 5 of transformers";
    std::string_view instead = "false";
};

/// How a family of sparse models describes its experts. Numbers are the defaults of absent keys.
struct HfExperts {
    enum class SparseLayers { All, EveryStep, FromLayer, Interleaved };
    enum class Shared { None, Multiple, OwnWidth, SameWidth };
    bool localName = false;   ///< the count is num_local_experts first, not num_experts
    bool routedName = false;  ///< the count is n_routed_experts first
    std::int64_t experts = 0;
    std::int64_t topK = 0;  ///< 0: the key must be there
    std::string_view widthKey = "moe_intermediate_size";
    std::int64_t width = 0;
    SparseLayers sparseLayers = SparseLayers::All;
    std::int64_t firstSparse = 0;
    Shared shared = Shared::None;
    std::int64_t sharedSize = 0;  ///< how many (Multiple), or how wide (OwnWidth)
    bool biases = false;          ///< of the experts and the router
    bool correctionBias = false;
    bool sigmoidScore = false;
    std::int64_t groups = 0;      ///< n_group where it is absent; 0: not read
    std::int64_t bestGroups = 0;  ///< topk_group where it is absent; 0: the class has no number
};

/// Which layers have sliding-window attention.
enum class HfWindow {
    None,
    EveryLayer,
    WhenUsed,
    WhenUsedEveryLayer,
    WhenUsedAlternate,
    Alternate,
    Pattern,
    ThreeOfFour,
    Chunked
};

/// This is one family of decoders that share Llama's key names: what its class does with them, and
/// the defaults of absent keys (kvHeads 0: as many as heads; headDim 0: hidden / heads).
struct HfDecoder {
    std::string_view modelType = {};
    std::string_view className = {};
    std::int64_t vocab = 0;
    std::int64_t hidden = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headDim = 0;
    std::string_view widthKey = "intermediate_size";
    std::int64_t width = 0;
    std::int64_t positions = 0;
    bool tied = false;
    bool latent = false;  ///< attention is MLA
    HfAttentionBias bias = {};
    std::string_view mlpBiasKey = {};
    std::array<HfRefusal, 2> refused = {};
    NormKind norm = NormKind::Rms;
    std::string_view headBiasKey = {};  ///< of the output matrix
    QkNorm qkNorm = QkNorm::None;
    std::string_view qkNormKey = {};  ///< "": always
    bool rotatesHalf = false;         ///< of each head; other shares are not modelled
    bool sinks = false;
    bool yarn = false;  ///< scales rotary embedding where the config says nothing of it
    bool turnsSomeLayers =
        false;  ///< reads use_qk_norm and attn_temperature_tuning as Llama 4 does
    bool fusedQkv = false;
    bool fusedGateUp = false;
    NormPlacement norms = NormPlacement::Before;
    HfWindow window = HfWindow::None;
    std::int64_t windowSize = 0;
    std::optional<HfExperts> experts = {};
    bool predictsMore = false;  ///< reads num_nextn_predict_layers; absent means 1
};

Result<ModelSpec> readDecoder(const HfDecoder& family, const HfReader& config);

// The parts of readDecoder in separate files.
/// Adds the experts and which layers have them.
Result<ModelSpec> withExperts(ModelSpec model, const HfExperts& family, const HfReader& config);
/// The window of each layer; empty where all attend fully.
Result<std::vector<std::int64_t>> readWindows(const HfDecoder& family,
                                              const HfReader& config,
                                              std::int64_t layers);

}  // namespace fabricast
