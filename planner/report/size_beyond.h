#pragma once
#include "planner/result/size_answer.h"

#include <string>

namespace fabricast {

/// Where no cluster will do: what comes nearest to each target, why nothing fits, and what would.
std::string sizeBeyondText(const SizeAnswer& answer);

}  // namespace fabricast
