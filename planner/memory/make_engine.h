#pragma once
#include "planner/base/result.h"
#include "planner/memory/program/engine.h"
#include "planner/memory/program/stage_program.h"
#include "planner/memory/program/stage_rank.h"
#include "planner/spec/scenario.h"

#include <memory>

namespace fabricast {

/// The engine that a scenario's settings name, for one rank of a pipeline stage.
Result<std::unique_ptr<ParallelEngine>> makeEngine(const Scenario& scenario,
                                                   Device& device,
                                                   const StageProgram& program,
                                                   const StageRank& where);

}  // namespace fabricast
