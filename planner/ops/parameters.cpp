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

std::int64_t& partOf(ParameterCount& count, Part part) {
    switch (part) {
        case Part::Embedding:
            return count.embedding;
        case Part::Position:
            return count.position;
        case Part::Projection:
            return count.projection;
        case Part::Attention:
            return count.attention;
        case Part::Norm:
            return count.norm;
        case Part::Mlp:
            return count.mlp;
        case Part::Router:
            return count.router;
        case Part::RoutedExperts:
            return count.routedExperts;
        case Part::SharedExperts:
            return count.sharedExperts;
        case Part::Head:
            return count.head;
        case Part::Mtp:
            return count.mtp;
    }
    return count.mtp;
}

void add(ParameterCount& count, const std::vector<Parameter>& parameters, std::int64_t times) {
    for (const Parameter& parameter : parameters) {
        const std::int64_t elements = times * parameter.elements();
        if (parameter.buffer) {
            count.buffers += elements;
        } else {
            partOf(count, parameter.part) += elements;
            count.total += elements;
        }
    }
}

/// Layers differ only in whether they have experts, so one of each kind is listed.
void addLayers(ParameterCount& count, const ModelSpec& model) {
    for (const bool sparse : {false, true}) {
        std::int64_t first = -1;
        std::int64_t alike = 0;
        for (std::int64_t layer = 0; layer < model.layers; ++layer) {
            if (model.isSparse(layer) == sparse) {
                first = alike == 0 ? layer : first;
                ++alike;
            }
        }
        if (alike > 0) {
            add(count, layerParameters(model, first), alike);
        }
    }
}

std::int64_t mtpElements(const ModelSpec& model) {
    if (model.mtpDepth == 0) {
        return 0;
    }
    ParameterCount layer;
    add(layer, mtpParameters(model), model.mtpDepth);
    return layer.total;
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

/// active = total - routed·(1 - k/E)
ParameterCount countParameters(const ModelSpec& model) {
    ParameterCount count;
    add(count, embeddingParameters(model), 1);
    addLayers(count, model);
    add(count, headParameters(model), 1);
    count.active = count.total;
    if (model.moe && count.routedExperts > 0) {
        const std::int64_t oneOfEach = count.routedExperts / model.moe->experts;
        count.active -= oneOfEach * (model.moe->experts - model.moe->topK);
    }
    count.mtp = mtpElements(model);
    return count;
}

}  // namespace fabricast
