#pragma once
#include "planner/base/result.h"
#include "planner/memory/program/engine.h"
#include "planner/memory/program/ordered_stages.h"
#include "planner/memory/program/stage_boundary.h"
#include "planner/memory/program/stage_program.h"
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

/// DeepSpeed's optimizer wrapper for a scenario, chosen as deepspeed.initialize chooses it: by ZeRO
/// stage, types of parameters and sums, optimizer and offload. `rank` is among the replicas.
Result<std::unique_ptr<ParallelEngine>> makeDeepSpeed(const Scenario& scenario,
                                                      Device& device,
                                                      const StageProgram& program,
                                                      std::int64_t rank);

/// The engine that a scenario's settings name, for one rank of a pipeline stage.
Result<std::unique_ptr<ParallelEngine>> makeEngine(const Scenario& scenario,
                                                   Device& device,
                                                   const StageProgram& program,
                                                   const StageRank& where);

}  // namespace fabricast
