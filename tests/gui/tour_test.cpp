// The tour: each stop is there, keys go through it, and it is shown once.
#include "gui/window/tour.h"

#include "gui/window/bubble_place.h"
#include "tests/gui/used_window.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QSettings>

namespace fabricast {
namespace tour_test {

TEST(TourTest, EachStopShowsAPartThatIsThere) {
    UsedWindow used({smallQuestion(), {}});
    used.window.findChild<QAction*>("action.tour")->trigger();
    auto& tour = used.find<Tour>("tour");
    ASSERT_EQ(tourStops().size(), 5U);
    for (const TourStop& stop : tourStops()) {
        const QWidget& shown = used.find<QWidget>(stop.widget.toUtf8());
        EXPECT_TRUE(shown.isVisible()) << stop.widget.toStdString();
        EXPECT_TRUE(used.find<QLabel>("tour.title").text().contains(stop.title));
        EXPECT_TRUE(used.window.rect().contains(tour.geometry())) << stop.widget.toStdString();
        ASSERT_TRUE(used.waits());
        QTest::keyClick(&tour, Qt::Key_Right);
    }
    EXPECT_FALSE(tour.isVisible());
}

TEST(TourTest, GoesBackAndIsSkippedByKeys) {
    UsedWindow used({smallQuestion(), {}});
    used.window.showTour();
    auto& tour = used.find<Tour>("tour");
    EXPECT_FALSE(used.find<QPushButton>("tour.back").isEnabled());
    used.find<QPushButton>("tour.next").click();
    EXPECT_EQ(tour.at(), 1);
    QTest::keyClick(&tour, Qt::Key_Left);
    EXPECT_EQ(tour.at(), 0);
    QTest::keyClick(&tour, Qt::Key_Escape);
    EXPECT_FALSE(tour.isVisible());
    QTest::qWait(0);  // it is deleted then
    used.window.showTour();
    EXPECT_EQ(used.find<Tour>("tour").at(), 0) << "Help shows it again";
}

TEST(TourTest, StartsByItselfOnceWhateverIsOpened) {
    for (const bool isExample : {true, false}) {
        const QTemporaryDir folder;
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
        QSettings().clear();
        const WindowSetup setup{
            .recoveryFolder = folder.path(), .remembers = true, .isExample = isExample};
        for (const bool isFirst : {true, false}) {
            MainWindow window(openBench(), {smallQuestion(), {.page = "memory"}}, setup);
            window.show();
            QTest::qWait(20);
            auto* tour = window.findChild<Tour*>("tour");
            ASSERT_EQ(tour != nullptr, isFirst);
            if (tour != nullptr) {
                QTest::keyClick(tour, Qt::Key_Escape);
            }
            EXPECT_EQ(window.page()->name(), "memory") << "as it was opened";
        }
    }
}

TEST(BubblePlace, IsInsideAndBesideWhatItIsAbout) {
    const QRect window(0, 0, 1280, 800);
    const QSize size(340, 160);
    for (const QRect& target : {QRect(0, 60, 344, 700),
                                QRect(350, 60, 930, 110),
                                QRect(0, 770, 900, 24),
                                QRect(1000, 300, 270, 200)}) {
        const QRect bubble = bubblePlace(target, size, window);
        EXPECT_TRUE(window.contains(bubble));
        EXPECT_FALSE(bubble.intersects(target));
    }
    EXPECT_TRUE(window.contains(bubblePlace({350, 60, 930, 740}, size, window)));
}

}  // namespace tour_test
}  // namespace fabricast
