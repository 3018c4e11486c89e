#pragma once
#include "planner/memory/megatron_engine.h"
#include "planner/memory/stage_program.h"
#include "planner/memory/stage_rank.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What one rank of a pipeline stage holds: every model chunk has its own buffers, and experts
/// spread by expert parallelism have buffers apart, cut over the expert-data-parallel group.
MegatronStates megatronStates(const Scenario& scenario,
                              const StageProgram& program,
                              const StageRank& where);

}  // namespace fabricast
