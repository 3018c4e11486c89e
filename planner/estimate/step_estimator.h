#pragma once
#include "planner/comm/cluster_links.h"
#include "planner/comm/collective_curve.h"
#include "planner/compute/kernel_limits.h"
#include "planner/estimate/estimate_step.h"
#include "planner/estimate/layer_exposure.h"
#include "planner/estimate/model_time.h"
#include "planner/estimate/step_pieces.h"
#include "planner/schedule/span_workspace.h"

#include <memory>
#include <utility>

namespace fabricast {

/// This estimates many steps on one cluster: the curves of its collectives and the orders of its
/// pipelines are made once. The blocks' times are the caller's to keep, as layouts that differ in
/// data parallelism, stages or schedule share them. One per thread; the profiles outlive it.
///     FABRICAST_ASSIGN(StepEstimator estimator, StepEstimator::make(cluster, profiles));
///     FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
///     FABRICAST_ASSIGN(const ModelTime blocks, estimator.blocks(scenario, layers));
///     FABRICAST_ASSIGN(const StepEstimate step, estimator.estimate(scenario, blocks));
class StepEstimator {
public:
    static Result<StepEstimator> make(const ClusterSpec& cluster, const TimingProfiles& profiles);

    /// Scenarios are on the cluster this was made for. Several threads may ask for blocks.
    [[nodiscard]] Result<ModelTime> blocks(const Scenario& scenario, const LayerOps& layers) const;
    Result<StepEstimate> estimate(const Scenario& scenario, const ModelTime& blocks);

    /// What that step is put together from.
    Result<StepPieces> pieces(const Scenario& scenario, const ModelTime& blocks);

    // What bounds are made of.
    /// What one more sample adds at least to a micro-batch, on a GPU that loses nothing to small
    /// kernels: micro-batches of any size take no less for each of theirs. Nothing is recomputed.
    [[nodiscard]] Result<ModelTime> leastPerSample(const Scenario& scenario) const;
    Result<LayerExposures> exposures(const Scenario& scenario, const ModelTime& blocks);
    /// The fewest seconds of one operation in matrix multiplies.
    [[nodiscard]] double leastPerFlop(const Settings& settings) const;
    [[nodiscard]] const HostProfile& host() const { return profiles_->host; }

private:
    /// What one estimate reads.
    struct Setting {
        const SoftwareTiming* software = nullptr;
        CommClock clock;
    };
    Result<Setting> settingOf(const Scenario& scenario);
    [[nodiscard]] StepContext contextOf(const Scenario& scenario,
                                        const ModelTime& blocks,
                                        Setting& setting) const;
    /// Curves point into their setting, which therefore stays where it is.
    struct Fabric {
        Fabric(const ClusterSpec& cluster,
               KernelProfile measured,
               const ClusterLinks& joined,
               const CollectiveLibrary& library)
            : kernels(std::move(measured)),
              links(joined),
              place(placeOf(cluster, links)),
              curves({links, library.model, place, library.corrections}),
              limits(limitsOf(kernels)) {}

        KernelProfile kernels;
        ClusterLinks links;
        MeasuredPlace place;
        CollectiveCurves curves;
        KernelProfile limits;
    };

    StepEstimator(std::unique_ptr<Fabric> fabric, const TimingProfiles& profiles)
        : fabric_(std::move(fabric)), profiles_(&profiles) {}

    std::unique_ptr<Fabric> fabric_;
    const TimingProfiles* profiles_;
    std::unique_ptr<SpanWorkspace> spans_ = std::make_unique<SpanWorkspace>();
};

}  // namespace fabricast
