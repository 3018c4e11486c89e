#pragma once
#include "planner/memory/program/stage_boundary.h"
#include "planner/spec/scenario.h"

#include <memory>
#include <vector>

namespace fabricast {

/// What the stack's pipeline runtime holds of the tensors between stages. `orders`: what every
/// stage runs, where that is not what `pipelineOrder` says.
std::unique_ptr<StageBoundary> makeBoundary(const Scenario& scenario,
                                            Device& device,
                                            const StageProgram& program,
                                            const PipelineOrder& order,
                                            std::int64_t stage,
                                            const std::vector<PipelineOrder>* orders = nullptr);

}  // namespace fabricast
