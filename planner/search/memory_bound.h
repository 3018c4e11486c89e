#pragma once
#include "planner/estimate/step_bounds.h"
#include "planner/memory/overheads.h"
#include "planner/memory/program/ordered_stages.h"
#include "planner/search/block_costs.h"
#include "planner/search/layer_split.h"
#include "planner/search/layers_in_flight.h"
#include "planner/search/model_weight_counts.h"
#include "planner/search/search_space.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace fabricast {

/// Bytes that the fullest pipeline rank needs at the very least, never more than what the walk of a
/// step finds, so that a layout above the capacity cannot fit: first from counts alone, then by
/// letting microbatches pass through the rank chunk by chunk instead of operation by operation.
class MemoryBound {
public:
    MemoryBound(const SearchTask& task, const SearchSpace& space);

    /// States, and the inputs of all layers for one microbatch, on the mean rank. `usual` are
    /// settings of the candidate's family.
    std::int64_t fromCounts(const Candidate& candidate, const Settings& usual);
    /// The same, where layers are known to keep more than their inputs.
    std::int64_t fromKept(const Candidate& candidate,
                          const Settings& usual,
                          const LayersKept& perSample);
    /// The same of the ranks that are often the fullest, with as many microbatches as their order
    /// has in flight; 0 where that is not modelled.
    std::int64_t fromFlight(const Candidate& candidate,
                            const Settings& usual,
                            const LayersKept& perSample);
    /// Whether what the ranks of a node offload fits its own memory, as far as anybody knows.
    bool fitsHost(std::uint32_t family, const Settings& usual);
    /// States of a rank, and what its chunks keep in the order in which they run. No other rank is
    /// looked at when one needs more than `enough`.
    Result<std::int64_t> fromOrder(const Candidate& candidate,
                                   const Scenario& scenario,
                                   const BlockCost& cost,
                                   std::int64_t enough = std::numeric_limits<std::int64_t>::max());
    /// What is counted of the runtime.
    [[nodiscard]] std::int64_t leastRuntime(const Layout& layout, const Settings& settings);

private:
    /// Bytes per parameter, by whether a shard group splits them.
    struct States {
        double whole = 0.0;
        double split = 0.0;
        double wholeBetween = 0.0;  ///< without gradients
        double splitBetween = 0.0;
        double host = 0.0;    ///< split too
        double drives = 0.0;  ///< the same
    };
    struct Family {
        bool known = false;
        States states;
        double all = 0.0;            ///< states with gradients
        double between = 0.0;        ///< states without them
        double inputs = 0.0;         ///< kept, of one sample
        double host = 0.0;           ///< offloaded
        double drives = 0.0;         ///< the same, on drives
        double gathered = 0.0;       ///< of all layers at once, where they stay gathered
        double gatheredLayer = 0.0;  ///< of the largest, alone
        std::int64_t runtime = 0;
    };
    /// Elements that FSDP gathers of a layer, with what pads them to the ranks.
    struct GatheredLayer {
        double dense = 0.0;
        double sparse = 0.0;
    };
    /// What a rank runs of a chunk.
    struct ChunkLoad;
    using OrderKey = std::tuple<std::uint32_t,
                                ScheduleKind,
                                std::int64_t,
                                std::int64_t,
                                std::int64_t,
                                std::int64_t,
                                std::int64_t>;

    /// Ranks that the states of weights, and of experts, are split over.
    struct Shards {
        double own = 1.0;
        double experts = 1.0;
    };
    static States statesOf(const Settings& settings, const Layout& layout);
    static Shards shardsOf(const Layout& layout, ModelCode code);
    static double held(const WeightCount& local, const Shards& shards, double whole, double split);
    void addGathered(std::uint32_t place, const Settings& usual, Family& family);
    const GatheredLayer& gatheredLayerOf(std::uint32_t place, const Settings& usual);
    const Family& familyOf(std::uint32_t family, const Settings& usual);
    Result<const PipelineOrder*> orderOf(std::uint32_t stack,
                                         const Scenario& scenario,
                                         std::int64_t rank);
    Result<double> ofRank(const Candidate& candidate,
                          const Scenario& scenario,
                          const BlockCost& cost,
                          std::int64_t rank);
    std::vector<ChunkLoad> chunksOf(const Scenario& scenario,
                                    const std::vector<std::int64_t>& layers,
                                    const BlockCost& cost,
                                    std::int64_t rank) const;

    const SearchTask& task_;
    const SearchSpace& space_;
    std::vector<Family> families_;
    ModelWeightCounts weights_;
    LayerSplits splits_;
    LayersInFlight flights_;
    LeastRuntime runtime_;
    KnownTensors tensors_;
    Scenario scratch_;  ///< to be changed: a copy of the cluster takes long
    std::map<OrderKey, PipelineOrder> orders_;
    std::map<std::array<std::int64_t, 7>, GatheredLayer> gathered_;
};

}  // namespace fabricast
