#include "planner/models/hf_decoder.h"

#include "planner/models/hf_checks.h"
#include "planner/spec/check_settings.h"

#include <utility>

namespace fabricast {

namespace {

/// DeepSeek's multi-head latent attention. A null q_lora_rank is one plain q projection; an absent
/// one is 1536. num_key_value_heads and head_dim are written by some files and mean nothing here,
/// but the class divides by the first.
Result<AttentionSpec> readLatentAttention(const HfDecoder& family, const HfReader& config) {
    AttentionSpec attention{.kind = AttentionKind::Latent};
    FABRICAST_ASSIGN(attention.heads, config.size({"num_attention_heads"}, family.heads));
    attention.kvHeads = attention.heads;
    FABRICAST_TRY(config.sizeOrNull({"num_key_value_heads"}, attention.heads, attention.heads));
    FABRICAST_ASSIGN(attention.qLoraRank, config.sizeOrNull({"q_lora_rank"}, 1536, 0));
    FABRICAST_ASSIGN(attention.kvLoraRank, config.size({"kv_lora_rank"}, 512));
    FABRICAST_ASSIGN(attention.qkNopeDim, config.count({"qk_nope_head_dim"}, 128));
    FABRICAST_ASSIGN(attention.qkRopeDim, config.count({"qk_rope_head_dim"}, 64));
    FABRICAST_ASSIGN(attention.vHeadDim, config.size({"v_head_dim"}, 128));
    FABRICAST_ASSIGN(attention.latentBias, config.flag("attention_bias", false));
    attention.headDim = attention.qkNopeDim + attention.qkRopeDim;
    return attention;
}

Result<std::int64_t> headDim(const HfDecoder& family,
                             const HfReader& config,
                             const ModelSpec& model,
                             std::int64_t heads) {
    FABRICAST_ASSIGN(const std::int64_t said, config.sizeOrNull({"head_dim"}, family.headDim, 0));
    if (said > 0) {
        return said;
    }
    if (model.hidden % heads != 0) {
        return tl::unexpected(config.problem({"head_dim", "num_attention_heads", "hidden_size"},
                                             "does not divide a hidden size of " +
                                                 std::to_string(model.hidden) + " by " +
                                                 std::to_string(heads) + " heads",
                                             "set \"head_dim\""));
    }
    return model.hidden / heads;
}

Result<AttentionSpec> readGroupedAttention(const HfDecoder& family,
                                           const HfReader& config,
                                           const ModelSpec& model) {
    AttentionSpec attention;
    FABRICAST_ASSIGN(attention.heads, config.size({"num_attention_heads"}, family.heads));
    FABRICAST_ASSIGN(const std::int64_t kvHeads,
                     config.sizeOrNull({"num_key_value_heads"}, family.kvHeads, 0));
    attention.kvHeads = kvHeads == 0 ? attention.heads : kvHeads;
    if (attention.heads % attention.kvHeads != 0) {
        return tl::unexpected(config.problem(
            {"num_key_value_heads", "num_attention_heads"},
            "makes " + std::to_string(attention.heads) + " heads share " +
                std::to_string(attention.kvHeads) + " kv heads, which is not even",
            "\"num_key_value_heads\": a divisor of " + std::to_string(attention.heads)));
    }
    FABRICAST_ASSIGN(attention.headDim, headDim(family, config, model, attention.heads));
    attention.fusedQkv = family.fusedQkv;
    attention.sinks = family.sinks;
    attention.scaledRotary = scalesRotary(config.config(), family.yarn);

    using Covers = HfAttentionBias::Covers;
    bool hasBias = family.bias.covers != Covers::None;
    if (hasBias && !family.bias.key.empty()) {
        FABRICAST_ASSIGN(hasBias, config.flag(family.bias.key, family.bias.absent));
    }
    attention.qkvBias = hasBias;
    attention.outBias = hasBias && family.bias.covers == Covers::QkvAndOut;

    bool normed = family.qkNorm != QkNorm::None;
    if (normed && !family.qkNormKey.empty()) {
        FABRICAST_ASSIGN(normed, config.flag(family.qkNormKey, false));
    }
    attention.qkNorm = normed ? family.qkNorm : QkNorm::None;
    if (family.turnsSomeLayers) {
        FABRICAST_ASSIGN(attention.unitHeads, config.flag("use_qk_norm", true));
        // Published configs have a number there, of which any but 0 is true.
        FABRICAST_ASSIGN(attention.scalesQueries, config.truth("attn_temperature_tuning", true));
    }
    return attention;
}

Result<void> refuseUnmodelled(const HfDecoder& family, const HfReader& config) {
    for (const HfRefusal& refusal : family.refused) {
        if (refusal.key.empty() || !config.has(refusal.key)) {
            continue;
        }
        FABRICAST_ASSIGN(const bool said, config.truth(refusal.key, false));
        if (said) {
            Error error = config.problem(
                {refusal.key},
                config.config().find(refusal.key)->shown() + " " + std::string(refusal.why),
                "\"" + std::string(refusal.key) + "\": " + std::string(refusal.instead));
            error.code = Error::Code::Unsupported;
            return tl::unexpected(std::move(error));
        }
    }
    return {};
}

/// MiniMax's files say it as rotary_dim, and as a share of the head once transformers 5 saved them.
Result<void> checkRotatedHalf(const HfReader& config, std::int64_t headDim) {
    FABRICAST_ASSIGN(std::int64_t rotated, config.size({"rotary_dim"}, headDim));
    for (const JsonValue* place : {&config.config(), config.config().find("rope_parameters")}) {
        const JsonValue* share = place == nullptr ? nullptr : place->find("partial_rotary_factor");
        if (share != nullptr && !share->is(JsonValue::Kind::Null)) {
            FABRICAST_ASSIGN(const double part, share->number(0.0, 1.0));
            rotated = static_cast<std::int64_t>(part * static_cast<double>(headDim));
        }
    }
    if (2 * rotated != headDim) {
        Error error =
            config.problem({"rotary_dim", "head_dim"},
                           "turns " + std::to_string(rotated) + " of " + std::to_string(headDim) +
                               " columns of a head; modelled is half of them",
                           "\"rotary_dim\": " + std::to_string(headDim / 2));
        error.code = Error::Code::Unsupported;
        return tl::unexpected(std::move(error));
    }
    return {};
}

Result<MlpSpec> readMlp(const HfDecoder& family, const HfReader& config) {
    MlpSpec mlp;
    FABRICAST_ASSIGN(mlp.width, config.size({family.widthKey}, family.width));
    mlp.fusedGateUp = family.fusedGateUp;
    if (!family.mlpBiasKey.empty()) {
        FABRICAST_ASSIGN(mlp.bias, config.flag(family.mlpBiasKey, false));
    }
    return mlp;
}

}  // namespace

Result<ModelSpec> readDecoder(const HfDecoder& family, const HfReader& config) {
    ModelSpec model;
    FABRICAST_TRY(refuseUnmodelled(family, config));
    FABRICAST_ASSIGN(model.vocab, config.size({"vocab_size"}, family.vocab));
    FABRICAST_ASSIGN(model.hidden, config.size({"hidden_size"}, family.hidden));
    FABRICAST_ASSIGN(model.layers, config.size({"num_hidden_layers"}, family.layers));
    FABRICAST_ASSIGN(model.maxPositions,
                     config.size({"max_position_embeddings"}, family.positions));
    FABRICAST_ASSIGN(model.tiedEmbeddings, config.tied(family.tied));
    FABRICAST_ASSIGN(model.attention,
                     family.latent ? readLatentAttention(family, config)
                                   : readGroupedAttention(family, config, model));
    if (family.rotatesHalf) {
        FABRICAST_TRY(checkRotatedHalf(config, model.attention.headDim));
    }
    FABRICAST_ASSIGN(model.mlp, readMlp(family, config));
    if (!family.headBiasKey.empty()) {
        FABRICAST_ASSIGN(model.headBias, config.flag(family.headBiasKey, false));
    }
    model.norm = family.norm;
    model.normPlacement = family.norms;
    model.normsPerLayer = family.norms == NormPlacement::Around ? 4 : 2;
    FABRICAST_ASSIGN(model.window, readWindows(family, config, model.layers));
    if (family.predictsMore) {
        FABRICAST_ASSIGN(model.mtpDepth,
                         config.countOrNull({"num_nextn_predict_layers", "num_mtp_layers"}, 1, 0));
    }
    return family.experts ? withExperts(std::move(model), *family.experts, config)
                          : Result<ModelSpec>(std::move(model));
}

}  // namespace fabricast
