#pragma once
#include "planner/base/result.h"
#include "planner/measured/measurements.h"
#include "planner/text/json_document.h"

namespace fabricast {

/// An error where a line of a record is none that a probe writes: it contradicts itself (a median
/// that its samples do not have), or has a setting, a type or a unit that no probe has. Such a line
/// is damaged or was edited, and its point would become a number of a profile.
Result<void> checkRecordedPoint(const JsonValue& line, const RecordedPoint& point);

}  // namespace fabricast
