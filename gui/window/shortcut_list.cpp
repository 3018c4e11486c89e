#include "gui/window/shortcut_list.h"

#include "gui/pages/table_view.h"

#include <QAction>
#include <QVBoxLayout>
#include <array>

namespace fabricast {
namespace {

struct ChartKey {
    const char* keys;
    const char* what;
};
constexpr std::array kChartKeys = {
    ChartKey{"Arrow keys", "In a chart: to the next point, part or span"},
    ChartKey{"Enter", "In a chart: choose it (as A; with Shift as B)"},
    ChartKey{"F", "In a chart: show all"},
    ChartKey{"B", "Layouts: from one point to another, filter what is between them"},
    ChartKey{"W, S, A, D", "In the timeline: nearer, farther, left, right"},
    ChartKey{"Esc", "Close a list or a formula"}};

}  // namespace

Table shortcutTable(const std::vector<QAction*>& actions) {
    Table table{{{"Key"}, {"What it does"}}, {}};
    for (const QAction* action : actions) {
        if (!action->shortcut().isEmpty()) {
            table.rows.push_back(
                {action->shortcut().toString(QKeySequence::NativeText).toStdString(),
                 QString(action->text()).remove('&').toStdString()});
        }
    }
    for (const ChartKey& key : kChartKeys) {
        table.rows.push_back({key.keys, key.what});
    }
    return table;
}

ShortcutList::ShortcutList(const std::vector<QAction*>& actions, QWidget* parent)
    : QDialog(parent) {
    setObjectName("shortcuts");
    setWindowTitle("Keys");
    auto* column = new QVBoxLayout(this);
    auto* table = new ReportTableView("shortcuts.table");
    table->setTable(shortcutTable(actions));
    table->setAccessibleName("Keys and what they do");
    column->addWidget(table);
    resize(520, 560);
}

}  // namespace fabricast
