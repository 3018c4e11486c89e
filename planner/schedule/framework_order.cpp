#include "planner/schedule/framework_order.h"

#include "planner/schedule/framework_rules.h"

namespace fabricast {

Result<Framework> frameworkOf(std::string_view stack) {
    struct Runs {
        std::string_view stack;
        Framework framework;
    };
    constexpr auto kRuns = std::to_array<Runs>({{"megatron", Framework::Megatron},
                                                {"nemo", Framework::Megatron},
                                                {"torchtitan", Framework::Torch},
                                                {"torch", Framework::Torch},
                                                {"deepspeed", Framework::DeepSpeed},
                                                {"paper", Framework::Paper}});
    for (const Runs& runs : kRuns) {
        if (runs.stack == stack) {
            return runs.framework;
        }
    }
    return fail(Error::Code::Unsupported,
                "stack",
                std::string(stack) + " has no pipeline schedules",
                "megatron, nemo, torchtitan, torch, deepspeed, or paper");
}

std::string nearestMultiples(std::int64_t count, std::int64_t group) {
    const std::int64_t below = count / group * group;
    const std::string above = std::to_string(below + group);
    return below > 0 ? std::to_string(below) + " or " + above : above;
}

Result<FrameworkOrder> frameworkOrder(const ScheduleRequest& request) {
    switch (request.framework) {
        case Framework::Torch:
            return torchOrder(request);
        case Framework::Megatron:
            return megatronOrder(request);
        case Framework::DeepSpeed:
            return deepspeedOrder(request);
        case Framework::Paper:
            break;
    }
    return paperOrder(request);
}

}  // namespace fabricast
