#include "planner/search/model_weight_counts.h"

#include "planner/base/integers.h"
#include "planner/ops/parameters.h"
#include "planner/stack/rank_groups.h"

#include <algorithm>
#include <vector>

namespace fabricast {

namespace {

double sumOf(const std::vector<Parameter>& parameters, bool experts) {
    double sum = 0.0;
    for (const Parameter& parameter : parameters) {
        if (!parameter.buffer && (parameter.part == Part::RoutedExperts) == experts) {
            sum += static_cast<double>(parameter.elements());
        }
    }
    return sum;
}

/// torchtitan without expert parallelism splits experts by tp, and shards them with the rest.
bool splitsAsTheRest(const Layout& layout, ModelCode code) {
    return code == ModelCode::TorchTitan && layout.ep == 1;
}

}  // namespace

ModelWeightCounts::ModelWeightCounts(const ModelSpec& model)
    : embedding_(sumOf(embeddingParameters(model), false)),
      head_(sumOf(headParameters(model), false)) {
    std::array<bool, 2> known{};
    std::array<std::int64_t, 2> count{};
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        const std::size_t kind = model.isSparse(layer) ? 1 : 0;
        ++count[kind];
        if (!known[kind]) {
            known[kind] = true;
            const std::vector<Parameter> parameters = layerParameters(model, layer);
            ofLayer_[kind] = sumOf(parameters, false);
            expertsOfLayer_ = std::max(expertsOfLayer_, sumOf(parameters, true));
        }
    }
    all_ = ofLayers(count[0], count[1]);
    all_.own += embedding_ + head_;
}

WeightCount ModelWeightCounts::ofLayers(std::int64_t dense, std::int64_t sparse) const {
    return {asDouble(dense) * ofLayer_[0] + asDouble(sparse) * ofLayer_[1],
            asDouble(sparse) * expertsOfLayer_};
}

WeightCount ModelWeightCounts::ofMeanRank(const Layout& layout, ModelCode code) const {
    const WeightCount mean = local(all_, layout, code);
    return {mean.own / asDouble(layout.pp), mean.experts / asDouble(layout.pp)};
}

WeightCount ModelWeightCounts::local(const WeightCount& weights,
                                     const Layout& layout,
                                     ModelCode code) {
    // As rank_tensors.cpp cuts them.
    const std::int64_t cut = splitsAsTheRest(layout, code) ? layout.tp : layout.etp;
    return {weights.own / asDouble(layout.tp), weights.experts / asDouble(layout.ep * cut)};
}

std::int64_t ModelWeightCounts::expertShards(const Layout& layout, ModelCode code) {
    return splitsAsTheRest(layout, code) ? shardSize(layout)
                                         : expertShardSize(layout, layout.expertReplicas());
}

}  // namespace fabricast
