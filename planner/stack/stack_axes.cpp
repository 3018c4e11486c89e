#include "planner/spec/names.h"
#include "planner/stack/stack.h"

#include <algorithm>

namespace fabricast {
namespace {

template <class T>
bool contains(std::span<const T> values, T value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

template <class T>
std::string listed(std::span<const T> values) {
    std::string text;
    for (const T value : values) {
        text += (text.empty() ? "" : ", ") + std::string(nameOf(value));
    }
    return text;
}

struct Axis {
    std::string_view key;
    std::int64_t size;
    bool supported;
};

Result<void> checkSizes(std::string_view stack, const StackAxes& axes, const Layout& layout) {
    const Axis sizes[] = {{"tp", layout.tp, axes.tensor},
                          {"sp", layout.sp ? 2 : 1, axes.sequence},
                          {"pp", layout.pp, axes.pipeline},
                          {"vpp", layout.vpp, axes.virtualPipeline},
                          {"cp", layout.cp, !axes.context.empty()},
                          {"ep", layout.ep, axes.expert},
                          {"etp", layout.etp, axes.expertTensor}};
    for (const Axis& axis : sizes) {
        const std::string key = "layout." + std::string(axis.key);
        if (axis.size < 1) {
            return fail(Error::Code::BadInput,
                        key,
                        std::to_string(axis.size) + " is not a size; the smallest is 1");
        }
        if (axis.size > 1 && !axis.supported) {
            return fail(Error::Code::Unsupported,
                        key,
                        std::string(stack) + " has no " + std::string(axis.key),
                        "leave " + std::string(axis.key) + " out, or choose another stack");
        }
    }
    return {};
}

template <class T>
Result<void> checkChoice(std::string_view stack,
                         std::string_view key,
                         T value,
                         std::span<const T> choices) {
    if (contains(choices, value)) {
        return {};
    }
    const std::string hint = choices.empty() ? "leave it out" : "one of: " + listed(choices);
    return fail(Error::Code::Unsupported,
                "layout." + std::string(key),
                std::string(stack) + " does not support " + std::string(key) + "=" +
                    std::string(nameOf(value)),
                hint);
}

}  // namespace

LayoutDefaults layoutDefaults(const Stack& stack, const Layout& given) {
    LayoutDefaults answer;
    answer.shard = stack.axes.shards.front();
    if (!stack.axes.context.empty()) {
        answer.cpKind = stack.axes.context.front();
    }
    if (given.vpp > 1) {
        answer.schedule = ScheduleKind::Interleaved;
    } else if (given.pp > 1 && !stack.axes.schedules.empty()) {
        answer.schedule = stack.axes.schedules.front();
    }
    // torchtitan: enable_sequence_parallel is true; Megatron: a flag of its own.
    answer.sp = stack.name == "torchtitan" && given.tp > 1;
    // Megatron: --expert-tensor-parallel-size follows tp unless it is set.
    answer.etp = stack.axes.expertTensor ? given.tp : 1;
    return answer;
}

Result<void> checkAxes(std::string_view stack, const StackAxes& axes, const Layout& layout) {
    if (auto sizes = checkSizes(stack, axes, layout); !sizes) {
        return sizes;
    }
    if (auto shard = checkChoice(stack, "shard", layout.shard, axes.shards); !shard) {
        return shard;
    }
    if (layout.cp > 1) {
        if (auto kind = checkChoice(stack, "cp_kind", layout.cpKind, axes.context); !kind) {
            return kind;
        }
    }
    if (layout.pp > 1 && layout.schedule != ScheduleKind::None) {
        if (auto kind = checkChoice(stack, "schedule", layout.schedule, axes.schedules); !kind) {
            return kind;
        }
    }
    if (layout.offload != Offload::None) {
        return checkChoice(stack, "offload", layout.offload, axes.offloads);
    }
    return {};
}

}  // namespace fabricast
