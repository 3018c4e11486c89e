#pragma once
#include "planner/base/result.h"
#include "planner/launch/scenario_draft.h"

#include <cstdint>
#include <optional>
#include <string>
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

/// Where the files say on how many nodes so many ranks are: how many each has of them, which may
/// be fewer than it has GPUs.
Result<void> noteRanksOfNode(ScenarioDraft& draft, std::int64_t ranks);

/// Which key says that python alone starts the script: one process, whatever GPUs there are.
/// Empty where it does not.
std::string oneProcessOf(const LaunchKeys& keys);

/// So many have samples of their own. Where DeepSpeed's sizes of batches are for another number, it
/// is an error at these, as it is to DeepSpeed.
Result<void> setDataRanks(ScenarioDraft& draft, std::int64_t count, std::string_view from);
/// The same of a scenario that came before.
Result<void> checkDataRanks(const JsonValue& scenario, std::int64_t count);

}  // namespace fabricast
