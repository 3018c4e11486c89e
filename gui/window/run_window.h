#pragma once
#include "gui/window/window_arguments.h"

namespace fabricast {

/// Exit codes, as those of the command line.
enum class WindowExit { Ok = 0, BadInput = 2, Environment = 4 };

/// The window of a study until it is closed, or its picture. Errors go to standard error.
WindowExit runWindow(const WindowArguments& arguments);

}  // namespace fabricast
