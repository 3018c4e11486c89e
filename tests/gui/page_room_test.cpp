// How charts and tables share a page, in a large and in a small window.
#include "gui/charts/plot_widget.h"
#include "gui/pages/page.h"
#include "gui/pages/table_view.h"
#include "tests/gui/used_window.h"

#include <QComboBox>
#include <QScrollBar>
#include <algorithm>

namespace fabricast {
namespace {

constexpr int kLeastRows = 5;

int rowsSeen(const ReportTableView& table) {
    return table.viewport()->height() / table.rowHeight(0);
}

class SizedWindow : public testing::TestWithParam<std::pair<int, int>> {
protected:
    SizedWindow()
        : used_(
              {smallQuestion({{"workload.tokens", "1B", "--tokens"}, {"cluster.nodes", "2", "-n"}}),
               {}}) {
        used_.window.resize(GetParam().first, GetParam().second);
    }
    Page& show(const QString& name) {
        EXPECT_TRUE(used_.window.showPage(name));
        EXPECT_TRUE(used_.waits()) << name.toStdString();
        QTest::qWait(20);  // for what follows a new size
        return *used_.window.page();
    }

    UsedWindow used_;
};

INSTANTIATE_TEST_SUITE_P(Sizes,
                         SizedWindow,
                         testing::Values(std::pair(900, 650), std::pair(1280, 800)));

TEST_P(SizedWindow, HasRoomForRowsOnEveryPage) {
    for (const QString& name : used_.window.pageNames()) {
        Page& page = show(name);
        for (const auto* table : page.findChildren<ReportTableView*>()) {
            if (table->isVisible()) {
                EXPECT_GE(rowsSeen(*table), std::min(table->shownRows(), kLeastRows))
                    << table->objectName().toStdString();
            }
        }
    }
}

TEST_P(SizedWindow, CutsNoChoiceOff) {
    for (const QString& name : used_.window.pageNames()) {
        Page& page = show(name);
        for (const auto* choice : page.findChildren<QComboBox*>()) {
            if (choice->isVisible()) {
                EXPECT_GE(choice->width(), choice->minimumSizeHint().width())
                    << choice->objectName().toStdString();
            }
        }
    }
}

TEST_P(SizedWindow, LeavesNoTableHigherThanItsRowsBelowAChart) {
    for (const QString& name : used_.window.pageNames()) {
        Page& page = show(name);
        const auto* table = page.findChild<ReportTableView*>();
        if (page.chart() != nullptr && table != nullptr && table->isVisible()) {
            EXPECT_LE(rowsSeen(*table), std::max(table->shownRows(), kLeastRows))
                << name.toStdString();
        }
    }
}

}  // namespace
}  // namespace fabricast
