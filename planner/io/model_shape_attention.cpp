#include "planner/io/json_choice.h"
#include "planner/io/model_shape.h"
#include "planner/spec/check_model.h"

#include <array>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 14> kAttentionKeys{"kind",
                                                          "heads",
                                                          "kv_heads",
                                                          "head_dim",
                                                          "qkv_bias",
                                                          "out_bias",
                                                          "qk_norm",
                                                          "sinks",
                                                          "q_lora_rank",
                                                          "kv_lora_rank",
                                                          "qk_nope_head_dim",
                                                          "qk_rope_head_dim",
                                                          "v_head_dim",
                                                          "latent_bias"};
constexpr Choices<AttentionKind, 2> kAttentionNames{
    {{"grouped", AttentionKind::Grouped}, {"latent", AttentionKind::Latent}}};
constexpr Choices<QkNorm, 3> kQkNormNames{
    {{"none", QkNorm::None}, {"per_head", QkNorm::PerHead}, {"full_width", QkNorm::FullWidth}}};

constexpr JsonValue::Range kSize{.least = 1, .most = kMostModelWidth};
constexpr JsonValue::Range kCount{.least = 0, .most = kMostModelWidth};

Result<AttentionSpec> readGrouped(AttentionSpec attention,
                                  const JsonValue& said,
                                  std::int64_t hidden) {
    FABRICAST_ASSIGN(attention.kvHeads, said.integerOr("kv_heads", attention.heads, kSize));
    if (said.find("head_dim") == nullptr && hidden % attention.heads != 0) {
        return tl::unexpected(said.problem("divides a hidden size of " + std::to_string(hidden) +
                                               " into " + std::to_string(attention.heads) +
                                               " heads unevenly",
                                           "say \"head_dim\""));
    }
    FABRICAST_ASSIGN(attention.headDim,
                     said.integerOr("head_dim", hidden / attention.heads, kSize));
    FABRICAST_ASSIGN(attention.qkvBias, said.booleanOr("qkv_bias", false));
    FABRICAST_ASSIGN(attention.outBias, said.booleanOr("out_bias", false));
    FABRICAST_ASSIGN(attention.qkNorm, readChoice(said, "qk_norm", kQkNormNames, QkNorm::None));
    FABRICAST_ASSIGN(attention.sinks, said.booleanOr("sinks", false));
    return attention;
}

Result<AttentionSpec> readLatent(AttentionSpec attention, const JsonValue& said) {
    FABRICAST_ASSIGN(attention.qLoraRank, said.integerOr("q_lora_rank", 0, kCount));
    FABRICAST_ASSIGN(attention.kvLoraRank, said.integerOr("kv_lora_rank", 512, kSize));
    FABRICAST_ASSIGN(attention.qkNopeDim, said.integerOr("qk_nope_head_dim", 128, kCount));
    FABRICAST_ASSIGN(attention.qkRopeDim, said.integerOr("qk_rope_head_dim", 64, kCount));
    FABRICAST_ASSIGN(attention.vHeadDim, said.integerOr("v_head_dim", 128, kSize));
    FABRICAST_ASSIGN(attention.latentBias, said.booleanOr("latent_bias", false));
    attention.kvHeads = attention.heads;
    attention.headDim = attention.qkNopeDim + attention.qkRopeDim;
    return attention;
}

}  // namespace

Result<AttentionSpec> readAttentionShape(const JsonValue& attention, std::int64_t hidden) {
    FABRICAST_TRY(attention.onlyKeys(kAttentionKeys));
    AttentionSpec spec;
    FABRICAST_ASSIGN(spec.kind,
                     readChoice(attention, "kind", kAttentionNames, AttentionKind::Grouped));
    FABRICAST_ASSIGN(const JsonValue* heads, attention.require("heads"));
    FABRICAST_ASSIGN(spec.heads, heads->integer(kSize));
    return spec.kind == AttentionKind::Latent ? readLatent(spec, attention)
                                              : readGrouped(spec, attention, hidden);
}

}  // namespace fabricast
