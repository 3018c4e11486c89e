#pragma once
#include "planner/estimate/segment_time.h"
#include "planner/estimate/step_bounds.h"
#include "planner/evidence/host_evidence.h"
#include "planner/schedule/framework_order.h"
#include "planner/search/layer_split.h"
#include "planner/search/model_weight_counts.h"
#include "planner/search/order_key.h"
#include "planner/search/search_space.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fabricast {

/// Seconds that a layout's step cannot be below, from rough to close: each takes longer to work
/// out. Left out of all is what sharding adds, and of all but the last transfers between stages.
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
    /// What layers wait for of transfers inside them, which adds to their work.
    [[nodiscard]] double fromWaits(const Layout& layout, const LayerWaits& perSample) const;
    /// From what a sample takes at least in such blocks, with all ranks busy all the time.
    [[nodiscard]] double fromSamples(const Layout& layout, const ModelTime& perSample) const;
    /// The same from what a microbatch takes, its waits included.
    [[nodiscard]] double fromPasses(const Layout& layout, const PassFloor& passes) const;
    [[nodiscard]] double fromBlocks(const Layout& layout, const ModelTime& blocks) const;
    /// From both, in the pipeline's order. The blocks stay where they are.
    Result<double> fromOrder(const Candidate& candidate,
                             const Scenario& scenario,
                             const ModelTime& blocks,
                             const LayerWaits& waits);
    /// From what every chunk of the layout takes at least.
    Result<double> fromFloor(const Candidate& candidate,
                             const Scenario& scenario,
                             const StepFloor& floor);
    /// Layers of every chunk, as a microbatch visits them.
    Result<const std::vector<std::int64_t>*> layersOf(const Candidate& candidate,
                                                      const Scenario& scenario);

private:
    /// What the time of all passes depends on.
    struct Passes {
        const ModelTime* blocks = nullptr;
        const FrameworkOrder* order = nullptr;
        LayerWaits waits;

        friend bool operator==(const Passes&, const Passes&) = default;
    };
    struct KnownSpan {
        Passes passes;
        double seconds = 0.0;
    };
    /// Nothing where there is no pipeline.
    Result<const FrameworkOrder*> orderOf(const Candidate& candidate, const Scenario& scenario);
    [[nodiscard]] double samplesOf(const Layout& layout) const;
    KnownSpan& spanOf(const Passes& passes);
    void setPass(std::size_t chunk, const PassFloor& pass);
    void setPasses(const std::vector<std::int64_t>& layers,
                   const ModelTime& blocks,
                   const LayerWaits& waits,
                   std::int64_t microBatch);
    /// All microbatches through the chunks of `passes_`; of `times` the transfers count.
    double pipelined(const FrameworkOrder* order,
                     const Scenario& scenario,
                     SpanTimes<double> times);

    const SearchTask& task_;
    const SearchSpace& space_;
    const HostProfile& host_;
    ModelWeightCounts weights_;
    LayerSplits splits_;
    bool allAgain_ = true;  ///< layers that are checkpointed: not by `block:N`
    double sparseLayers_ = 0.0;
    double denseLayers_ = 0.0;
    double flopsOfLayers_ = 0.0;  ///< of a token, forward
    double gpuSamples_ = 0.0;     ///< of a step, for each GPU
    std::unordered_map<OrderKey, FrameworkOrder, OrderKey::Hash> orders_;
    std::vector<double> passes_;
    /// Of those asked for last: layouts that shard or offload in other ways share them.
    std::vector<KnownSpan> spans_;
};

}  // namespace fabricast
