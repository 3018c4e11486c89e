#pragma once
#include "planner/base/result.h"
#include "planner/memory/engine.h"
#include "planner/memory/stage_program.h"
#include "planner/spec/scenario.h"

#include <memory>

namespace fabricast {

/// The engine that a scenario's settings name, for one pipeline stage. `rank` is a place among the
/// ranks that share the stage's parameters.
Result<std::unique_ptr<ParallelEngine>> makeEngine(const Scenario& scenario,
                                                   Device& device,
                                                   const StageProgram& program,
                                                   std::int64_t rank);

}  // namespace fabricast
