#pragma once
#include "gui/window/window_arguments.h"
#include "planner/base/result.h"

namespace fabricast {

class MainWindow;

/// A PNG of the window on a page, once its answers are there.
Result<void> takeScreenshot(MainWindow& window, const Screenshot& wanted);

}  // namespace fabricast
