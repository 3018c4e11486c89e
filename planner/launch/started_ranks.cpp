#include "planner/launch/started_ranks.h"

#include "planner/base/checked.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace fabricast {
namespace {

using Count = std::optional<StartedRanks>;
using Options = std::vector<std::string_view>;

/// "--gres=gpu:a100:8" is no number, and its 8 are what the cluster has, too.
bool isPlainWhole(const LaunchKey& key) {
    return key.values.size() == 1 && !key.values.front().empty() &&
           key.values.front().find_first_not_of("0123456789") == std::string::npos;
}

/// The first of these options that is typed; a variable of Slurm is what the job's own lines say.
Result<Count> countOf(LaunchKeys& keys, const Options& options) {
    for (const std::string_view option : options) {
        const std::string typed = keys.text(option).value_or("");
        std::string_view from = option;
        for (const SlurmVariable& one : kSlurmVariables) {
            const std::string said = "sbatch " + std::string(one.option);
            const LaunchKey* const key =
                typed == "$" + std::string(one.name) ? keys.find(said) : nullptr;
            from = key != nullptr && isPlainWhole(*key) ? std::string_view(key->path) : from;
        }
        if (keys.text(from).value_or("").starts_with("$")) {
            continue;
        }
        FABRICAST_ASSIGN(const auto count, keys.whole(from));
        if (count && *count > 0) {
            return Count(StartedRanks{*count, from});
        }
        // DeepSpeed and Lightning say -1 for all that there are.
        if (count && (*count == 0 || from.starts_with("torchrun --nproc") ||
                      from.starts_with("torchrun --nnodes"))) {
            return keys.refuse(
                *keys.use(from), "must be 1 or more", "the number of GPUs or nodes that there are");
        }
    }
    return Count();
}

/// GPUs that DeepSpeed's launcher is told by name: "worker-0@worker-1:0,2" leaves worker-0's to it.
Count includedGpus(LaunchKeys& keys) {
    constexpr std::string_view kOption = "torchrun --include";
    const std::string typed = keys.text(kOption).value_or("");
    std::int64_t count = 0;
    std::size_t begin = 0;
    while (begin < typed.size()) {
        const std::size_t end = std::min(typed.find('@', begin), typed.size());
        const std::string node = typed.substr(begin, end - begin);
        const std::size_t colon = node.find(':');
        if (colon == std::string::npos || colon + 1 == node.size()) {
            return Count();
        }
        count += 1 + std::ranges::count(node, ',');
        begin = end + 1;
    }
    return count > 0 ? Count(StartedRanks{count, kOption}) : Count();
}

/// "--nproc-per-node gpu" and "auto" of torchrun: a rank on each GPU of a node.
const LaunchKey* rankOfEachGpu(LaunchKeys& keys) {
    for (const std::string_view option :
         {"torchrun --nproc-per-node", "torchrun --nproc_per_node"}) {
        const std::string typed = keys.text(option).value_or("");
        if (typed == "gpu" || typed == "auto") {
            return keys.use(option);
        }
    }
    return nullptr;
}

/// What Slurm gives each node: 8 of "--gpus-per-node=h100:8" or "--gres=gpu:8".
Count gpusBySlurm(LaunchKeys& keys) {
    for (const std::string_view option :
         {"srun --gpus-per-node", "sbatch --gpus-per-node", "srun --gres", "sbatch --gres"}) {
        const std::string typed = keys.text(option).value_or("");
        const std::string count = typed.substr(typed.rfind(':') + 1);
        const bool isOfGpus = option.ends_with("per-node") || typed.starts_with("gpu:");
        if (isOfGpus && isSlurmCount(count)) {
            return StartedRanks{std::stoll(count), option};
        }
    }
    return std::nullopt;
}

/// An option whose value is a variable that nothing here sets.
std::string unknownOf(LaunchKeys& keys, const Options& options) {
    for (const std::string_view option : options) {
        const std::string typed = keys.text(option).value_or("");
        if (typed.starts_with("$")) {
            return std::string(option.substr(option.find(' ') + 1)) + " " + typed;
        }
    }
    return "";
}

/// Whether a launcher starts the ranks of a node.
bool hasLauncher(const LaunchKeys& keys) {
    constexpr std::array<std::string_view, 6> kLaunchers = {"torchrun torchrun",
                                                            "torchrun accelerate",
                                                            "torchrun deepspeed",
                                                            "torchrun axolotl",
                                                            "torchrun torch.distributed.run",
                                                            "torchrun torch.distributed.launch"};
    return std::ranges::any_of(kLaunchers,
                               [&keys](std::string_view one) { return keys.find(one) != nullptr; });
}

/// Whether srun starts the script itself, and no launcher or shell that starts more ranks.
bool isStartedBySlurm(const LaunchKeys& keys) {
    return keys.has("srun srun") && !keys.has("srun bash") && !hasLauncher(keys);
}

/// Every task of Slurm is a rank.
Result<Count> slurmTasks(ScenarioDraft& draft, const Count& nodes) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const Count all, countOf(keys, {"srun --ntasks", "sbatch --ntasks"}));
    if (all) {
        return all;
    }
    FABRICAST_ASSIGN(const Count each,
                     countOf(keys, {"srun --ntasks-per-node", "sbatch --ntasks-per-node"}));
    if (each) {
        return Count(
            StartedRanks{saturatingProduct(each->count, nodes ? nodes->count : 1), each->from});
    }
    return Count();
}

}  // namespace

namespace {

Options nodeOptions() {
    return {"torchrun --nnodes",
            "torchrun --num_nodes",
            "srun --nodes",
            "sbatch --nodes",
            "Trainer.num_nodes"};
}

Result<Count> countedRanks(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const Options rankOptions = {"torchrun --nproc-per-node",
                                 "torchrun --nproc_per_node",
                                 "torchrun --num_gpus",
                                 "Trainer.devices"};
    FABRICAST_ASSIGN(const Count all, countOf(keys, {"torchrun --num_processes", "mpirun -np"}));
    if (all) {
        return all;
    }
    if (const Count included = includedGpus(keys)) {
        return included;
    }
    FABRICAST_ASSIGN(const Count nodes, countOf(keys, nodeOptions()));
    const std::string unknown = unknownOf(keys, nodeOptions());
    if (!unknown.empty() && !nodes) {
        draft.assume("cluster.nodes", unknown + " is not known: -n says how many");
        return Count();
    }
    const LaunchKey* const ofEachGpu = rankOfEachGpu(keys);
    const Count given = ofEachGpu != nullptr ? gpusBySlurm(keys) : std::nullopt;
    if (ofEachGpu != nullptr && !given && (!nodes || nodes->count == 1)) {
        draft.note(keys.where(*ofEachGpu) + ": " + ofEachGpu->values.front() +
                   " starts a rank on each GPU of a node: the cluster says how many");
        return Count();
    }
    FABRICAST_ASSIGN(const Count each,
                     ofEachGpu != nullptr ? Result<Count>(given) : countOf(keys, rankOptions));
    if (each) {
        return Count(StartedRanks{saturatingProduct(each->count, nodes ? nodes->count : 1),
                                  nodes ? nodes->from : each->from});
    }
    if (!unknownOf(keys, rankOptions).empty()) {
        draft.note("the ranks of a node are not known: the cluster says how many");
        return Count();
    }
    const bool bySlurm = isStartedBySlurm(keys);
    FABRICAST_ASSIGN(const Count tasks,
                     bySlurm ? slurmTasks(draft, nodes) : Result<Count>(Count()));
    const bool isTyped = nodes && (bySlurm || nodes->from.starts_with("torchrun "));
    if (!tasks && isTyped && nodes->count > 1) {
        draft.note(keys.where(*keys.use(nodes->from)) + ": " + std::to_string(nodes->count) +
                   " nodes, and nothing says how many ranks each has: -n " +
                   std::to_string(nodes->count) + " takes all GPUs of as many nodes");
    }
    return tasks;
}

}  // namespace

Result<void> noteRanksOfNode(ScenarioDraft& draft, std::int64_t ranks) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(Count nodes, countOf(keys, {"torchrun --num_machines", "num_machines"}));
    if (!nodes) {
        FABRICAST_ASSIGN(nodes, countOf(keys, nodeOptions()));
    }
    if (nodes && nodes->count > 1 && ranks % nodes->count == 0) {
        draft.set("imported.per_node", ranks / nodes->count, nodes->from);
    }
    return {};
}

Result<std::optional<StartedRanks>> startedRanks(ScenarioDraft& draft) {
    FABRICAST_ASSIGN(const Count ranks, countedRanks(draft));
    if (ranks) {
        FABRICAST_TRY(noteRanksOfNode(draft, ranks->count));
    }
    return ranks;
}

std::string oneProcessOf(const LaunchKeys& keys) {
    if (hasLauncher(keys) || keys.has("srun srun") || keys.has("mpirun -np")) {
        return "";
    }
    for (const LaunchKey& key : keys.all()) {
        const bool isPython = key.path == "torchrun python" || key.path == "torchrun python3" ||
                              key.path.ends_with("/python") || key.path.ends_with("/python3");
        if (isPython && key.path.starts_with("torchrun ")) {
            return key.path;
        }
    }
    return "";
}

Result<void> checkDataRanks(const JsonValue& scenario, std::int64_t count) {
    const JsonValue* const layout = scenario.find("layout");
    const JsonValue* const said = layout == nullptr ? nullptr : layout->find("dp");
    if (said == nullptr || said->integer({}).value_or(count) == count) {
        return {};
    }
    return fail(Error::Code::BadInput,
                said->where(),
                "train_batch_size is micro-batch x gradient_accumulation_steps x " + said->shown() +
                    " ranks, and " + std::to_string(count) +
                    " with samples of their own are started: DeepSpeed ends at that",
                "leave one of the three out: DeepSpeed works it out");
}

Result<void> setDataRanks(ScenarioDraft& draft, std::int64_t count, std::string_view from) {
    FABRICAST_TRY(checkDataRanks(draft.scenario(), count));
    draft.set("layout.dp", count, from);
    return {};
}

}  // namespace fabricast
