#include "planner/ops/parameters.h"

namespace fabricast {
namespace {

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
