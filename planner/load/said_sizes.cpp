#include "planner/load/said_sizes.h"

#include "planner/models/model_file.h"
#include "planner/stack/model_code.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace fabricast {
namespace {

using Size = std::optional<std::int64_t>;

bool isLatent(const ModelSpec& model) {
    return model.attention.kind == AttentionKind::Latent;
}

bool hasDenseLayers(const ModelSpec& model) {
    return !model.moe || std::ranges::find(model.sparse, false) != model.sparse.end();
}

/// A number that a model has where it is one of these; nothing of others.
Size sizeIf(bool has, std::int64_t size) {
    return has ? Size(size) : std::nullopt;
}

/// A size by its name in a scenario: of a model, and in words; `none`: what 0 is called.
struct ModelSize {
    std::string_view name;
    Size (*of)(const ModelSpec& model);
    std::string_view before;
    std::string_view behind;
    std::string_view none;
};
constexpr std::array kModelSizes = {
    ModelSize{"layers", [](const ModelSpec& m) { return Size(m.layers); }, "", " layers", ""},
    ModelSize{"hidden", [](const ModelSpec& m) { return Size(m.hidden); }, "hidden size ", "", ""},
    ModelSize{"ffn_width",
              [](const ModelSpec& m) { return sizeIf(hasDenseLayers(m), m.mlp.width); },
              "FFN width ",
              "",
              ""},
    ModelSize{
        "heads", [](const ModelSpec& m) { return Size(m.attention.heads); }, "", " heads", ""},
    ModelSize{"kv_heads",
              [](const ModelSpec& m) { return sizeIf(!isLatent(m), m.attention.kvHeads); },
              "",
              " key-value heads",
              ""},
    ModelSize{"head_dim",
              [](const ModelSpec& m) { return sizeIf(!isLatent(m), m.attention.headDim); },
              "heads of ",
              "",
              ""},
    ModelSize{
        "vocabulary", [](const ModelSpec& m) { return Size(m.vocab); }, "vocabulary ", "", ""},
    ModelSize{"latent",
              [](const ModelSpec& m) { return Size(isLatent(m) ? 1 : 0); },
              "multi-latent attention",
              "",
              "no multi-latent attention"},
    ModelSize{"q_rank",
              [](const ModelSpec& m) { return sizeIf(isLatent(m), m.attention.qLoraRank); },
              "queries of rank ",
              "",
              "queries of no rank"},
    ModelSize{"kv_rank",
              [](const ModelSpec& m) { return sizeIf(isLatent(m), m.attention.kvLoraRank); },
              "keys and values of rank ",
              "",
              ""},
    ModelSize{"qk_dim",
              [](const ModelSpec& m) { return sizeIf(isLatent(m), m.attention.qkNopeDim); },
              "heads of ",
              " columns that are not rotated",
              ""},
    ModelSize{"rotated_dim",
              [](const ModelSpec& m) { return sizeIf(isLatent(m), m.attention.qkRopeDim); },
              "heads of ",
              " rotated columns",
              ""},
    ModelSize{"value_dim",
              [](const ModelSpec& m) { return sizeIf(isLatent(m), m.attention.vHeadDim); },
              "values of ",
              "",
              ""},
    ModelSize{"qk_norm",
              [](const ModelSpec& m) {
                  return sizeIf(!isLatent(m), m.attention.qkNorm == QkNorm::None ? 0 : 1);
              },
              "norms of queries and keys",
              "",
              "no norms of queries and keys"},
    ModelSize{"qkv_bias",
              [](const ModelSpec& m) {
                  return sizeIf(!isLatent(m) && !m.attention.outBias, m.attention.qkvBias ? 1 : 0);
              },
              "biases of queries, keys and values",
              "",
              "no biases of queries, keys and values"},
    ModelSize{"gated",
              [](const ModelSpec& m) {
                  const MlpKind kind = m.moe && !hasDenseLayers(m) ? m.moe->kind : m.mlp.kind;
                  return Size(kind == MlpKind::Gated ? 1 : 0);
              },
              "a gated MLP",
              "",
              "an MLP without a gate"},
    ModelSize{"experts",
              [](const ModelSpec& m) { return Size(m.moe ? m.moe->experts : 0); },
              "",
              " experts",
              "no experts"},
    ModelSize{"experts_per_token",
              [](const ModelSpec& m) { return sizeIf(m.moe.has_value(), m.moe ? m.moe->topK : 0); },
              "",
              " experts a token",
              ""},
    ModelSize{"expert_width",
              [](const ModelSpec& m) {
                  return sizeIf(m.moe.has_value(), m.moe ? m.moe->expertWidth : 0);
              },
              "expert width ",
              "",
              ""},
    ModelSize{"sparse_layers",
              [](const ModelSpec& m) {
                  return sizeIf(m.moe.has_value(), std::ranges::count(m.sparse, true));
              },
              "",
              " layers with experts",
              ""},
    ModelSize{"shared_width",
              [](const ModelSpec& m) {
                  return sizeIf(m.moe.has_value(), m.moe ? m.moe->sharedWidth : 0);
              },
              "shared experts of width ",
              "",
              "no shared experts"},
    ModelSize{"mtp_layers",
              [](const ModelSpec& m) { return Size(m.mtpDepth); },
              "",
              " layers of multi-token prediction",
              "no multi-token prediction"},
    ModelSize{"untied",
              [](const ModelSpec& m) { return Size(m.tiedEmbeddings ? 0 : 1); },
              "a head of its own",
              "",
              "a head that is the embedding"}};

std::string worded(const ModelSize& size, std::int64_t value) {
    const bool isWord = size.name == "latent" || size.name == "qk_norm" ||
                        size.name == "qkv_bias" || size.name == "gated" || size.name == "untied";
    if (value == 0 && !size.none.empty()) {
        return std::string(size.none);
    }
    return std::string(size.before) + (isWord ? "" : std::to_string(value)) +
           std::string(size.behind);
}

/// A table of embeddings has as many rows as its tokenizer has tokens, and some more: config.json
/// and Megatron (--make-vocab-size-divisible-by 128 on eight tensor ranks) round up in their ways.
bool isSame(const ModelSize& size, std::int64_t said, std::int64_t model) {
    constexpr std::int64_t kMostPadding = 1024;
    return said == model || (size.name == "vocabulary" && std::abs(said - model) <= kMostPadding);
}

/// What the arguments of a whole model say between them, typed or not.
constexpr std::array<std::string_view, 8> kWhole = {
    "layers", "hidden", "ffn_width", "heads", "experts", "mtp_layers", "gated", "untied"};

bool areWhole(const std::vector<ImportedSize>& said) {
    return std::ranges::all_of(kWhole, [&said](std::string_view name) {
        return std::ranges::find(said, name, &ImportedSize::name) != said.end();
    });
}

/// Releases of one model for longer and shorter texts are one.
bool isSameBut(ModelSpec one, const ModelSpec& other) {
    one.name = other.name;
    one.notes = other.notes;
    one.maxPositions = other.maxPositions;
    return one == other;
}

}  // namespace

std::optional<ModelSpec> modelOfSizes(const std::vector<ImportedSize>& said,
                                      const ProfileStore& profiles) {
    std::optional<ModelSpec> found;
    if (!areWhole(said)) {
        return found;
    }
    for (const ProfileFile& file : profiles.files(ProfileKind::Model)) {
        Result<ModelProfile> known = parseModelProfile(file.text, file.source);
        if (!known || !checkSaidSizes(said, known->model) || !checkMegatronCode(known->model)) {
            continue;
        }
        if (found && !isSameBut(*found, known->model)) {
            return std::nullopt;
        }
        found = found ? std::move(found) : std::optional(std::move(known->model));
    }
    return found;
}

Result<void> checkSaidSizes(const std::vector<ImportedSize>& said, const ModelSpec& model) {
    std::string files;
    std::string models;
    std::string where;
    for (const ImportedSize& one : said) {
        const auto* const size = std::ranges::find(kModelSizes, one.name, &ModelSize::name);
        const Size own = size == kModelSizes.end() ? std::nullopt : size->of(model);
        const bool isKnown = own && (*own > 0 || !size->none.empty());
        if (!isKnown || isSame(*size, one.value, *own)) {
            continue;
        }
        where = where.empty() ? one.where : where;
        files += (files.empty() ? "" : ", ") + worded(*size, one.value);
        models += (models.empty() ? "" : ", ") + worded(*size, *own);
    }
    return where.empty()
               ? Result<void>()
               : fail(Error::Code::BadInput,
                      where,
                      "the file trains " + files + ", and " + model.name + " has " + models,
                      "-m with the model that the file trains, or the sizes of " + model.name +
                          " in the file");
}

}  // namespace fabricast
