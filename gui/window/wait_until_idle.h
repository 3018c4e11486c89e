#pragma once
#include "planner/base/result.h"

#include <string>

namespace fabricast {

class MainWindow;

/// Until all that a window asked is answered and shown; an error of the flag that waits after two
/// minutes.
Result<void> waitUntilIdle(const MainWindow& window, const std::string& flag);

}  // namespace fabricast
