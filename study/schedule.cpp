#include "study/schedule.h"

#include "planner/schedule/framework_order.h"
#include "planner/schedule/order_kind.h"
#include "planner/stack/stack.h"

#include <string>
#include <utility>

namespace fabricast {
namespace {

/// torch and the papers are no stacks of their own, but have schedules.
Result<std::string> stackNamed(const std::string& typed) {
    if (typed == "torch" || typed == "paper") {
        return typed;
    }
    FABRICAST_ASSIGN(const Stack* stack, findStack(typed));
    return std::string(stack->name);
}

}  // namespace

Result<PipelineTimeline> schedule(const ScheduleAsk& ask) {
    FABRICAST_ASSIGN(const ScheduleName name, findSchedule(ask.name));
    FABRICAST_ASSIGN(const std::string stack, stackNamed(ask.stack));
    FABRICAST_ASSIGN(const Framework framework, frameworkOf(stack));
    PipelineShape shape = ask.shape;
    shape.chunks = shape.chunks > 0 ? shape.chunks : name.usualChunks;
    if (shape.group > 0 && name.schedule != ScheduleKind::Interleaved &&
        name.schedule != ScheduleKind::InterleavedZb) {
        return fail(Error::Code::BadInput,
                    "group",
                    std::string(name.name) + " has no groups of microbatches",
                    "leave it out");
    }
    const bool isMegatron = framework == Framework::Megatron;
    if (isMegatron && shape.group == 0 && name.schedule == ScheduleKind::Interleaved) {
        shape.group = shape.ranks;  // Megatron's default
    }
    FABRICAST_ASSIGN(const FrameworkOrder order,
                     frameworkOrder({.framework = framework,
                                     .schedule = name.schedule,
                                     .expertOverlap = name.expertOverlap,
                                     .shape = shape}));
    FABRICAST_ASSIGN(PipelineTimeline timeline, drawTimeline(order, ask.settings));
    timeline.schedule = name.name;
    timeline.framework = stack;
    return timeline;
}

}  // namespace fabricast
