#pragma once
#include <vector>

class QAction;

namespace fabricast {

class MainWindow;

/// Fills the menu bar, and returns all that it can do.
std::vector<QAction*> addMenus(MainWindow& window);

}  // namespace fabricast
