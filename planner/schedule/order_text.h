#pragma once
#include "planner/result/stage_action.h"

#include <string>

namespace fabricast {

/// "3F0"; F forward, B backward, I input gradient, W weight gradient.
std::string actionText(const StageAction& action);

/// Every action of a rank, with a space between them and "&" inside a pair: "0F0 0F1 0F2&1B0".
std::string actionsText(const StageActions& actions);

}  // namespace fabricast
