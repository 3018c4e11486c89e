#pragma once
#include "planner/memory/engines/megatron/megatron_engine.h"
#include "planner/memory/program/ordered_stages.h"
#include "planner/memory/program/stage_program.h"
#include "planner/sharding/stage_shape.h"

namespace fabricast {

/// What one rank of a pipeline stage holds: every model chunk has its own buffers, and experts
/// spread by expert parallelism have buffers apart, cut over the expert-data-parallel group.
MegatronStates megatronStates(const StageShape& stage,
                              const StageProgram& program,
                              const StageRank& where);

}  // namespace fabricast
