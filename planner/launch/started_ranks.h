#pragma once
#include "planner/base/result.h"
#include "planner/launch/scenario_draft.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace fabricast {

/// How many ranks a script starts on all nodes, and which of its words says so.
struct StartedRanks {
    std::int64_t count = 0;
    std::string_view from;
};

/// By the arguments of torchrun, Accelerate, DeepSpeed, mpirun or Slurm, and the #SBATCH lines;
/// nothing where they leave it to others.
Result<std::optional<StartedRanks>> startedRanks(ScenarioDraft& draft);

}  // namespace fabricast
