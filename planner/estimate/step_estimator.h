#pragma once
#include "planner/comm/cluster_links.h"
#include "planner/comm/collective_curve.h"
#include "planner/compute/kernel_times.h"
#include "planner/estimate/estimate_step.h"
#include "planner/estimate/moved_bytes.h"
#include "planner/estimate/segment_time.h"
#include "planner/estimate/step_bounds.h"
#include "planner/evidence/software_timing.h"
#include "planner/schedule/pipeline_span.h"
#include "planner/spec/one_site.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace fabricast {

/// What one training step is put together from: every pipeline rank's passes and transfers, its
/// optimizer, and the training loop around them.
struct StepPieces {
    std::vector<StageTime> stages;
    std::vector<StageSent> sent;    ///< by each stage
    std::vector<double> optimizer;  ///< seconds of each stage
    SoftwareTiming software;
};

/// What software adds on this machine's host, by what it adds on a usual one.
using OwnHosts = std::map<const SoftwareTiming*, SoftwareTiming>;

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
    /// Those in two parts: all but the layers, and nothing but them, by ways to exchange keys.
    [[nodiscard]] Result<ModelTime> ends(const Scenario& scenario) const;
    [[nodiscard]] Result<std::vector<ModelTime>> layers(const Scenario& scenario,
                                                        const LayerOps& ops,
                                                        std::span<const CpKind> kinds) const;
    Result<StepEstimate> estimate(const Scenario& scenario, const ModelTime& blocks);
    /// That step's `step.value` alone.
    Result<double> seconds(const Scenario& scenario, const ModelTime& blocks);

    /// What that step is put together from.
    Result<StepPieces> pieces(const Scenario& scenario, const ModelTime& blocks);

    /// What own runs stretch a step by at least: bounds are made of unstretched times.
    [[nodiscard]] double leastStretch() const { return fabric_->leastStretch; }

    // What bounds are made of (step_bounds.h).
    [[nodiscard]] const KernelProfile& limits() const { return fabric_->limits; }
    [[nodiscard]] const KernelProfile& smooth() const { return fabric_->smooth; }
    /// Of layers with this tp, cp, ep and etp.
    Result<LayerWaits> leastWaits(const Scenario& scenario);
    Result<double> leastTail(const Scenario& scenario);
    /// `layers`: of each chunk of the model; `known`: see stepFloor.
    Result<StepFloor> floor(const Scenario& scenario,
                            const ModelTime& blocks,
                            std::span<const std::int64_t> layers,
                            PassFloors& known);
    Result<PassFloor> modelFloor(const Scenario& scenario,
                                 const ModelTime& blocks,
                                 PassFloors& known);
    [[nodiscard]] const HostProfile& host() const { return profiles_->host; }

private:
    /// What one estimate reads.
    struct Setting {
        std::unique_ptr<const OneSite> site;
        const SoftwareTiming* software = nullptr;
        CommClock clock;

        /// Of sites that train apart, one of them.
        [[nodiscard]] const Scenario& scenario() const { return site->scenario(); }
    };
    Result<Setting> settingOf(const Scenario& scenario);
    [[nodiscard]] StepContext contextOf(const ModelTime& blocks, Setting& setting) const;
    /// What sites that train apart do beside the steps between.
    [[nodiscard]] OuterStep outerOf(const Scenario& scenario,
                                    const std::vector<StageTime>& stages,
                                    double inner) const;
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
              limits(limitsOf(kernels)),
              smooth(fabricast::smooth(kernels)) {}

        KernelProfile kernels;
        ClusterLinks links;
        MeasuredPlace place;
        CollectiveCurves curves;
        KernelProfile limits;
        KernelProfile smooth;
        double leastStretch = 1.0;
        OwnHosts hosts;  ///< of this machine, where its own runs say how fast its host is
    };

    StepEstimator(std::unique_ptr<Fabric> fabric, const TimingProfiles& profiles)
        : fabric_(std::move(fabric)), profiles_(&profiles) {}

    std::unique_ptr<Fabric> fabric_;
    const TimingProfiles* profiles_;
    KnownTensors tensors_;
    std::unique_ptr<SpanWorkspace> spans_ = std::make_unique<SpanWorkspace>();
};

Result<StepPieces> stepPieces(const Scenario& scenario, const TimingProfiles& profiles);

}  // namespace fabricast
