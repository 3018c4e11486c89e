#pragma once
#include "planner/base/result.h"

#include <string>

namespace fabricast {

/// The path of a probe program: in `folder` if that is given, else beside the running program, in
/// ../probes from there (a build folder), or on PATH.
Result<std::string> findProbe(const std::string& name, const std::string& folder);

}  // namespace fabricast
