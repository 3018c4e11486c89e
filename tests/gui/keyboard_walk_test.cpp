// The whole window without a mouse: Tab reaches everything that can be used, and one sees where.
#include "gui/charts/plot_widget.h"
#include "gui/pages/table_view.h"
#include "tests/gui/used_window.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QHeaderView>
#include <QImage>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPointer>
#include <QScrollBar>
#include <QStyleOptionHeader>
#include <QTabBar>
#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace fabricast {
namespace {

bool isUsed(const QWidget& widget) {
    return qobject_cast<const QAbstractButton*>(&widget) != nullptr ||
           qobject_cast<const QAbstractItemView*>(&widget) != nullptr ||
           qobject_cast<const QAbstractSlider*>(&widget) != nullptr ||
           qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
           qobject_cast<const QComboBox*>(&widget) != nullptr ||
           qobject_cast<const QLineEdit*>(&widget) != nullptr ||
           qobject_cast<const QPlainTextEdit*>(&widget) != nullptr ||
           qobject_cast<const QTabBar*>(&widget) != nullptr ||
           qobject_cast<const PlotWidget*>(&widget) != nullptr;
}

/// A part of another widget, which has its keys: a scroll bar, the line of a spin box.
bool isPart(const QWidget& widget) {
    if (qobject_cast<const QScrollBar*>(&widget) != nullptr ||
        qobject_cast<const QHeaderView*>(&widget) != nullptr) {
        return true;
    }
    const QWidget* owner = widget.parentWidget();
    for (; owner != nullptr; owner = owner->parentWidget()) {
        if (qobject_cast<const QAbstractSpinBox*>(owner) != nullptr ||
            qobject_cast<const QComboBox*>(owner) != nullptr ||
            qobject_cast<const QLineEdit*>(owner) != nullptr ||
            qobject_cast<const QTabBar*>(owner) != nullptr ||
            qobject_cast<const QAbstractItemView*>(owner) != nullptr) {
            return true;
        }
    }
    return false;
}

std::string wordsFor(const QWidget& widget) {
    std::string words = widget.metaObject()->className();
    for (const QWidget* one = &widget; one != nullptr; one = one->parentWidget()) {
        words += " " + one->objectName().toStdString();
    }
    return words;
}

/// Ctrl+Backspace resets a control, Ctrl+B hides the scenario, arrows go over what is found.
bool hasKeysOfItsOwn(const QWidget& widget) {
    return widget.objectName().startsWith("reset.") ||
           widget.objectName() == "qt_dockwidget_closebutton" ||
           widget.objectName() == "palette.found";
}

/// What Tab goes to, from wherever it is until it is there again.
std::set<QWidget*> tabStops() {
    std::set<QWidget*> stops;
    constexpr int kMost = 200;
    for (int step = 0; step < kMost && QApplication::focusWidget() != nullptr; ++step) {
        QWidget* now = QApplication::focusWidget();
        stops.insert(now);
        QTest::keyClick(now, Qt::Key_Tab);
    }
    return stops;
}

void expectNamed(const QWidget& stop, const std::string& where) {
    const auto* button = qobject_cast<const QAbstractButton*>(&stop);
    const bool isNamed =
        !stop.accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty());
    EXPECT_TRUE(isNamed) << where << ": no name: " << wordsFor(stop);
}

void expectAllReached(const QWidget& window, const std::string& where) {
    const std::set<QWidget*> stops = tabStops();
    EXPECT_FALSE(stops.empty()) << where;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        const bool isHere =
            widget->isVisible() && widget->isEnabled() && widget->window() == &window;
        if (isHere && isUsed(*widget) && !isPart(*widget) && !hasKeysOfItsOwn(*widget)) {
            EXPECT_TRUE(stops.contains(widget)) << where << ": " << wordsFor(*widget);
        }
    }
    for (const QWidget* stop : stops) {
        expectNamed(*stop, where);
    }
}

UsedWindow walkedWindow() {
    return UsedWindow({smallQuestion({{"workload.tokens", "1B", "--tokens"}}), {}});
}

TEST(KeyboardWalk, TabGoesToEverythingOfEveryPage) {
    UsedWindow used = walkedWindow();
    used.window.activateWindow();
    for (const QString& page : used.window.pageNames()) {
        used.window.showPage(page);
        ASSERT_TRUE(used.waits());
        expectAllReached(used.window, page.toStdString());
    }
}

TEST(KeyboardWalk, BeginsInNoFieldSoThatAQuestionMarkListsTheKeys) {
    UsedWindow used = walkedWindow();
    used.window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&used.window));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Question);
    EXPECT_NE(used.window.findChild<QDialog*>("shortcuts"), nullptr);
}

TEST(KeyboardWalk, OneSeesWhereTheKeysGo) {
    UsedWindow used = walkedWindow();
    used.window.activateWindow();
    for (const QString& page : used.window.pageNames()) {
        used.window.showPage(page);
        ASSERT_TRUE(used.waits());
        for (QWidget* stop : tabStops()) {
            stop->setFocus(Qt::TabFocusReason);
            QApplication::processEvents();
            const QImage with = stop->grab().toImage();
            stop->clearFocus();
            QApplication::processEvents();
            EXPECT_TRUE(with != stop->grab().toImage())
                << page.toStdString() << ": " << wordsFor(*stop);
        }
    }
}

TEST(KeyboardWalk, EscapeClosesEveryDialogAndAllOfItIsReached) {
    UsedWindow used = walkedWindow();
    used.window.activateWindow();
    MainWindow& window = used.window;
    const std::vector<std::pair<std::string, std::function<void()>>> dialogs = {
        {"keys", [&] { QTest::keyClick(QApplication::focusWidget(), Qt::Key_F1); }},
        {"palette", [&] { window.showPalette(); }},
        {"why", [&] { window.showWhy("time.step"); }},
        {"machine", [&] { window.showMachine(); }},
        {"chart",
         [&] { QTest::keyClick(QApplication::focusWidget(), Qt::Key_T, Qt::ControlModifier); }}};
    for (const auto& [name, open] : dialogs) {
        window.activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&window)) << name;
        open();
        ASSERT_TRUE(QTest::qWaitFor([] {
            return qobject_cast<QDialog*>(QApplication::activeWindow()) != nullptr;
        })) << name;
        const QPointer<QWidget> dialog = QApplication::activeWindow();
        expectAllReached(*dialog, name);
        QTest::keyClick(dialog, Qt::Key_Escape);
        EXPECT_TRUE(dialog.isNull() || !dialog->isVisible()) << name;
    }
}

TEST(KeyboardWalk, TheMenuOfATableSortsIt) {
    UsedWindow used = walkedWindow();
    auto& table = used.find<ReportTableView>("layouts.table");
    QMenu menu;
    table.fillSortMenu(menu);
    const auto sortBy = [&menu](const char* title) {
        for (QAction* action : menu.actions()) {
            if (action->text() == title) {
                action->trigger();
            }
        }
    };
    const std::vector<std::vector<std::string>> asItWas = table.shownTable().rows;
    const auto isSortedByMemory = [&table] {
        const std::vector<std::vector<std::string>> rows = table.shownTable().rows;
        return std::ranges::is_sorted(
            rows, {}, [](const std::vector<std::string>& row) { return std::stod(row[6]); });
    };
    EXPECT_FALSE(isSortedByMemory());
    sortBy("GiB");
    EXPECT_TRUE(isSortedByMemory());
    sortBy("As it was");
    EXPECT_EQ(table.shownTable().rows, asItWas);
}

TEST(KeyboardWalk, TheMarkOfTheSortedColumnIsBesideItsTitle) {
    UsedWindow used = walkedWindow();
    const QHeaderView& header = *used.find<ReportTableView>("layouts.table").horizontalHeader();
    QStyleOptionHeader option;
    option.initFrom(&header);
    option.state |= QStyle::State_Horizontal;
    option.orientation = Qt::Horizontal;
    option.sortIndicator = QStyleOptionHeader::SortDown;
    option.rect = QRect(0, 0, header.sectionSize(3), header.height());
    const QRect title = header.style()->subElementRect(QStyle::SE_HeaderLabel, &option, &header);
    const QRect mark = header.style()->subElementRect(QStyle::SE_HeaderArrow, &option, &header);
    EXPECT_GT(mark.left(), title.right());
}

}  // namespace
}  // namespace fabricast
