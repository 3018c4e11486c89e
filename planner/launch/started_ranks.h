#pragma once
#include "planner/base/result.h"
#include "planner/launch/scenario_draft.h"
#include "planner/launch/shell_words.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// What Slurm sets in a job, by the option that says it.
struct SlurmVariable {
    std::string_view name;
    std::string_view option;
};
inline constexpr std::array kSlurmVariables = {
    SlurmVariable{"SLURM_NNODES", "--nodes"},
    SlurmVariable{"SLURM_JOB_NUM_NODES", "--nodes"},
    SlurmVariable{"SLURM_NTASKS", "--ntasks"},
    SlurmVariable{"SLURM_NPROCS", "--ntasks"},
    SlurmVariable{"SLURM_NTASKS_PER_NODE", "--ntasks-per-node"},
    SlurmVariable{"SLURM_GPUS_PER_NODE", "--gpus-per-node"},
    SlurmVariable{"SLURM_GPUS_ON_NODE", "--gpus-per-node"},
    SlurmVariable{"SLURM_GPUS_ON_NODE", "--gres"},
    SlurmVariable{"SLURM_GPUS", "--gpus"},
    SlurmVariable{"SLURM_CPUS_PER_TASK", "--cpus-per-task"}};

/// What each task of srun has a value of its own of: in the shell of the job all are 0.
inline constexpr std::array<std::string_view, 3> kTaskVariables = {
    "SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID"};

/// Slurm's options by their long names: "-N4" is "--nodes=4".
ShellCommand slurmWords(ShellCommand words);

/// A whole number of 1 or more, as Slurm's options have it.
bool isSlurmCount(const std::string& text);

/// What of it the words of a job's #SBATCH lines say:
///     slurmVariables({{"--nodes=4"}, {"--gres=gpu:a100:8"}})
///         →  SLURM_NNODES=4, SLURM_JOB_NUM_NODES=4, SLURM_GPUS_ON_NODE=8
std::vector<std::pair<std::string, std::string>> slurmVariables(const ShellCommand& batch);

}  // namespace fabricast
