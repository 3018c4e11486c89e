#include "cli/plan_moves.h"

#include "planner/load/load_search.h"
#include "planner/spec/names.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricast {
namespace {

using Moves = std::vector<PlanMove>;

PlanMove settingMove(FixGroup group,
                     int effort,
                     const std::vector<std::string>& sets,
                     const std::string& sideEffect) {
    std::vector<TypedFlag> typed;
    for (const std::string& set : sets) {
        const std::size_t equals = set.find('=');
        typed.push_back({"--set " + set.substr(0, equals) + "=", set.substr(equals + 1)});
    }
    const auto apply = [sets](PlanFlags&, GlobalOptions& options) {
        options.sets.insert(options.sets.end(), sets.begin(), sets.end());
    };
    return {group, effort, sets.front(), typed, sideEffect, apply};
}

/// A flag said anew: of the same kind are all values of the same flag.
PlanMove flagMove(FixGroup group,
                  int effort,
                  const std::string& flag,
                  std::optional<std::string> ScenarioFlags::*member,
                  const std::string& value,
                  const std::string& sideEffect) {
    const auto apply = [member, value](PlanFlags& flags, GlobalOptions&) {
        flags.scenario.*member = value;
    };
    return {group, effort, flag, {{flag + " ", value}}, sideEffect, apply};
}

bool hasStack(const PlanQuestion& question, std::string_view name) {
    return std::ranges::any_of(
        question.task.stacks, [name](const StackSettings& one) { return one.stack->name == name; });
}

/// What the question itself rules out.
void addFreedom(const PlanFlags& flags, const PlanQuestion& question, Moves& moves) {
    for (const std::string& key : question.task.rules.fixed.said) {
        moves.push_back(
            {FixGroup::Free,
             1,
             "free " + key,
             {{"without " + key, " held"}},
             key + " is searched",
             [key](PlanFlags& changed, GlobalOptions&) { changed.freed.push_back(key); }});
    }
    for (const std::string& rule : flags.forbidden) {
        moves.push_back(
            {FixGroup::Free,
             1,
             "forbid " + rule,
             {{"without --forbid ", rule}},
             "it is searched",
             [rule](PlanFlags& changed, GlobalOptions&) { std::erase(changed.forbidden, rule); }});
    }
    if (question.task.base.cluster.nodes > 1 && !question.task.rules.tensorAcrossNodes) {
        moves.push_back({FixGroup::Free,
                         2,
                         "allow",
                         {{"--allow ", "tp_across_nodes"}},
                         "tensor parallelism over the network",
                         [](PlanFlags& changed, GlobalOptions&) {
                             changed.allowed.emplace_back("tp_across_nodes");
                         }});
    }
    for (const std::string_view name : usualStacks()) {
        if (hasStack(question, name)) {
            continue;
        }
        const std::string stack(name);
        moves.push_back(
            {FixGroup::Free,
             3,
             "stack",
             {{"--stack ", stack}},
             "another training software",
             [stack](PlanFlags& changed, GlobalOptions&) { changed.stacks = {stack}; }});
    }
}

void addSettings(const PlanQuestion& question, Moves& moves) {
    const bool onlyMegatron = question.task.stacks.size() == 1 && hasStack(question, "megatron");
    if (!onlyMegatron) {
        moves.push_back(settingMove(FixGroup::Free,
                                    0,
                                    {"settings.kernels.compile=true"},
                                    "minutes of compilation before the first step"));
    }
    if (hasStack(question, "megatron")) {
        moves.push_back(settingMove(FixGroup::Free,
                                    0,
                                    {"settings.megatron.overlap_grad_reduce=true",
                                     "settings.megatron.overlap_param_gather=true"},
                                    "none that is measured"));
        moves.push_back(settingMove(FixGroup::Free,
                                    0,
                                    {"settings.megatron.tensor_overlap=true"},
                                    "user buffers in GPU memory"));
    }
    if (hasStack(question, "torchtitan")) {
        moves.push_back(settingMove(
            FixGroup::Free, 0, {"settings.kernels.loss=chunked"}, "none that is measured"));
    }
}

void addWorkload(const PlanQuestion& question, Moves& moves) {
    const Scenario& base = question.task.base;
    const WorkloadSpec& workload = base.workload;
    constexpr const char* kBatch = "another batch: other learning rate and convergence";
    const auto batch = [&](int effort, std::int64_t samples) {
        moves.push_back(flagMove(FixGroup::Workload,
                                 effort,
                                 "--global-batch",
                                 &ScenarioFlags::globalBatch,
                                 std::to_string(samples),
                                 kBatch));
    };
    batch(1, workload.globalBatch * 2);
    batch(2, workload.globalBatch * 4);
    if (workload.globalBatch % 2 == 0) {
        batch(1, workload.globalBatch / 2);
    }
    constexpr std::int64_t kShortest = 1024;
    if (workload.sequence % 2 == 0 && workload.sequence / 2 >= kShortest) {
        moves.push_back(flagMove(FixGroup::Workload,
                                 3,
                                 "--seq",
                                 &ScenarioFlags::sequence,
                                 std::to_string(workload.sequence / 2),
                                 "shorter texts: the model learns no longer ones"));
    }
    const auto& peaks = base.cluster.node.gpu.densePeak;
    const auto precision = [&](const char* type, const char* name) {
        const auto peak = peaks.find(type);
        if (peak != peaks.end() && peak->second.value) {
            moves.push_back(flagMove(FixGroup::Workload,
                                     1,
                                     "--precision",
                                     &ScenarioFlags::precision,
                                     name,
                                     "fewer bits in products: check the loss"));
        }
    };
    precision("fp8", "fp8_tensorwise");
    precision("fp4", "mxfp8");
    moves.push_back(flagMove(FixGroup::Workload,
                             1,
                             "--optimizer",
                             &ScenarioFlags::optimizer,
                             "adamw_8bit",
                             "moments in 8 bits: check convergence"));
    moves.push_back(
        settingMove(FixGroup::Workload, 4, {"settings.tuning=lora"}, "only adapters are trained"));
}

void addNodes(const PlanQuestion& question, Moves& moves) {
    const ClusterSpec& cluster = question.task.base.cluster;
    for (const std::int64_t factor : {2, 4, 8}) {
        const std::string nodes = std::to_string(cluster.nodes * factor);
        moves.push_back({FixGroup::Buy,
                         static_cast<int>(factor),
                         "nodes",
                         {{"-n ", nodes}},
                         std::to_string(factor) + " times the hardware",
                         [nodes](PlanFlags& changed, GlobalOptions&) {
                             changed.scenario.gpus.reset();
                             changed.scenario.nodes = nodes;
                         }});
    }
}

double peakOf(const GpuSpec& gpu) {
    const auto peak = gpu.densePeak.find("bf16");
    return peak == gpu.densePeak.end() || !peak->second.value ? 0.0 : peak->second.value->count();
}

double memoryOf(const GpuSpec& gpu) {
    return gpu.capacity().value ? static_cast<double>(gpu.capacity().value->count()) : 0.0;
}

/// As many GPUs of each better kind, the nearest first.
void addClusters(const PlanQuestion& question, const ProfileStore& profiles, Moves& moves) {
    constexpr int kMost = 4;
    constexpr int kLeastEffort = 3;
    const ClusterSpec& now = question.task.base.cluster;
    std::map<std::pair<double, std::string>, std::string> better;  // by peak and GPU
    for (const ProfileFile& file : profiles.files(ProfileKind::Cluster)) {
        const auto cluster = profiles.cluster(file.name);
        if (!cluster || cluster->node.gpus != now.node.gpus || !cluster->node.gpu.kernels) {
            continue;
        }
        const GpuSpec& gpu = cluster->node.gpu;
        const bool same = gpu.vendor == now.node.gpu.vendor && gpu.name != now.node.gpu.name;
        if (same && peakOf(gpu) >= peakOf(now.node.gpu) &&
            memoryOf(gpu) >= memoryOf(now.node.gpu)) {
            better.emplace(std::pair(peakOf(gpu), gpu.name), file.name);
        }
    }
    const std::string nodes = std::to_string(now.nodes);
    int effort = kLeastEffort;
    for (const auto& [key, name] : better) {
        if (effort == kLeastEffort + kMost) {
            break;
        }
        const std::string cluster = name;
        moves.push_back({FixGroup::Buy,
                         effort++,
                         "cluster",
                         {{"-c ", cluster}, {"-n ", nodes}},
                         "other GPUs: " + key.second,
                         [cluster, nodes](PlanFlags& changed, GlobalOptions&) {
                             changed.scenario.gpu.reset();
                             changed.scenario.gpusPerNode.reset();
                             changed.scenario.gpus.reset();
                             changed.scenario.cluster = cluster;
                             changed.scenario.nodes = nodes;
                         }});
    }
}

/// Networks of the next speeds, one of each.
void addFabrics(const PlanQuestion& question, const ProfileStore& profiles, Moves& moves) {
    const ClusterSpec& now = question.task.base.cluster;
    if (now.nodes < 2 || !now.node.nicBandwidth.value) {
        return;
    }
    std::map<double, std::string> faster;
    for (const ProfileFile& file : profiles.files(ProfileKind::Fabric)) {
        const auto fabric = profiles.fabric(file.name);
        if (fabric && !fabric->perNode && fabric->kind == now.fabric.kind &&
            fabric->linkBandwidth.value &&
            *fabric->linkBandwidth.value > *now.node.nicBandwidth.value) {
            faster.emplace(fabric->linkBandwidth.value->count(), file.name);
        }
    }
    int effort = 1;
    for (const auto& [rate, name] : faster) {
        PlanMove move = settingMove(
            FixGroup::Buy, effort++, {"cluster.fabric=" + name}, "other NICs and switches");
        move.kind = "fabric";
        moves.push_back(std::move(move));
    }
}

}  // namespace

std::string typedText(const std::vector<const PlanMove*>& moves) {
    std::vector<TypedFlag> flags;
    for (const PlanMove* move : moves) {
        for (const TypedFlag& typed : move->typed) {
            const auto before = std::ranges::find(flags, typed.flag, &TypedFlag::flag);
            if (before == flags.end()) {
                flags.push_back(typed);
            } else {
                before->value = typed.value;
            }
        }
    }
    std::string text;
    for (const TypedFlag& typed : flags) {
        text += (text.empty() ? "" : " ") + typed.flag + typed.value;
    }
    return text;
}

std::vector<PlanMove> planMoves(const PlanFlags& flags,
                                const PlanQuestion& question,
                                const ProfileStore& profiles) {
    Moves moves;
    addSettings(question, moves);
    addFreedom(flags, question, moves);
    addWorkload(question, moves);
    addClusters(question, profiles, moves);
    addNodes(question, moves);
    addFabrics(question, profiles, moves);
    return moves;
}

}  // namespace fabricast
