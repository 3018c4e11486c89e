#pragma once
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// A run's layout as it is printed, and as --layout reads it back: the keys that differ from 1,
/// none and off, and those that are so where the stack's default is another.
std::string layoutWords(const Scenario& scenario);

}  // namespace fabricast
