// Thousands of random clicks, keys and edits: no crash, no warning of Qt's, and an answer at the
// end. FABRICAST_RANDOM_EVENTS sets how many, FABRICAST_RANDOM_SEED which.
#include "gui/charts/plot_widget.h"
#include "tests/gui/used_window.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QSlider>
#include <QTableView>
#include <algorithm>
#include <array>
#include <iterator>
#include <random>

namespace fabricast {
namespace random_events_test {

int numberIn(const char* variable, int fallback) {
    bool isNumber = false;
    const int number = qEnvironmentVariableIntValue(variable, &isNumber);
    return isNumber ? number : fallback;
}

/// Somebody who presses whatever there is. Buttons that ask for files or leave the window wait for
/// a person, and are left alone.
class Monkey {
public:
    Monkey(UsedWindow& used, unsigned seed) : used_(used), random_(seed) {}

    void act() {
        closeWhatIsOpen();
        switch (upTo(7)) {
            case 0:
                pressButton();
                break;
            case 1:
                pressKey();
                break;
            case 2:
                turnSlider();
                break;
            case 3:
                choose();
                break;
            case 4:
                useChart();
                break;
            case 5:
                showAnyPage();
                break;
            default:
                goBackOrForth();
        }
        if (upTo(20) == 0) {
            QTest::qWait(upTo(30));
        }
    }

private:
    int upTo(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

    template <class Widget>
    Widget* any() {
        QList<Widget*> seen;
        for (Widget* one : used_.window.findChildren<Widget*>()) {
            if (one->isVisible() && one->isEnabled()) {
                seen << one;
            }
        }
        return seen.isEmpty() ? nullptr : seen[upTo(static_cast<int>(seen.size()))];
    }

    void closeWhatIsOpen() {
        for (QDialog* dialog : used_.window.findChildren<QDialog*>()) {
            dialog->close();
        }
        if (QWidget* popup = QApplication::activePopupWidget()) {
            popup->close();
        }
    }
    void pressButton() {
        auto* button = any<QAbstractButton>();
        constexpr std::array kWaits = {
            "timeline.load", "notice.open", "layouts.columns", "machine.measure"};
        const bool waits =
            button == nullptr || std::ranges::count(kWaits, button->objectName()) > 0;
        if (!waits && !button->objectName().startsWith("qt_")) {
            button->click();
        }
    }
    void pressKey() {
        constexpr std::array kKeys = {Qt::Key_Left,
                                      Qt::Key_Right,
                                      Qt::Key_Up,
                                      Qt::Key_Down,
                                      Qt::Key_Tab,
                                      Qt::Key_F,
                                      Qt::Key_B,
                                      Qt::Key_W,
                                      Qt::Key_A,
                                      Qt::Key_Plus,
                                      Qt::Key_Return,
                                      Qt::Key_Escape};
        QWidget* focus = used_.window.focusWidget();
        const bool takesKeys = qobject_cast<PlotWidget*>(focus) != nullptr ||
                               qobject_cast<QTableView*>(focus) != nullptr;
        if (takesKeys && focus->isVisible()) {
            QTest::keyClick(focus, kKeys[static_cast<std::size_t>(upTo(std::ssize(kKeys)))]);
        } else if (auto* chart = any<PlotWidget>()) {
            chart->setFocus();
        }
    }
    void turnSlider() {
        if (auto* slider = any<QSlider>()) {
            slider->setValue(upTo(std::min(8, slider->maximum() + 1)));
        }
    }
    void choose() {
        auto* box = any<QComboBox>();
        // Large models on small hardware are answered too, but not thousands of times.
        if (box != nullptr && box->count() > 0 && !box->isEditable()) {
            box->setCurrentIndex(upTo(std::min(box->count(), 4)));
            emit box->activated(box->currentIndex());
        }
    }
    void useChart() {
        auto* chart = any<PlotWidget>();
        if (chart == nullptr || chart->width() < 2 || chart->height() < 2) {
            return;
        }
        const QPoint from(upTo(chart->width()), upTo(chart->height()));
        const QPoint to(upTo(chart->width()), upTo(chart->height()));
        const Qt::MouseButton button = upTo(4) == 0 ? Qt::RightButton : Qt::LeftButton;
        QTest::mousePress(chart, button, upTo(4) == 0 ? Qt::ShiftModifier : Qt::NoModifier, from);
        QTest::mouseMove(chart, to);
        QTest::mouseRelease(chart, button, {}, upTo(2) == 0 ? from : to);
    }
    void showAnyPage() {
        const QStringList pages = used_.window.pageNames();
        used_.window.showPage(pages[upTo(static_cast<int>(pages.size()))]);
        used_.window.resize(900 + upTo(600), 640 + upTo(300));
    }
    void goBackOrForth() {
        StudySession& session = used_.window.session();
        upTo(3) == 0 ? session.redo() : session.undo();
    }

    UsedWindow& used_;
    std::mt19937 random_;
};

TEST(RandomEvents, LeaveAWindowThatAnswers) {
    constexpr int kUsualEvents = 2000;
    const int events = numberIn("FABRICAST_RANDOM_EVENTS", kUsualEvents);
    const int seed = numberIn("FABRICAST_RANDOM_SEED", 1);
    UsedWindow used({smallQuestion(), {}});
    Monkey monkey(used, static_cast<unsigned>(seed));
    for (int event = 0; event < events && !testing::Test::HasFailure(); ++event) {
        SCOPED_TRACE("event " + std::to_string(event) + " of seed " + std::to_string(seed));
        monkey.act();
    }
    EXPECT_TRUE(used.waits());
    EXPECT_TRUE(used.window.isVisible());
}

}  // namespace random_events_test
}  // namespace fabricast
