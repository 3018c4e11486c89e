#pragma once
#include "planner/base/result.h"
#include "planner/spec/settings.h"

#include <string>

namespace fabricast {

/// What a report says of the time that a second model takes; empty without one.
std::string referenceTimeNote(const Settings& settings);

/// Refuses a step with the forward of a second model that has another size, or other products.
Result<void> checkReferenceTime(const Settings& settings);

}  // namespace fabricast
