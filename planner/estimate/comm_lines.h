#pragma once
#include "planner/estimate/comm_clock.h"
#include "planner/estimate/data_parallel_time.h"
#include "planner/estimate/stage_time.h"
#include "planner/result/step_estimate.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// The slowest stage, and what transfers between stages add to the step.
struct DecidingStage {
    std::size_t stage = 0;
    const StageTime* time = nullptr;
    double exchange = 0.0;
};

/// The stage whose transfers end last.
struct EndingStage {
    std::size_t stage = 0;
    const StageTime* time = nullptr;
    StageTail tail;
};

/// Every kind of call of a step, with what it takes and what it adds: calls for every microbatch
/// from the deciding stage, calls once a step from the ending one. Calls over one rank are left
/// out.
std::vector<CommLine> commLines(CommClock& clock,
                                const DecidingStage& deciding,
                                const EndingStage& ending);

}  // namespace fabricast
