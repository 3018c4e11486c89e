#pragma once
#include "planner/launch/shell_words.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

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

/// What of it the words of a job's #SBATCH lines say:
///     slurmVariables({{"--nodes=4"}, {"--gres=gpu:a100:8"}})
///         →  SLURM_NNODES=4, SLURM_JOB_NUM_NODES=4, SLURM_GPUS_ON_NODE=8
std::vector<std::pair<std::string, std::string>> slurmVariables(const ShellCommand& batch);

}  // namespace fabricast
