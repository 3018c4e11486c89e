#include "planner/lint/lint_rule.h"

#include <algorithm>

namespace fabricast {
namespace {

std::int64_t typedWhole(const LintFile& file, std::initializer_list<const char*> paths) {
    for (const char* const path : paths) {
        if (file.has(path)) {
            return file.whole(path, 0);
        }
    }
    return 0;
}

std::int64_t ranksEach(const LintFile& file) {
    return typedWhole(file, {"torchrun --nproc_per_node", "torchrun --nproc-per-node"});
}

bool startsRanks(const LintFile& file) {
    return ranksEach(file) > 0;
}

/// A launcher that starts the ranks of its node, as it is typed; empty where there is none.
std::string launcherOfRanks(const LintFile& file) {
    for (const char* const one : {"torchrun", "accelerate", "torch.distributed.run"}) {
        if (file.has(std::string("torchrun ") + one)) {
            return one == std::string_view("accelerate") ? "accelerate launch" : one;
        }
    }
    return startsRanks(file) ? "torchrun" : "";
}

LintHits startedTwice(const LintView& view) {
    const LintFile& file = view.file;
    const bool bySteps = file.has("srun --ntasks-per-node");
    const char* const path = bySteps ? "srun --ntasks-per-node" : "sbatch --ntasks-per-node";
    const std::int64_t tasks = typedWhole(file, {path});
    const std::string launcher = launcherOfRanks(file);
    if (launcher.empty() || tasks <= 1 || file.has("srun --ntasks")) {
        return {};
    }
    return {{file.at(path),
             std::to_string(tasks) + " tasks a node, each of which starts " +
                 (startsRanks(file) ? std::to_string(ranksEach(file)) + " ranks"
                                    : "the ranks of " + launcher),
             bySteps ? "--ntasks-per-node=1" : "#SBATCH --ntasks-per-node=1"}};
}

/// A job script runs on the first of its nodes alone.
LintHits startedOnce(const LintView& view) {
    const LintFile& file = view.file;
    constexpr std::array<std::string_view, 6> kStarters = {"torchrun srun",
                                                           "torchrun ssh",
                                                           "torchrun pdsh",
                                                           "torchrun clush",
                                                           "torchrun mpirun",
                                                           "torchrun mpiexec"};
    const std::int64_t nodes = typedWhole(file, {"sbatch --nodes"});
    const std::string launcher = launcherOfRanks(file);
    const auto all = file.keys().all();
    const bool isStarted = std::ranges::any_of(all, [&](const LaunchKey& key) {
        return key.path.starts_with("srun ") || key.path.starts_with("mpirun ") ||
               std::ranges::find(kStarters, key.path) != kStarters.end();
    });
    if (nodes <= 1 || launcher.empty() || isStarted) {
        return {};
    }
    const char* const path =
        launcher == "accelerate launch" ? "torchrun accelerate" : "torchrun torchrun";
    return {{file.has(path) ? file.at(path) : file.at("sbatch --nodes"),
             launcher + " without srun in a job of " + std::to_string(nodes) + " nodes",
             "srun " + launcher + ", once on each node"}};
}

/// Nodes that a launcher waits for; several where it or Slurm says so.
bool hasSeveralNodes(const LintFile& file) {
    return typedWhole(file, {"torchrun --nnodes", "torchrun --num_machines", "sbatch --nodes"}) > 1;
}

/// The rendezvous that numbers nodes itself, and leaves what is typed of a rank out; null: none.
const LaunchKey* ownNumbering(const LintFile& file) {
    for (const char* const path : {"torchrun --rdzv_backend", "torchrun --rdzv-backend"}) {
        if (file.has(path) && file.text(path) != "static") {
            return file.at(path);
        }
    }
    return nullptr;
}

const LaunchKey* typedRank(const LintFile& file) {
    for (const char* const path :
         {"torchrun --node_rank", "torchrun --node-rank", "torchrun --machine_rank"}) {
        if (const LaunchKey* const key = file.at(path)) {
            return key;
        }
    }
    return nullptr;
}

LintHits sameRank(const LintView& view) {
    const LintFile& file = view.file;
    const bool isJob = file.has("srun srun") || file.has("srun bash");
    const LaunchKey* const key = typedRank(file);
    if (!isJob || !hasSeveralNodes(file) || ownNumbering(file) != nullptr || key == nullptr ||
        !numberOf(*key)) {
        return {};
    }
    const std::string option = key->path.substr(9);
    return {{key,
             "every node has " + option + " " + key->values.front() +
                 ", which is $SLURM_NODEID and $SLURM_PROCID in the shell of the job, too",
             "srun bash -c '… " + option +
                 " $SLURM_NODEID …': between these quotes each node puts in its own"}};
}

/// Without a launcher the ranks are what the environment says.
LintHits sameRankOfTasks(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t nodes = std::max<std::int64_t>(typedWhole(file, {"sbatch --nodes"}), 1);
    const std::int64_t each =
        std::max<std::int64_t>(typedWhole(file, {"sbatch --ntasks-per-node"}), 1);
    const LaunchKey* const key = file.at("env RANK");
    if (!file.has("srun srun") || !launcherOfRanks(file).empty() || nodes * each <= 1 ||
        key == nullptr || !numberOf(*key)) {
        return {};
    }
    return {
        {key,
         "every task has RANK " + key->values.front() +
             ", which is $SLURM_PROCID in the shell of the job, too",
         "srun bash -c 'RANK=$SLURM_PROCID …': between these quotes each task puts in its own"}};
}

LintHits sameRanks(const LintView& view) {
    LintHits hits = sameRank(view);
    const LintHits tasks = sameRankOfTasks(view);
    hits.insert(hits.end(), tasks.begin(), tasks.end());
    return hits;
}

/// torchtitan's degrees are looked at by a rule of their own.
LintHits unaskedRanks(const LintView& view) {
    const LintFile& file = view.file;
    const std::optional<std::int64_t> started = view.started();
    if (!started || !view.facts.gpus || *started == *view.facts.gpus ||
        view.other(LaunchKind::Titan) != nullptr) {
        return {};
    }
    static constexpr std::array<const char*, 7> kRanks = {"torchrun --nnodes",
                                                          "sbatch --nodes",
                                                          "torchrun --num_processes",
                                                          "num_processes",
                                                          "torchrun --nproc_per_node",
                                                          "torchrun --nproc-per-node",
                                                          "mpirun -np"};
    const auto says = [](const LintFile& one) {
        return std::ranges::any_of(kRanks, [&one](const char* path) { return one.has(path); });
    };
    if (&*std::ranges::find_if(view.files, says) != &file) {
        return {};  // said once
    }
    for (const char* const path : kRanks) {
        if (file.has(path)) {
            return {{file.at(path),
                     std::to_string(*started) + " ranks start, and " +
                         std::to_string(*view.facts.gpus) + " GPUs are asked about",
                     "leave -n and --gpus out, or start " + std::to_string(*view.facts.gpus) +
                         " ranks"}};
        }
    }
    return {};
}

LintHits localHost(const LintView& view) {
    const LintFile& file = view.file;
    for (const char* const path : {"torchrun --master_addr",
                                   "torchrun --master-addr",
                                   "torchrun --rdzv_endpoint",
                                   "torchrun --rdzv-endpoint",
                                   "torchrun --main_process_ip"}) {
        const std::string host = file.text(path).substr(0, file.text(path).find(':'));
        if (hasSeveralNodes(file) && (host == "localhost" || host == "127.0.0.1")) {
            return {{file.at(path),
                     std::string(path).substr(9) + " " + file.text(path) + " on several nodes",
                     "the name of the first node there, as MASTER_ADDR=$(scontrol show hostnames "
                     "\"$SLURM_JOB_NODELIST\" | head -n 1) of Slurm"}};
        }
    }
    return {};
}

LintHits unequalNodes(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t asked = typedWhole(file, {"sbatch --nodes"});
    const std::int64_t started = typedWhole(file, {"torchrun --nnodes"});
    if (asked <= 0 || started <= 0 || asked == started) {
        return {};
    }
    return {{file.at("sbatch --nodes"),
             "Slurm gives " + std::to_string(asked) + " nodes, torchrun waits for " +
                 std::to_string(started),
             "--nnodes $SLURM_NNODES"}};
}

/// "gpu:h100:8" and "8" as 8.
std::int64_t gpusOf(const std::string& text) {
    const std::string number = text.substr(text.find_last_of(':') + 1);
    const bool isNumber = !number.empty() && number.size() < 6 &&
                          number.find_first_not_of("0123456789") == std::string::npos;
    return isNumber ? std::stoll(number) : 0;
}

/// Ranks that Slurm itself starts on each node, where no launcher does; 0 where that is not said.
std::int64_t tasksEach(const LintFile& file) {
    const bool isRank = file.has("srun srun") && !file.has("srun bash") &&
                        !file.has("srun --ntasks") && launcherOfRanks(file).empty();
    return isRank ? typedWhole(file, {"srun --ntasks-per-node", "sbatch --ntasks-per-node"}) : 0;
}

LintHits unequalGpus(const LintView& view) {
    const LintFile& file = view.file;
    const bool byLauncher = startsRanks(file);
    const std::int64_t ranks = byLauncher ? ranksEach(file) : tasksEach(file);
    for (const char* const path : {"sbatch --gpus-per-node", "sbatch --gres"}) {
        const std::int64_t given = gpusOf(file.text(path));
        if (ranks > 0 && given > 0 && given != ranks) {
            return {{file.at(path),
                     "Slurm gives " + std::to_string(given) + " GPUs a node, and " +
                         (byLauncher ? "torchrun starts " : "srun starts ") +
                         std::to_string(ranks) + " ranks there",
                     byLauncher
                         ? "as many ranks as GPUs"
                         : "as many tasks as GPUs, --ntasks-per-node=" + std::to_string(given)}};
        }
    }
    return {};
}

LintHits standsAlone(const LintView& view) {
    const LintFile& file = view.file;
    return file.has("torchrun --standalone") && typedWhole(file, {"torchrun --nnodes"}) > 1
               ? LintHits{{file.at("torchrun --standalone"),
                           "--standalone with --nnodes " + file.text("torchrun --nnodes"),
                           "leave --standalone out, --rdzv-backend c10d --rdzv-endpoint "
                           "$HOST:29500"}}
               : LintHits{};
}

/// PyTorch sorts the nodes that met by their names, and no rank that is typed changes that.
LintHits nodesByName(const LintView& view) {
    const LintFile& file = view.file;
    const LaunchKey* const backend = ownNumbering(file);
    if (typedWhole(file, {"torchrun --nnodes", "sbatch --nodes"}) <= 1 || backend == nullptr) {
        return {};
    }
    const LaunchKey* const typed = typedRank(file);
    const bool isAccelerate = file.has("torchrun accelerate");
    const std::string rank = isAccelerate ? "--machine_rank" : "--node-rank";
    const std::string sorted =
        backend->values.front() + " numbers nodes by their names as texts, n10 before n2";
    return {{typed == nullptr ? backend : typed,
             typed == nullptr ? sorted : typed->path.substr(9) + " does nothing: " + sorted,
             (isAccelerate ? "--rdzv_backend static with " : "--rdzv-backend static with ") + rank +
                 " $SLURM_NODEID, in srun bash -c '…', where neighbours are to be close in the "
                 "network"}};
}

LintHits oneThread(const LintView& view) {
    const LaunchKey* const key = view.file.at("env CUDA_VISIBLE_DEVICES");
    if (key == nullptr || !startsRanks(view.file) || key->values.front().starts_with("$")) {
        return {};
    }
    const auto given = 1 + std::ranges::count(key->values.front(), ',');
    if (given >= ranksEach(view.file)) {
        return {};
    }
    return {{key,
             std::to_string(given) + " GPUs are visible, " + std::to_string(ranksEach(view.file)) +
                 " ranks start on a node",
             "as many ranks as GPUs"}};
}

constexpr std::array kLauncherRules = {
    LintRule{"LN01",
             LintSeverity::Error,
             "a launcher that is started several times on a node",
             "Ranks are counted twice: they wait for each other's ports, or share GPUs.",
             &startedTwice},
    LintRule{"LN02",
             LintSeverity::Error,
             "other nodes than torchrun waits for",
             "The start waits for nodes that never join.",
             &unequalNodes},
    LintRule{"LN03",
             LintSeverity::Error,
             "other GPUs than ranks",
             "Ranks without a GPU fail, or GPUs stay idle.",
             &unequalGpus},
    LintRule{"LN04",
             LintSeverity::Error,
             "--standalone on several nodes",
             "Each node starts a run of its own.",
             &standsAlone},
    LintRule{"LN05",
             LintSeverity::Note,
             "nodes in the order of their names",
             "Pipeline stages and replicas may land far apart, in another order than Slurm's.",
             &nodesByName},
    LintRule{"LN07",
             LintSeverity::Error,
             "fewer visible GPUs than ranks",
             "The last ranks find no device.",
             &oneThread},
    LintRule{"LN09",
             LintSeverity::Error,
             "a job of several nodes that starts on one",
             "A job script runs on its first node: the launcher waits for the others, and hangs.",
             &startedOnce},
    // What an environment says in place of a usual value is not known here.,
    LintRule{"LN10",
             LintSeverity::Warning,
             "nodes of the same rank",
             "Where the environment says no other, each is the same one: the start hangs, or ends.",
             &sameRanks},
    LintRule{"LN11",
             LintSeverity::Warning,
             "a meeting point that is each node itself",
             "Where the environment says no other, all look for the first one at home: the start "
             "hangs.",
             &localHost},
    LintRule{"LN12",
             LintSeverity::Warning,
             "other ranks than those that are asked about",
             "The forecast is of a run that this file does not start.",
             &unaskedRanks}};

}  // namespace

std::span<const LintRule> launcherRules() {
    return kLauncherRules;
}

}  // namespace fabricast
