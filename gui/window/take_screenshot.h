#pragma once
#include "gui/window/window_arguments.h"
#include "planner/base/result.h"

namespace fabricast {

class MainWindow;

/// A PNG of the window on a page, once its answers are there; an error where the window has no room
/// in the size.
Result<void> takeScreenshot(MainWindow& window, const Screenshot& wanted, const QSize& size);

}  // namespace fabricast
