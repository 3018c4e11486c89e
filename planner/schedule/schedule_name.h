#pragma once
#include "planner/base/result.h"
#include "planner/spec/layout.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fabricast {

/// A schedule as it is typed.
struct ScheduleName {
    std::string_view name;    ///< ours: "zbv"
    std::string_view class_;  ///< as the frameworks' code says it: "ZBVZeroBubble"
    ScheduleKind schedule;
    bool expertOverlap = false;
    std::int64_t usualChunks = 1;  ///< stages per rank when nothing is said
};

/// By our name or a framework's, upper or lower case, with or without hyphens.
Result<ScheduleName> findSchedule(std::string_view typed);

/// Our names, in the order of the documentation.
std::vector<std::string_view> scheduleNames();

}  // namespace fabricast
