#pragma once
#include "planner/memory/stage_boundary.h"
#include "planner/spec/scenario.h"

#include <memory>

namespace fabricast {

/// What the stack's pipeline runtime holds of the tensors between stages.
std::unique_ptr<StageBoundary> makeBoundary(const Scenario& scenario,
                                            Device& device,
                                            const StageProgram& program,
                                            const PipelineOrder& order,
                                            std::int64_t stage);

}  // namespace fabricast
