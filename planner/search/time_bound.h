#pragma once
#include "planner/estimate/layer_exposure.h"
#include "planner/estimate/model_time.h"
#include "planner/schedule/framework_order.h"
#include "planner/search/layer_split.h"
#include "planner/search/model_weight_counts.h"
#include "planner/search/search_space.h"
#include "planner/spec/host_profile.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace fabricast {

/// What one microbatch takes in the blocks of a model.
struct BlockTimes {
    const ModelTime& time;
    double scale = 1.0;  ///< microbatches are so many times as large
    LayerExposures exposed{};
    bool copied = false;  ///< with copies to and from the host, which smaller ones have more of
};

/// Seconds that a layout's step cannot be below, in steps: each is closer and takes longer. Left
/// out of all is what sharding moves, hand-overs, the GPU's optimizer and the host's calls.
class TimeBound {
public:
    TimeBound(const SearchTask& task, const SearchSpace& space, const HostProfile& host);

    /// From the layers' matrix multiplies, at the fewest seconds that an operation takes.
    [[nodiscard]] double fromFlops(const Settings& settings,
                                   bool recomputesAll,
                                   double perFlop) const;
    /// The optimizer on the CPUs, for the mean stage; 0 where the GPUs step. It follows the passes:
    /// fromFlops is without, the others have it.
    [[nodiscard]] double hostStep(const Scenario& scenario) const;
    /// From what a sample takes at least in such blocks, with all ranks busy all the time.
    [[nodiscard]] double fromSamples(const Scenario& scenario, const ModelTime& perSample) const;
    /// From the times of a micro-batch of `scale` times what `time` is of, and the pipeline's
    /// order.
    Result<double> fromBlocks(const Candidate& candidate,
                              const Scenario& scenario,
                              const BlockTimes& blocks);

private:
    using OrderKey = std::
        tuple<std::uint32_t, ScheduleKind, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

    Result<FrameworkOrder> orderOf(std::uint32_t stack, const Scenario& scenario);
    void fillPasses(const Scenario& scenario,
                    const std::vector<std::int64_t>& layers,
                    const BlockTimes& blocks);

    const SearchTask& task_;
    const SearchSpace& space_;
    const HostProfile& host_;
    ModelWeightCounts weights_;
    LayerSplits splits_;
    double flopsOfLayers_ = 0.0;  ///< of a token, forward
    double gpuSamples_ = 0.0;     ///< of a step, for each GPU
    std::map<OrderKey, FrameworkOrder> orders_;
    std::vector<double> passes_;
};

}  // namespace fabricast
