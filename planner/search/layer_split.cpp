#include "planner/search/layer_split.h"

#include "planner/spec/stage_split.h"

#include <utility>

namespace fabricast {

LayerSplits::LayerSplits(const ModelSpec& model) : sparseBefore_{0} {
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        sparseBefore_.push_back(sparseBefore_.back() + (model.isSparse(layer) ? 1 : 0));
    }
}

Result<const std::vector<std::int64_t>*> LayerSplits::of(std::uint32_t stack,
                                                         const Scenario& scenario) {
    const Key key{stack, scenario.layout.pp, scenario.layout.vpp};
    if (const auto known = splits_.find(key); known != splits_.end()) {
        return &known->second;
    }
    FABRICAST_ASSIGN(std::vector<std::int64_t> layers,
                     splitLayers(scenario.model.layers,
                                 {.stages = scenario.layout.pp,
                                  .chunks = scenario.layout.vpp,
                                  .pipeline = scenario.settings.pipeline}));
    return &splits_.emplace(key, std::move(layers)).first->second;
}

}  // namespace fabricast
