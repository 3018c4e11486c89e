#pragma once
#include "planner/base/result.h"

#include <string>

namespace fabricast {

/// A TCP port of this host that nobody listens on now.
Result<std::string> freePort();

}  // namespace fabricast
