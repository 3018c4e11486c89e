#include "planner/stack/stack.h"

#include "planner/base/nearest_name.h"
#include "planner/spec/names.h"
#include "planner/spec/peft_targets.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"

#include <algorithm>
#include <array>
#include <vector>

namespace fabricast {

namespace {

struct Alias {
    std::string_view name;
    std::string_view stack;
};
constexpr std::array kAliases = {Alias{"megatron-bridge", "nemo"},
                                 Alias{"megatron-lm", "megatron"},
                                 Alias{"megatron-core", "megatron"},
                                 Alias{"fsdp", "fsdp2"},
                                 Alias{"titan", "torchtitan"},
                                 Alias{"trainer", "accelerate"}};

std::string_view withoutAlias(std::string_view name) {
    for (const Alias& alias : kAliases) {
        if (alias.name == name) {
            return alias.stack;
        }
    }
    return name;
}

struct UsedAxis {
    std::string_view key;
    bool used;
    bool supported;
};

template <class T>
Result<void> checkChoice(std::string_view stack,
                         std::string_view key,
                         T value,
                         std::span<const T> choices) {
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) {
        return {};
    }
    std::string known;
    for (const T choice : choices) {
        known += (known.empty() ? "one of: " : ", ") + std::string(nameOf(choice));
    }
    return lacks("layout." + std::string(key),
                 std::string(stack) + " does not support " + std::string(key) + "=" +
                     std::string(nameOf(value)),
                 known.empty() ? "leave it out" : known);
}

/// Megatron, where it is a flag of its own, trains no experts under tp without it.
bool splitsSequence(const Stack& stack, const Layout& given) {
    return stack.axes.sequenceWithTensor || (stack.axes.sequence && given.ep > 1);
}

/// Words for a stack that are those of several, or of a program that runs one.
struct OtherWord {
    std::string_view word;
    std::string_view hint;
};
constexpr std::string_view kLlamaFactory =
    "--stack accelerate: its own files are not read, --tuning, --layout and --set say what they do";
constexpr std::array kOtherWords = {
    OtherWord{"fsdp", "--stack fsdp2 (fully_shard), or fsdp1 (FullyShardedDataParallel)"},
    OtherWord{"pytorch", "--stack ddp, or fsdp2"},
    OtherWord{"torch", "--stack ddp, or fsdp2"},
    OtherWord{"torchtune", "--stack fsdp2; its configs are read: fabricast explain config.yaml"},
    OtherWord{"ds", "--stack deepspeed"},
    OtherWord{"zero", "--stack deepspeed --layout shard=zero3"},
    OtherWord{"zero1", "--stack deepspeed --layout shard=zero1"},
    OtherWord{"zero2", "--stack deepspeed --layout shard=zero2"},
    OtherWord{"zero3", "--stack deepspeed --layout shard=zero3"},
    OtherWord{"hf", "--stack accelerate"},
    OtherWord{"transformers", "--stack accelerate"},
    OtherWord{"trl", "--stack accelerate"},
    OtherWord{"llama-factory", kLlamaFactory},
    OtherWord{"llamafactory", kLlamaFactory},
    OtherWord{"unsloth", "--stack accelerate; its scripts are read: fabricast explain train.py"}};

/// Whatever the case.
std::string_view hintFor(std::string_view name) {
    const auto* const found = std::ranges::find_if(kOtherWords, [name](const OtherWord& one) {
        return one.word.size() == name.size() && editDistance(one.word, name) == 0;
    });
    return found == kOtherWords.end() ? "" : found->hint;
}

bool hasSeveralChunks(ScheduleKind schedule) {
    switch (schedule) {
        case ScheduleKind::Interleaved:
        case ScheduleKind::LoopedBfs:
        case ScheduleKind::InterleavedZb:
        case ScheduleKind::ZbV:
        case ScheduleKind::DualPipeV:
            return true;
        default:
            return false;
    }
}

}  // namespace

std::span<const Stack> allStacks() {
    static const std::array stacks = {ddpStack(),
                                      fsdp1Stack(),
                                      fsdp2Stack(),
                                      deepspeedStack(),
                                      megatronStack(),
                                      megatronFsdpStack(),
                                      nemoStack(),
                                      torchtitanStack(),
                                      accelerateStack(),
                                      axolotlStack()};
    return stacks;
}

Result<const Stack*> findStack(std::string_view name) {
    const std::span<const Stack> all = allStacks();
    const auto found = std::ranges::find(all, withoutAlias(name), &Stack::name);
    if (found != all.end()) {
        return &*found;
    }
    std::vector<std::string_view> known;
    for (const Stack& stack : all) {
        known.push_back(stack.name);
    }
    const std::string_view hint = hintFor(name);
    return fail(Error::Code::NotFound,
                "stack",
                "unknown stack \"" + std::string(name) + "\"",
                hint.empty() ? suggestName(name, known) : std::string(hint));
}

Settings defaultSettings(const Stack& stack,
                         const ModelSpec& model,
                         const Layout& layout,
                         Tuning tuning) {
    Settings settings = stack.defaults(layout, tuning);
    settings.tuning = tuning;
    if (tuning == Tuning::Lora) {
        settings.lora.targets = usualTargets(model);
    }
    if (settings.engine == Engine::Megatron && layout.pp > 1) {
        settings.pipeline = megatronPipeline(model, layout);
    }
    if (stack.deriveSettings != nullptr) {
        stack.deriveSettings(model, layout, settings);
    }
    return settings;
}

RecomputeSettings recomputeFor(const Stack& stack, RecomputeSettings typed) {
    const auto kinds = stack.methods.recompute;
    const bool byModule =
        std::find(kinds.begin(), kinds.end(), Checkpointing::Modules) != kinds.end();
    if (typed.kind == Checkpointing::Selective && byModule) {
        return {.kind = Checkpointing::Modules, .modules = {"core_attn"}};
    }
    return typed;
}

RankOrder rankOrderOf(const Stack& stack, const Layout& layout) {
    return {.pipelineInside = layout.placement == RankPlacement::PpInside,
            .experts = stack.experts};
}

Shard usualShard(const Stack& stack, const Layout& layout) {
    return layout.pp > 1 ? stack.axes.stagesShard.value_or(stack.axes.shards.front())
                         : stack.axes.shards.front();
}

LayoutDefaults layoutDefaults(const Stack& stack, const Layout& given) {
    LayoutDefaults answer;
    answer.shard = usualShard(stack, given);
    if (given.cp > 1 && !stack.axes.context.empty()) {
        answer.cpKind = stack.axes.context.front();
    }
    if (given.vpp > 1) {
        answer.schedule = ScheduleKind::Interleaved;
    } else if (given.pp > 1 && !stack.axes.schedules.empty()) {
        answer.schedule = stack.axes.schedules.front();
    }
    // torchtitan: a schedule of several stages per rank has two unless layers_per_stage is set.
    answer.vpp = given.pp > 1 && hasSeveralChunks(given.schedule) ? 2 : 1;
    answer.sp = given.tp > 1 && splitsSequence(stack, given);
    // Megatron: --expert-tensor-parallel-size follows tp unless it is set.
    answer.etp = stack.axes.expertTensor ? given.tp : 1;
    return answer;
}

namespace {

std::array<UsedAxis, 7> usedAxes(const StackAxes& axes, const Layout& layout) {
    return {{{"tp", layout.tp > 1, axes.tensor},
             {"sp", layout.sp, axes.sequence},
             {"pp", layout.pp > 1, axes.pipeline},
             {"vpp", layout.vpp > 1, axes.virtualPipeline},
             {"cp", layout.cp > 1, !axes.context.empty()},
             {"ep", layout.ep > 1, axes.expert},
             {"etp", layout.etp > 1, axes.expertTensor}}};
}

/// ": --stack megatron, megatron-fsdp, …", those that have the axis.
std::string stacksWith(const Layout& layout, std::size_t axis) {
    std::string names;
    for (const Stack& one : allStacks()) {
        if (usedAxes(one.axes, layout)[axis].supported) {
            names += (names.empty() ? ": --stack " : ", ") + std::string(one.name);
        }
    }
    return names;
}

}  // namespace

Result<void> checkAxes(std::string_view stack, const StackAxes& axes, const Layout& layout) {
    const auto used = usedAxes(axes, layout);
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i].used && !used[i].supported) {
            return lacks("layout." + std::string(used[i].key),
                         std::string(stack) + " has no " + std::string(used[i].key),
                         "leave " + std::string(used[i].key) + " out, or choose another stack" +
                             stacksWith(layout, i));
        }
    }
    FABRICAST_TRY(checkChoice(stack, "shard", layout.shard, axes.shards));
    if (layout.cp > 1) {
        FABRICAST_TRY(checkChoice(stack, "cp_kind", layout.cpKind, axes.context));
    }
    if (layout.pp > 1 && layout.schedule != ScheduleKind::None) {
        FABRICAST_TRY(checkChoice(stack, "schedule", layout.schedule, axes.schedules));
    }
    if (layout.offload != Offload::None) {
        FABRICAST_TRY(checkChoice(stack, "offload", layout.offload, axes.offloads));
        if (axes.checkOffload != nullptr) {
            FABRICAST_TRY(axes.checkOffload(layout.shard, layout.offload));
        }
    }
    if (layout.placement != RankPlacement::DpInside) {
        FABRICAST_TRY(checkChoice(stack, "placement", layout.placement, axes.placements));
    }
    return {};
}

}  // namespace fabricast
