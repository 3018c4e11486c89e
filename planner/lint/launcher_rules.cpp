#include "planner/launch/allocator_options.h"
#include "planner/lint/lint_rule.h"

#include <algorithm>
#include <utility>

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

LintHits startedTwice(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t tasks = typedWhole(file, {"sbatch --ntasks-per-node"});
    if (!startsRanks(file) || tasks <= 1) {
        return {};
    }
    return {{file.at("sbatch --ntasks-per-node"),
             std::to_string(tasks) + " tasks a node, each of which starts " +
                 std::to_string(ranksEach(file)) + " ranks",
             "#SBATCH --ntasks-per-node=1"}};
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

LintHits unequalGpus(const LintView& view) {
    const LintFile& file = view.file;
    for (const char* const path : {"sbatch --gpus-per-node", "sbatch --gres"}) {
        const std::int64_t given = gpusOf(file.text(path));
        if (startsRanks(file) && given > 0 && given != ranksEach(file)) {
            return {{file.at(path),
                     "Slurm gives " + std::to_string(given) + " GPUs a node, torchrun starts " +
                         std::to_string(ranksEach(file)) + " ranks",
                     "as many ranks as GPUs"}};
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

LintHits nodesByArrival(const LintView& view) {
    const LintFile& file = view.file;
    const bool several = typedWhole(file, {"torchrun --nnodes", "sbatch --nodes"}) > 1;
    const bool says = file.has("torchrun --node_rank") || file.has("torchrun --node-rank") ||
                      file.has("torchrun --machine_rank");
    const std::string option = file.has("torchrun accelerate") ? "--machine_rank" : "--node-rank";
    const char* const path =
        file.has("torchrun --rdzv_backend") ? "torchrun --rdzv_backend" : "torchrun --rdzv-backend";
    if (!several || says || file.text(path) != "c10d") {
        return {};
    }
    return {{file.at(path),
             "nodes are numbered as they arrive",
             option + " $SLURM_NODEID, where neighbours are to be close in the network"}};
}

/// What is exported to find a fault, and costs time when it stays.
struct LeftOver {
    std::string_view name;
    std::string_view value;  ///< empty: any but 0
    std::string_view costs;
};
constexpr std::array kLeftOvers = {
    LeftOver{"NCCL_P2P_DISABLE", "1", "GPUs of a node talk through host memory"},
    LeftOver{"NCCL_IB_DISABLE", "1", "nodes talk through TCP instead of InfiniBand or RoCE"},
    LeftOver{"NCCL_SHM_DISABLE", "1", "GPUs without a direct path talk through the network"},
    LeftOver{"NCCL_NVLS_ENABLE", "0", "all-reduces do not use the switches of NVLink"},
    LeftOver{"NCCL_DEBUG", "TRACE", "each call is written to the log"},
    LeftOver{"CUDA_LAUNCH_BLOCKING", "1", "the host waits for every kernel"},
    LeftOver{"TORCH_NCCL_BLOCKING_WAIT", "1", "the host waits for every collective"},
    LeftOver{"NCCL_BLOCKING_WAIT", "1", "the host waits for every collective"},
    LeftOver{"TORCH_DISTRIBUTED_DEBUG", "DETAIL", "every collective is checked first"},
    LeftOver{"PYTORCH_NO_CUDA_MEMORY_CACHING", "", "every tensor is allocated by the driver"},
    LeftOver{"TORCH_USE_CUDA_DSA", "1", "kernels check themselves"},
    LeftOver{"NCCL_ALGO", "", "NCCL no longer chooses by size"},
    LeftOver{"NCCL_PROTO", "", "NCCL no longer chooses by size"}};

LintHits leftForDebugging(const LintView& view) {
    LintHits hits;
    for (const LeftOver& one : kLeftOvers) {
        const LaunchKey* const key = view.file.at("env " + std::string(one.name));
        if (key == nullptr || key->values.front().empty() ||
            (one.value.empty() ? key->values.front() == "0" : key->values.front() != one.value)) {
            continue;
        }
        hits.push_back(
            {key,
             std::string(one.name) + "=" + key->values.front() + ": " + std::string(one.costs),
             "leave it out once the fault is found"});
    }
    return hits;
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

/// Whether the program that a script starts sets the variable anew, before PyTorch looks at it.
bool isSetAnew(const LintView& view, const LaunchKey& key) {
    return std::ranges::any_of(view.files, [&](const LintFile& one) {
        const LaunchKey* const own = one.at("env " + variableName(key));
        return &one != &view.file && one.keys().source().ends_with(".py") && own != nullptr &&
               own->file.empty();
    });
}

LintHits refusedOptions(const LintView& view) {
    const LaunchKey* const key = allocatorVariable(view.file.keys());
    LintHits hits;
    if (key != nullptr && isSetAnew(view, *key)) {
        return hits;
    }
    for (const AllocatorOption& option :
         allocatorOptions(key == nullptr ? "" : key->values.front())) {
        if (std::string fix = mendedOption(option); !fix.empty()) {
            hits.push_back({.at = key,
                            .what = variableName(*key) + " has " +
                                    (option.text().empty() ? "an empty option" : option.text()),
                            .fix = std::move(fix)});
        }
    }
    return hits;
}

constexpr std::array kLauncherRules = {
    LintRule{"LN01",
             LintSeverity::Error,
             "torchrun started several times on a node",
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
             "nodes in the order of their arrival",
             "Pipeline stages and replicas may land far apart, differently in each run.",
             &nodesByArrival},
    LintRule{"LN06",
             LintSeverity::Warning,
             "a switch that was set to find a fault",
             "It stays after the fault was found, and costs time in every step.",
             &leftForDebugging},
    LintRule{"LN07",
             LintSeverity::Error,
             "fewer visible GPUs than ranks",
             "The last ranks find no device.",
             &oneThread},
    LintRule{"LN08",
             LintSeverity::Error,
             "an option of PyTorch's allocator that it refuses",
             "Each rank ends where it first asks for memory.",
             &refusedOptions}};

}  // namespace

std::span<const LintRule> launcherRules() {
    return kLauncherRules;
}

}  // namespace fabricast
