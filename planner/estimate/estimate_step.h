#pragma once
#include "planner/base/result.h"
#include "planner/comm/collective_correction.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/host_profile.h"
#include "planner/spec/nccl_model.h"
#include "planner/spec/scenario.h"
#include "planner/spec/software_timing.h"
#include "planner/spec/step_intervals.h"

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

/// What a forecast of time needs besides the scenario: loaded once, for any scenario.
struct TimingProfiles {
    CollectiveLibrary nccl;
    CollectiveLibrary rccl;
    std::vector<CollectiveLibrary> others;  ///< of other devices, which their models name
    std::map<std::string, SoftwareTiming, std::less<>> software;
    StepIntervals intervals;
    HostProfile host;

    /// One that knows the architecture by its name, else the vendor's.
    [[nodiscard]] const CollectiveLibrary& libraryOf(const GpuSpec& gpu) const;
    /// What a stack's software (softwareName) adds on devices of this architecture, where a file
    /// says so ("torch-eager-on-cpu"), else on any; nullptr where there is neither.
    [[nodiscard]] const SoftwareTiming* softwareOf(std::string_view name, const GpuSpec& gpu) const;
};

/// One training step, from the kernels of every operation, the calls that the stack makes, and its
/// order of microbatches.
///     FABRICAST_ASSIGN(const StepEstimate estimate, estimateStep(scenario, profiles));
Result<StepEstimate> estimateStep(const Scenario& scenario, const TimingProfiles& profiles);

}  // namespace fabricast
