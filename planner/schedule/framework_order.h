#pragma once
#include "planner/base/result.h"
#include "planner/schedule/order_kind.h"
#include "planner/spec/layout.h"

#include <string>
#include <string_view>

namespace fabricast {

/// Whose code makes the order: it decides group sizes, and what is refused. `Paper` takes what the
/// schedule's own paper allows.
enum class Framework : std::uint8_t { Paper, Torch, Megatron, DeepSpeed };

/// The framework behind a stack ("nemo" runs Megatron's), or an error: the others have no pipeline.
Result<Framework> frameworkOf(std::string_view stack);

struct ScheduleRequest {
    Framework framework = Framework::Paper;
    ScheduleKind schedule = ScheduleKind::OneFOneB;
    bool expertOverlap = false;  ///< Megatron: overlap_moe_expert_parallel_comm
    PipelineShape shape;
};

struct FrameworkOrder {
    OrderKind kind = OrderKind::OneFOneB;
    PipelineShape shape;  ///< the request's, with the framework's group size
};

/// Which order a framework runs for a schedule. What it refuses is an error whose `why` is the
/// framework's own: "ValueError: Number of microbatches (3) must be …".
Result<FrameworkOrder> frameworkOrder(const ScheduleRequest& request);

// What the others make of a request, and what they refuse, a file each.
Result<FrameworkOrder> torchOrder(const ScheduleRequest& request);
Result<FrameworkOrder> paperOrder(const ScheduleRequest& request);

/// An exception of the framework, as a user finds it in the log.
inline tl::unexpected<Error> raises(const std::string& exception,
                                    const std::string& message,
                                    std::string hint) {
    return fail(Error::Code::BadInput, "schedule", exception + ": " + message, std::move(hint));
}

/// "4 or 8": the nearest numbers of microbatches that a group size divides.
std::string nearestMultiples(std::int64_t count, std::int64_t group);

}  // namespace fabricast
