#pragma once
#include "planner/base/result.h"
#include "planner/memory/program/engine.h"
#include "planner/memory/program/stage_program.h"
#include "planner/spec/scenario.h"

#include <memory>

namespace fabricast {

/// DeepSpeed's optimizer wrapper for a scenario, chosen as deepspeed.initialize chooses it: by ZeRO
/// stage, types of parameters and sums, optimizer and offload. `rank` is among the replicas.
Result<std::unique_ptr<ParallelEngine>> makeDeepSpeed(const Scenario& scenario,
                                                      Device& device,
                                                      const StageProgram& program,
                                                      std::int64_t rank);

}  // namespace fabricast
