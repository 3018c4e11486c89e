#pragma once
#include "planner/spec/settings.h"

#include <string>

namespace fabricast {

/// What a report says of the time that a second model takes; empty without one.
std::string referenceTimeNote(const Settings& settings);

}  // namespace fabricast
