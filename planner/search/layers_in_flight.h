#pragma once
#include "planner/memory/program/ordered_stages.h"
#include "planner/search/layer_split.h"
#include "planner/search/model_weight_counts.h"
#include "planner/search/order_key.h"
#include "planner/search/search_space.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fabricast {

/// A pipeline rank at the moment at which the most of its layers wait for their backward.
struct RankInFlight {
    WeightCount weights;    ///< of all its chunks, before they are split
    WeightCount gathered;   ///< of the chunks between their first forward and their last backward
    WeightCount reduced;    ///< of those of them that had a backward
    double dense = 0.0;     ///< layers that wait, each as often as microbatches have passed it
    double sparse = 0.0;    ///< likewise: layers with experts
    double sent = 0.0;      ///< chunks that wait and hand something on
    double received = 0.0;  ///< its chunks that are handed something
    double walked = 0.0;    ///< microbatches of its order
};

/// What the ranks that are often the fullest have in flight under each order, worked out once.
///     for (const RankInFlight& rank : flights.of(stack, layout, settings)) { … }
class LayersInFlight {
public:
    /// All live as long as this.
    LayersInFlight(const SearchTask& task, const ModelWeightCounts& weights, LayerSplits& splits);

    /// Empty where the order is not modelled. Of `settings` the pipeline's count.
    const std::vector<RankInFlight>& of(std::uint32_t stack,
                                        const Layout& layout,
                                        const Settings& settings);

private:
    struct Chunk;

    std::vector<RankInFlight> workOut(const Layout& layout, const Settings& settings, OrderKey key);
    [[nodiscard]] std::vector<Chunk> chunksOf(const Layout& layout,
                                              const std::vector<std::int64_t>& layers,
                                              std::int64_t rank) const;

    const SearchTask& task_;
    const ModelWeightCounts& weights_;
    LayerSplits& splits_;
    Scenario scratch_;
    std::unordered_map<OrderKey, std::vector<RankInFlight>, OrderKey::Hash> known_;
};

}  // namespace fabricast
