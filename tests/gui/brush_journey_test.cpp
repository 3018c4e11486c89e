// The table of layouts: brushed in the chart, filtered, sorted, with chosen columns, and copied.
#include "gui/charts/scatter_widget.h"
#include "gui/pages/table_view.h"
#include "tests/gui/used_window.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>

namespace fabricast {
namespace brush_journey_test {

struct LayoutsUsed : UsedWindow {
    LayoutsUsed() : UsedWindow({smallQuestion(), {}}) {}
    ReportTableView& table = find<ReportTableView>("layouts.table");
    ScatterWidget& scatter = find<ScatterWidget>("layouts.scatter");
    QPushButton& chip = find<QPushButton>("layouts.brush");
};

void drag(QWidget& on, const QPoint& from, const QPoint& to) {
    QTest::mousePress(&on, Qt::LeftButton, {}, from);
    QTest::mouseMove(&on, (from + to) / 2);
    QTest::mouseMove(&on, to);
    QTest::mouseRelease(&on, Qt::LeftButton, {}, to);
}

TEST(BrushJourney, ADraggedBoxLeavesItsLayouts) {
    LayoutsUsed used;
    const int all = used.table.shownRows();
    ASSERT_GT(all, 2);
    EXPECT_FALSE(used.chip.isVisible());
    int left = all;
    // From the left as far as there is a point, but not all of them.
    for (int eighths = 1; eighths < 8 && left == all; ++eighths) {
        drag(
            used.scatter, {40, 5}, {used.scatter.width() * eighths / 8, used.scatter.height() - 5});
        left = used.table.shownRows();
    }
    ASSERT_GT(left, 0);
    ASSERT_LT(left, all);
    EXPECT_TRUE(used.chip.isVisible());
    EXPECT_EQ(used.chip.text(), QString("%1 of %2, clear ×").arg(left).arg(all));
    EXPECT_EQ(used.scatter.marks().selected.size(), static_cast<std::size_t>(left));
    used.chip.click();
    EXPECT_EQ(used.table.shownRows(), all);
    EXPECT_FALSE(used.chip.isVisible());
}

TEST(BrushJourney, KeysBrushFromOnePointToAnother) {
    LayoutsUsed used;
    const int all = used.table.shownRows();
    used.scatter.setHovered(0);
    QTest::keyClick(&used.scatter, Qt::Key_B);
    QTest::keyClick(&used.scatter, Qt::Key_B);
    EXPECT_GT(used.table.shownRows(), 0);
    EXPECT_LT(used.table.shownRows(), all);
    QTest::keyClick(&used.scatter, Qt::Key_Escape);
    EXPECT_EQ(used.table.shownRows(), all);
}

TEST(BrushJourney, ABrushedRowIsTheLayoutOfItsPoint) {
    LayoutsUsed used;
    used.scatter.setHovered(1);
    QTest::keyClick(&used.scatter, Qt::Key_B);
    QTest::keyClick(&used.scatter, Qt::Key_B);
    const std::uint32_t place = used.scatter.values().points[1].id;
    EXPECT_TRUE(used.table.shownRow(static_cast<int>(place)).isValid());
}

TEST(BrushJourney, AFilterThatNoLayoutPassesSaysSoAndLeadsBack) {
    UsedWindow used({smallQuestion(), {}});
    auto& table = used.find<ReportTableView>("layouts.table");
    const int all = table.shownRows();
    EXPECT_FALSE(used.find<QWidget>("layouts.none").isVisible());
    used.find<QLineEdit>("layouts.filter").setText("mfu>99");
    EXPECT_EQ(table.shownRows(), 0);
    EXPECT_TRUE(used.find<QWidget>("layouts.none").isVisible());
    EXPECT_EQ(used.find<QLabel>("layouts.none.words").text(),
              QString("None of %1 layouts passes the filter \"mfu>99\".").arg(all));
    used.find<QPushButton>("layouts.none.all").click();
    EXPECT_EQ(table.shownRows(), all);
    EXPECT_TRUE(used.find<QLineEdit>("layouts.filter").text().isEmpty());
    EXPECT_FALSE(used.find<QWidget>("layouts.none").isVisible());
}

TEST(BrushJourney, FiltersTakeWordsAndNumbers) {
    LayoutsUsed used;
    auto& filter = used.find<QLineEdit>("layouts.filter");
    const int all = used.table.shownRows();
    filter.setText("tp=2");
    const int withTp = used.table.shownRows();
    filter.setText("-tp=2");
    EXPECT_EQ(used.table.shownRows(), all - withTp);
    filter.setText("gib<100000");
    EXPECT_EQ(used.table.shownRows(), all);
    filter.setText("gib<0");
    EXPECT_EQ(used.table.shownRows(), 0);
    filter.clear();
    EXPECT_EQ(used.table.shownRows(), all);
}

TEST(BrushJourney, ColumnsSortAndHideAndAreCopiedAsShown) {
    LayoutsUsed used;
    QMenu menu;
    used.table.fillColumnMenu(menu);
    ASSERT_GT(menu.actions().size(), 3);
    const QString hidden = menu.actions().constFirst()->text();
    menu.actions().constFirst()->trigger();
    used.table.sortByColumn(2, Qt::DescendingOrder);
    used.window.findChild<QAction*>("action.copyTable")->trigger();
    const QString copied = QApplication::clipboard()->text();
    EXPECT_TRUE(copied.startsWith("|")) << copied.toStdString();
    EXPECT_FALSE(copied.section('\n', 0, 0).contains(hidden)) << copied.toStdString();
    EXPECT_EQ(copied.trimmed().count('\n'), used.table.shownRows() + 1);
}

}  // namespace brush_journey_test
}  // namespace fabricast
