#pragma once
#include "planner/base/result.h"
#include "planner/schedule/framework_order.h"

#include <string>

namespace fabricast {

// What each framework makes of a request, and what it refuses, a file each.
Result<FrameworkOrder> torchOrder(const ScheduleRequest& request);
Result<FrameworkOrder> megatronOrder(const ScheduleRequest& request);
Result<FrameworkOrder> deepspeedOrder(const ScheduleRequest& request);
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
