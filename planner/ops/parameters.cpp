#include "planner/ops/parameters.h"

#include "planner/ops/parameter_list.h"

#include <utility>

namespace fabricast {
namespace {

/// The norms of a layer in two halves: those its code registers with attention, and with the MLP.
struct LayerNorms {
    Parameters attention;
    Parameters mlp;
};

LayerNorms layerNorms(const ModelSpec& model) {
    const auto make = [&](const char* name) {
        return norm(model.norm, name, Part::Norm, model.hidden);
    };
    LayerNorms norms;
    if (model.normsPerLayer == 1) {
        norms.attention = make("input_layernorm");
    } else if (model.normsPerLayer == 4) {
        norms.attention = make("input_layernorm");
        append(norms.attention, make("post_attention_layernorm"));
        norms.mlp = make("pre_feedforward_layernorm");
        append(norms.mlp, make("post_feedforward_layernorm"));
    } else {
        const bool after = model.normPlacement == NormPlacement::After;
        norms.attention = make(after ? "post_attention_layernorm" : "input_layernorm");
        norms.mlp = make(after ? "post_feedforward_layernorm" : "post_attention_layernorm");
    }
    return norms;
}

Parameters inOrder(NormOrder order, Parameters attention, Parameters mlp, LayerNorms norms) {
    std::vector<Parameters> pieces;
    switch (order) {
        case NormOrder::Last:
            pieces = {std::move(attention),
                      std::move(mlp),
                      std::move(norms.attention),
                      std::move(norms.mlp)};
            break;
        case NormOrder::First:
            pieces = {std::move(norms.attention),
                      std::move(norms.mlp),
                      std::move(attention),
                      std::move(mlp)};
            break;
        case NormOrder::BeforeEach:
            pieces = {std::move(norms.attention),
                      std::move(attention),
                      std::move(norms.mlp),
                      std::move(mlp)};
            break;
        case NormOrder::AfterEach:
            pieces = {std::move(attention),
                      std::move(norms.attention),
                      std::move(mlp),
                      std::move(norms.mlp)};
            break;
    }
    Parameters list;
    for (Parameters& piece : pieces) {
        append(list, std::move(piece));
    }
    return list;
}

Parameters layerOf(const ModelSpec& model, bool sparse) {
    Parameters attention = attentionParameters(model);
    Parameters mlp =
        sparse && model.moe ? expertParameters(model, *model.moe) : mlpParameters(model);
    return inOrder(model.normOrder, std::move(attention), std::move(mlp), layerNorms(model));
}

std::int64_t tableWidth(const ModelSpec& model) {
    return model.embeddingWidth > 0 ? model.embeddingWidth : model.hidden;
}

bool isProjected(const ModelSpec& model) {
    return tableWidth(model) != model.hidden;
}

}  // namespace

std::vector<Parameter> embeddingParameters(const ModelSpec& model) {
    Parameters list{
        matrix("embed_tokens", Part::Embedding, Split::Vocab, model.vocab, tableWidth(model))};
    if (model.learnedPositions > 0) {
        list.push_back(matrix("embed_positions",
                              Part::Position,
                              Split::Replicated,
                              model.learnedPositions,
                              model.hidden));
    }
    if (isProjected(model)) {
        list.push_back(matrix(
            "project_in", Part::Projection, Split::Replicated, model.hidden, tableWidth(model)));
    }
    if (model.embeddingNorm) {
        append(list, norm(model.norm, "embed_layernorm", Part::Norm, model.hidden));
    }
    return list;
}

std::vector<Parameter> layerParameters(const ModelSpec& model, std::int64_t layer) {
    return layerOf(model, model.isSparse(layer));
}

std::vector<Parameter> headParameters(const ModelSpec& model) {
    Parameters list;
    if (model.finalNorm) {
        append(list, norm(model.norm, "norm", Part::Norm, model.hidden));
    }
    if (isProjected(model)) {
        list.push_back(matrix(
            "project_out", Part::Projection, Split::Replicated, tableWidth(model), model.hidden));
    }
    if (!model.tiedEmbeddings) {
        list.push_back(matrix("lm_head", Part::Head, Split::Vocab, model.vocab, tableWidth(model)));
    }
    if (model.headBias) {
        list.push_back(bias("lm_head", Part::Head, Split::Vocab, model.vocab));
    }
    return list;
}

std::vector<Parameter> mtpParameters(const ModelSpec& model) {
    Parameters list;
    append(list, norm(model.norm, "enorm", Part::Mtp, model.hidden));
    append(list, norm(model.norm, "hnorm", Part::Mtp, model.hidden));
    list.push_back(matrix("eh_proj", Part::Mtp, Split::Column, model.hidden, 2 * model.hidden));
    append(list, layerOf(model, !model.sparse.empty() && model.sparse.back()));
    append(list, norm(model.norm, "shared_head.norm", Part::Mtp, model.hidden));
    return list;
}

}  // namespace fabricast
