#pragma once
#include "planner/estimate/layer_exposure.h"
#include "planner/estimate/model_time.h"
#include "planner/schedule/framework_order.h"
#include "planner/search/layer_split.h"
#include "planner/search/search_space.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace fabricast {

/// Seconds that a layout's step cannot be below, in three steps: each is closer and takes longer.
/// Left out of all is what sharding moves, hand-overs, the optimizer and the host.
class TimeBound {
public:
    TimeBound(const SearchTask& task, const SearchSpace& space);

    /// From the layers' matrix multiplies, at the fewest seconds that an operation takes.
    [[nodiscard]] double fromFlops(const Settings& settings,
                                   bool recomputesAll,
                                   double perFlop) const;
    /// From what a sample takes at least in such blocks, with all ranks busy all the time.
    [[nodiscard]] double fromSamples(const Layout& layout, double perSample) const;
    /// From the blocks' own times and the pipeline's order.
    Result<double> fromBlocks(const Candidate& candidate,
                              const Scenario& scenario,
                              const ModelTime& time,
                              const LayerExposures& exposed);

private:
    using OrderKey = std::
        tuple<std::uint32_t, ScheduleKind, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

    Result<FrameworkOrder> orderOf(std::uint32_t stack, const Scenario& scenario);
    void fillPasses(const std::vector<std::int64_t>& layers,
                    const ModelTime& time,
                    const LayerExposures& exposed);

    const SearchTask& task_;
    const SearchSpace& space_;
    LayerSplits splits_;
    double flopsOfLayers_ = 0.0;  ///< of a token, forward
    double gpuSamples_ = 0.0;     ///< of a step, for each GPU
    std::map<OrderKey, FrameworkOrder> orders_;
    std::vector<double> passes_;
};

}  // namespace fabricast
