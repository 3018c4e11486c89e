#pragma once
#include "planner/base/result.h"

#include <string>

namespace fabricast {

/// "1%", "1 %" or "0.01" typed behind a flag, as a share from 0 to 1.
Result<double> percentOf(const std::string& typed, const std::string& flag);
/// The same of a share that is not nothing.
Result<double> percentAbove0(const std::string& typed, const std::string& flag);

}  // namespace fabricast
