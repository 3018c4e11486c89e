#pragma once
#include "planner/base/result.h"
#include "planner/estimate/estimate_step.h"
#include "planner/estimate/sent_bytes.h"
#include "planner/estimate/stage_time.h"
#include "planner/spec/scenario.h"
#include "planner/spec/software_timing.h"

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
Result<StepPieces> stepPieces(const Scenario& scenario, const TimingProfiles& profiles);

}  // namespace fabricast
