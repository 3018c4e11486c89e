#pragma once
#include "planner/base/result.h"
#include "planner/comm/collective_correction.h"
#include "planner/evidence/host_evidence.h"
#include "planner/evidence/nccl_model.h"
#include "planner/evidence/software_timing.h"
#include "planner/evidence/step_intervals.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/scenario.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One collective library: its cost model, and what was measured of it.
struct CollectiveLibrary {
    NcclModel model;
    CorrectionTable corrections;
};

/// What a time forecast needs in addition to the scenario: loaded once, for any scenario.
struct TimingProfiles {
    CollectiveLibrary nccl;
    CollectiveLibrary rccl;
    std::vector<CollectiveLibrary> others;  ///< of other devices, which their models name
    std::map<std::string, SoftwareTiming, std::less<>> software;
    StepIntervals intervals;
    HostProfile host;

    /// One that lists the architecture, else the vendor's.
    [[nodiscard]] const CollectiveLibrary& libraryOf(const GpuSpec& gpu) const;
    /// What a stack's software (softwareName) adds on devices of this architecture, where a file
    /// name has it ("torch-eager-on-cpu"), else on any; nullptr if there is neither.
    [[nodiscard]] const SoftwareTiming* softwareOf(std::string_view name, const GpuSpec& gpu) const;
    /// That of the model's own code (modelCodeName) where a file has it, else of its kind.
    [[nodiscard]] const SoftwareTiming* softwareOf(const Settings& settings,
                                                   const GpuSpec& gpu) const;
};

/// One training step, from the kernels of every operation, the calls that the stack makes, and its
/// order of microbatches.
///     FABRICAST_ASSIGN(const StepEstimate estimate, estimateStep(scenario, profiles));
Result<StepEstimate> estimateStep(const Scenario& scenario, const TimingProfiles& profiles);

/// Computes a step time: by formulas, or by simulation. Thread-safe.
using StepModel =
    std::function<Result<StepEstimate>(const Scenario& scenario, const TimingProfiles& profiles)>;

/// What a forecast of the step rests on, from the coarsest to the finest: whose software, and what
/// kind of model. StepIntervals has the uncertainty of each class.
///     "all/transformer-engine/dense"
std::string evidenceClass(const Scenario& scenario);

}  // namespace fabricast
