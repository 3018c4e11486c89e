#include "planner/spec/names.h"
#include "planner/stack/rules.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

struct Axis {
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

/// torchtitan's enable_sequence_parallel is true, NeMo's recipes set it with tp, and Megatron,
/// where it is a flag of its own, trains no experts under tp without it.
bool splitsSequence(const Stack& stack, const Layout& given) {
    const bool megatron = stack.axes.sequence;
    return stack.name == "torchtitan" || stack.name == "nemo" || (megatron && given.ep > 1);
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

LayoutDefaults layoutDefaults(const Stack& stack, const Layout& given) {
    LayoutDefaults answer;
    answer.shard = stack.axes.shards.front();
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

Result<void> checkAxes(std::string_view stack, const StackAxes& axes, const Layout& layout) {
    const auto used = std::to_array<Axis>({{"tp", layout.tp > 1, axes.tensor},
                                           {"sp", layout.sp, axes.sequence},
                                           {"pp", layout.pp > 1, axes.pipeline},
                                           {"vpp", layout.vpp > 1, axes.virtualPipeline},
                                           {"cp", layout.cp > 1, !axes.context.empty()},
                                           {"ep", layout.ep > 1, axes.expert},
                                           {"etp", layout.etp > 1, axes.expertTensor}});
    for (const Axis& axis : used) {
        if (axis.used && !axis.supported) {
            return lacks("layout." + std::string(axis.key),
                         std::string(stack) + " has no " + std::string(axis.key),
                         "leave " + std::string(axis.key) + " out, or choose another stack");
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
