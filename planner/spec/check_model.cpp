#include "planner/spec/check_settings.h"
#include "planner/spec/size_divisions.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>

namespace fabricast {
namespace {

struct Size {
    const char* name;
    std::int64_t value;
    std::int64_t least;
    std::int64_t most = kMostModelWidth;
};

Result<void> checkSizes(std::initializer_list<Size> sizes, const std::string& where) {
    for (const Size& size : sizes) {
        if (size.value < size.least || size.value > size.most) {
            return fail(
                Error::Code::BadInput,
                where,
                std::string("the model's ") + size.name + " is " + std::to_string(size.value),
                "use a number from " + std::to_string(size.least) + " to " +
                    std::to_string(size.most));
        }
    }
    return {};
}

Result<void> checkAttention(const AttentionSpec& attention, const std::string& where) {
    if (attention.kind == AttentionKind::Latent) {
        return checkSizes({{"heads", attention.heads, 1},
                           {"q_lora_rank", attention.qLoraRank, 0},
                           {"kv_lora_rank", attention.kvLoraRank, 1},
                           {"qk_nope_head_dim", attention.qkNopeDim, 0},
                           {"qk_rope_head_dim", attention.qkRopeDim, 0},
                           {"v_head_dim", attention.vHeadDim, 1}},
                          where);
    }
    FABRICAST_TRY(checkSizes({{"heads", attention.heads, 1},
                              {"kv heads", attention.kvHeads, 1},
                              {"head_dim", attention.headDim, 1}},
                             where));
    const SaidSizes sizes{.heads = attention.heads, .kvHeads = attention.kvHeads};
    if (!isEven(sizes, SizeDivision::HeadsByKvHeads)) {
        return fail(Error::Code::BadInput,
                    where,
                    std::to_string(attention.heads) + " heads cannot share " +
                        std::to_string(attention.kvHeads) + " kv heads evenly",
                    "use a number of kv heads that divides the heads");
    }
    return {};
}

Result<void> checkExperts(const MoeSpec& moe, const std::string& where) {
    FABRICAST_TRY(checkSizes({{"experts", moe.experts, 1, kMostModelExperts},
                              {"experts per token", moe.topK, 1},
                              {"expert width", moe.expertWidth, 1},
                              {"shared expert width", moe.sharedWidth, 0}},
                             where));
    const SaidSizes sizes{.experts = moe.experts, .expertsPerToken = moe.topK};
    if (!isEven(sizes, SizeDivision::ExpertsPerToken)) {
        return fail(Error::Code::BadInput,
                    where,
                    "a token cannot use " + std::to_string(moe.topK) + " of " +
                        std::to_string(moe.experts) + " experts",
                    "use at most " + std::to_string(moe.experts) + " experts per token");
    }
    if (moe.residual && moe.sharedWidth != moe.expertWidth) {
        return fail(Error::Code::BadInput,
                    where,
                    "a residual expert is as wide as the routed ones, not " +
                        std::to_string(moe.sharedWidth) + " columns",
                    "a shared expert width of " + std::to_string(moe.expertWidth));
    }
    return {};
}

Result<void> checkLists(const ModelSpec& model, const std::string& where) {
    const auto layers = static_cast<std::size_t>(model.layers);
    const bool hasSparse =
        std::find(model.sparse.begin(), model.sparse.end(), true) != model.sparse.end();
    if ((!model.sparse.empty() && model.sparse.size() != layers) ||
        (!model.window.empty() && model.window.size() != layers)) {
        return fail(Error::Code::BadInput,
                    where,
                    "a list of layers does not have one entry for each of the " +
                        std::to_string(model.layers) + " layers",
                    "one entry for each layer");
    }
    const bool allSparse =
        !model.sparse.empty() &&
        std::find(model.sparse.begin(), model.sparse.end(), false) == model.sparse.end();
    if (!allSparse && model.mlp.width == 0) {
        return fail(Error::Code::BadInput,
                    where,
                    "layers without experts have no MLP",
                    "set the width of the MLP");
    }
    if (hasSparse && !model.moe) {
        return fail(Error::Code::BadInput,
                    where,
                    "layers have experts, but no experts are defined",
                    "say how many experts there are");
    }
    return {};
}

Result<void> checkExpertsOfAll(std::int64_t count, const std::string& where) {
    return count <= kMostExpertsOfAll
               ? Result<void>()
               : fail(Error::Code::Unsupported,
                      where,
                      std::to_string(count) + " experts in all layers are more than the " +
                          std::to_string(kMostExpertsOfAll) + " that are walked",
                      "fewer layers, or fewer experts in each");
}

/// At least the exact count, in floating point so that it cannot overflow.
double mostParameters(const ModelSpec& model) {
    const auto size = [](std::int64_t value) { return static_cast<double>(value); };
    const AttentionSpec& attention = model.attention;
    const double hidden = size(model.hidden);
    const double table = size(std::max(model.embeddingWidth, model.hidden));
    const double headWidth = size(attention.headDim) + size(attention.qkNopeDim) +
                             size(attention.qkRopeDim) + size(attention.vHeadDim);
    const double inputs = hidden + size(attention.qLoraRank) + size(attention.kvLoraRank) + 2;
    const double heads = 2 * (size(attention.heads) + size(attention.kvHeads)) * headWidth +
                         size(attention.qLoraRank) + size(attention.kvLoraRank) + headWidth;
    double layer = heads * inputs + 3 * (size(model.mlp.width) + 8) * (hidden + 1);
    if (model.moe) {
        layer += (3 * size(model.moe->expertWidth) + 2) * (hidden + 2) * size(model.moe->experts) +
                 3 * (size(model.moe->sharedWidth) + 1) * hidden;
    }
    const double layers = size(model.layers) + size(model.mtpDepth);
    return layers * layer + 2 * (size(model.vocab) + hidden + 8) * table +
           size(model.learnedPositions) * hidden + 8 * size(model.mtpDepth) * hidden * hidden;
}

}  // namespace

Result<void> checkModel(const ModelSpec& model, const std::string& where) {
    FABRICAST_TRY(checkSizes({{"layers", model.layers, 1, kMostModelLayers},
                              {"hidden size", model.hidden, 1},
                              {"vocabulary", model.vocab, 1},
                              {"MLP width", model.mlp.width, 0},
                              {"positions", model.maxPositions, 0},
                              {"learned positions", model.learnedPositions, 0},
                              {"embedding width", model.embeddingWidth, 0},
                              {"norms per layer", model.normsPerLayer, 1, 4},
                              {"prediction layers", model.mtpDepth, 0, kMostPredictionLayers}},
                             where));
    FABRICAST_TRY(checkAttention(model.attention, where));
    if (model.moe) {
        FABRICAST_TRY(checkExperts(*model.moe, where));
        FABRICAST_TRY(checkExpertsOfAll(model.layers * model.moe->experts, where));
    }
    FABRICAST_TRY(checkLists(model, where));
    if (mostParameters(model) > kMostModelParameters) {
        return fail(Error::Code::Unsupported,
                    where,
                    "the model may have more than 1e15 parameters, the limit of exact counts",
                    "fewer layers, or narrower ones");
    }
    return {};
}

}  // namespace fabricast
