#pragma once
#include "planner/report/table.h"

#include <QDialog>
#include <vector>

class QAction;

namespace fabricast {

/// A row per key of the window and of its charts.
Table shortcutTable(const std::vector<QAction*>& actions);

/// This lists the keys.
class ShortcutList final : public QDialog {
    Q_OBJECT

public:
    ShortcutList(const std::vector<QAction*>& actions, QWidget* parent);
};

}  // namespace fabricast
