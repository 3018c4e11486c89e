// Every page, the tour and dialogs at the usual size, light and dark: no text of a label or button
// is cut off. FABRICAST_PICTURES names a folder for pictures of them, to be looked at.
#include "gui/pages/elided_label.h"
#include "gui/pages/table_view.h"
#include "gui/pages/timeline_page.h"
#include "gui/window/machine_dialog.h"
#include "gui/window/theme.h"
#include "gui/window/tour.h"
#include "tests/gui/used_window.h"

#include <QAbstractButton>
#include <QFontMetrics>
#include <QLabel>
#include <QPixmap>
#include <QPushButton>
#include <QScrollBar>
#include <algorithm>

namespace fabricast {
namespace pictures_test {

struct NamedTheme {
    Theme theme;
    const char* name;
};

class Pictures : public testing::TestWithParam<NamedTheme> {
protected:
    void SetUp() override { applyTheme(GetParam().theme); }
    void TearDown() override { applyTheme(Theme::Light); }

    static void take(QWidget& shown, const QString& name) {
        const QPixmap picture = shown.grab();
        EXPECT_FALSE(picture.isNull());
        const QString folder = qEnvironmentVariable("FABRICAST_PICTURES");
        if (!folder.isEmpty()) {
            EXPECT_TRUE(picture.save(folder + "/" + name + "-" + GetParam().name + ".png"));
        }
    }
    /// Labels that are made to be shortened say the whole in their tips.
    static void expectWholeTexts(QWidget& shown, const QString& where) {
        for (const QPushButton* button : shown.findChildren<QPushButton*>()) {
            EXPECT_TRUE(!button->isVisible() ||
                        button->width() >= button->minimumSizeHint().width())
                << where.toStdString() << ": button " << button->text().toStdString();
        }
        for (const QLabel* label : shown.findChildren<QLabel*>()) {
            const bool isWrapped =
                label->isVisible() && label->wordWrap() && !label->text().isEmpty();
            EXPECT_TRUE(!isWrapped || label->height() >= label->heightForWidth(label->width()))
                << where.toStdString() << ": label " << label->text().toStdString();
            const bool isPlain =
                label->isVisible() && !label->wordWrap() && !label->text().isEmpty();
            const bool isShortened = qobject_cast<const ElidedLabel*>(label) != nullptr;
            const int needed =
                QFontMetrics(label->font()).size(Qt::TextShowMnemonic, label->text()).width();
            EXPECT_TRUE(!isPlain || isShortened || label->width() >= needed)
                << where.toStdString() << ": label " << label->text().toStdString();
        }
    }
};

/// At the least width: the layout is in the verdict, and the last column can be scrolled to, whole.
TEST_P(Pictures, OfASmallWindowLoseNothing) {
    UsedWindow used({smallQuestion(), {}});
    used.window.resize(900, 700);
    for (const char* name : {"memory", "cost", "hardware", "sensitivity"}) {
        used.window.showPage(name);
        ASSERT_TRUE(used.waits());
        QTest::qWait(50);
        take(used.window, QString(name) + "-small");
        expectWholeTexts(used.window, name);
        const auto& subject = used.find<ElidedLabel>("verdict.subject");
        EXPECT_FALSE(subject.text().contains("…")) << subject.text().toStdString();
        for (auto* table : used.window.page()->findChildren<ReportTableView*>()) {
            const int last = table->model()->columnCount() - 1;
            if (!table->isVisible() || last < 0) {
                continue;
            }
            constexpr int kMost = 400;
            EXPECT_GE(
                table->columnWidth(last),
                std::min(static_cast<QAbstractItemView*>(table)->sizeHintForColumn(last), kMost))
                << name;
            table->horizontalScrollBar()->setValue(table->horizontalScrollBar()->maximum());
            EXPECT_LE(table->columnViewportPosition(last) + table->columnWidth(last),
                      table->viewport()->width())
                << name;
        }
    }
}

/// What A and B were asked differently is seen of both, whole or with the rest in a tip.
TEST_P(Pictures, OfACompareShowBothSides) {
    UsedWindow used({smallQuestion({{"workload.tokens", "1B", "--tokens"}}), {.page = "compare"}});
    used.window.session().chooseB(1);
    ASSERT_TRUE(used.waits());
    for (const QSize& size : {QSize(900, 650), QSize(1280, 800)}) {
        used.window.resize(size);
        QTest::qWait(50);
        take(used.window, QString("compare-%1").arg(size.width()));
        for (const char* const name : {"compare.numbers", "compare.inputs"}) {
            const auto& table = used.find<ReportTableView>(name);
            const int last = table.model()->columnCount() - 1;
            ASSERT_GT(last, 1);
            EXPECT_LE(table.columnViewportPosition(last) + table.columnWidth(last),
                      table.viewport()->width())
                << name << " at " << size.width();
        }
    }
}

TEST_P(Pictures, OfPages) {
    UsedWindow used({smallQuestion({{"workload.tokens", "1B", "--tokens"}}), {}});
    used.window.resize(1280, 800);
    used.window.session().chooseB(1);
    used.window.session().setFailed({"node0"}, "Fail");
    for (const QString& page : used.window.pageNames()) {
        used.window.showPage(page);
        ASSERT_TRUE(used.waits());
        QTest::qWait(30);
        expectWholeTexts(used.window, page);
        take(used.window, page);
    }
    used.find<TimelinePage>("page.timeline")
        .load(FABRICAST_SOURCE_DIR "/tests/fuzz/corpus/measured_trace/torch.json");
    used.window.showPage("timeline");
    ASSERT_TRUE(used.waits());
    QTest::qWait(30);
    expectWholeTexts(used.window, "measured");
    take(used.window, "measured");
}

TEST_P(Pictures, OfTheTourAndDialogs) {
    UsedWindow used({smallQuestion(), {}});
    used.window.resize(1280, 800);
    used.window.showTour();
    for (int stop = 0; stop < static_cast<int>(tourStops().size()); ++stop) {
        auto& tour = used.find<Tour>("tour");
        ASSERT_TRUE(used.waits());
        QTest::qWait(30);
        expectWholeTexts(tour, "tour");
        take(used.window, QString("tour%1").arg(stop + 1));
        tour.goTo(stop + 1);
    }
    used.window.showMachine();
    auto& dialog = used.find<MachineDialog>("machine");
    constexpr int kLongestMilliseconds = 60'000;
    ASSERT_TRUE(QTest::qWaitFor([&] { return !dialog.isWorking(); }, kLongestMilliseconds));
    QTest::qWait(30);
    expectWholeTexts(dialog, "machine");
    take(dialog, "machine");
}

INSTANTIATE_TEST_SUITE_P(Themes,
                         Pictures,
                         testing::Values(NamedTheme{Theme::Light, "light"},
                                         NamedTheme{Theme::Dark, "dark"}),
                         [](const auto& named) { return std::string(named.param.name); });

}  // namespace pictures_test
}  // namespace fabricast
