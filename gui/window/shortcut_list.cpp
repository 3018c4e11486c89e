#include "gui/window/shortcut_list.h"

#include "gui/pages/table_view.h"

#include <QAction>
#include <QVBoxLayout>
#include <array>

namespace fabricast {
namespace {

struct OtherKey {
    const char* keys;
    const char* what;
};
constexpr std::array kOtherKeys = {
    OtherKey{"Ctrl+Tab", "To the next page, from one page; with Shift to the one before"},
    OtherKey{"Ctrl+Backspace", "In the scenario: back to auto, or to the profile's value"},
    OtherKey{"Shift+F10", "The menu of a control or a table: several values, sort, columns"},
    OtherKey{"Arrow keys", "In a chart: to the next point, part or span"},
    OtherKey{"Enter", "In a chart: choose it (as A; with Shift as B)"},
    OtherKey{"F", "In a chart: show all"},
    OtherKey{"B", "Layouts: from one point to another, filter what is between them"},
    OtherKey{"W, S, A, D", "In the timeline: nearer, farther, left, right"},
    OtherKey{"Esc", "Close a list or a formula"}};

}  // namespace

Table shortcutTable(const std::vector<QAction*>& actions) {
    Table table{{{"Key"}, {"What it does"}}, {}};
    for (const QAction* action : actions) {
        if (!action->shortcut().isEmpty()) {
            table.rows.push_back(
                {QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText)
                     .toStdString(),
                 QString(action->text()).remove('&').toStdString()});
        }
    }
    for (const OtherKey& key : kOtherKeys) {
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
