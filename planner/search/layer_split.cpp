#include "planner/search/layer_split.h"

#include "planner/sharding/stage_shape.h"
#include "planner/spec/stage_split.h"

#include <algorithm>
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

std::array<std::int64_t, 4> LayerSplits::fullestRanks(const Layout& layout,
                                                      const std::vector<std::int64_t>& layers) {
    const std::int64_t last = layout.pp - 1;
    return {0, std::min<std::int64_t>(1, last), mostSparse(layout, layers), last};
}

/// The first rank that has as many layers with experts as any: behind dense layers its weights are
/// most.
std::int64_t LayerSplits::mostSparse(const Layout& layout,
                                     const std::vector<std::int64_t>& layers) {
    const auto count = static_cast<std::int64_t>(sparseBefore_.size()) - 1;
    if (layout.pp == 1 || sparseBefore_.back() == 0 || sparseBefore_.back() == count) {
        return 0;
    }
    const auto [known, isNew] = mostSparse_.try_emplace({&layers, layout.schedule}, 0);
    if (!isNew) {
        return known->second;
    }
    std::vector<std::int64_t> ofRanks(static_cast<std::size_t>(layout.pp), 0);
    std::int64_t first = 0;
    for (std::size_t chunk = 0; chunk < layers.size(); ++chunk) {
        for (std::int64_t rank = 0; rank < layout.pp; ++rank) {
            if (isOnRank(layout, static_cast<std::int64_t>(chunk), rank)) {
                ofRanks[static_cast<std::size_t>(rank)] += sparse(first, layers[chunk]);
            }
        }
        first += layers[chunk];
    }
    return known->second = std::ranges::max_element(ofRanks) - ofRanks.begin();
}

}  // namespace fabricast
