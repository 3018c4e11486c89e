#pragma once
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// A layout as --layout takes it, with the keys that the stack would fill in differently.
std::string typedLayout(const Scenario& scenario);

}  // namespace fabricast
