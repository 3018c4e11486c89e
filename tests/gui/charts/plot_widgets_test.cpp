#include "gui/charts/curve_widget.h"
#include "gui/charts/memory_bars_widget.h"
#include "gui/charts/network_map_widget.h"
#include "gui/charts/scatter_widget.h"
#include "gui/charts/timeline_widget.h"
#include "gui/charts/tornado_widget.h"
#include "gui/charts/waterfall_widget.h"
#include "tests/gui/charts/all_charts.h"
#include "tests/gui/charts/sample_charts.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QFontInfo>
#include <QImage>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <vector>

namespace fabricast {
namespace {

void turnWheel(QWidget& widget, const QPointF& at, int notches) {
    QWheelEvent event(at,
                      widget.mapToGlobal(at),
                      {},
                      {0, 120 * notches},
                      Qt::NoButton,
                      Qt::NoModifier,
                      Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(&widget, &event);
}

/// With three points far from each other.
ScatterValues threePoints() {
    ScatterValues values{.title = "Plans", .x = {"memory"}, .y = {"speed"}, .groups = {"megatron"}};
    values.points = {{.x = 1, .y = 1, .id = 11, .label = "low"},
                     {.x = 5, .y = 5, .id = 15, .label = "middle"},
                     {.x = 9, .y = 9, .id = 19, .label = "high"}};
    return values;
}

QPoint placeIn(const ScatterWidget& plot, std::size_t point) {
    ChartTheme theme = plot.theme();
    theme.textSize = QFontInfo(plot.font()).pixelSize();
    const PlotFrame frame = scatterFrame(plot.values(), plot.view(), plot.size(), theme);
    const ScatterPoint& at = plot.values().points[point];
    return frame.placeOf(at.x, at.y).toPoint();
}

TEST(EveryChart, HasANameADescriptionAndTheKeyboard) {
    for (const auto& [name, plot] : allCharts()) {
        plot->resize(700, 400);
        EXPECT_FALSE(plot->accessibleName().isEmpty()) << name;
        EXPECT_FALSE(plot->objectName().isEmpty()) << name;
        EXPECT_EQ(plot->accessibleDescription().toStdString(), plot->describe()) << name;
        QTest::keyClick(plot.get(), Qt::Key_Right);
        EXPECT_GE(plot->hovered(), 0) << name;
        EXPECT_NE(plot->accessibleDescription().toStdString(), plot->describe()) << name;
        const int before = plot->hovered();
        for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Down, Qt::Key_Left, Qt::Key_Up}) {
            QTest::keyClick(plot.get(), key);
        }
        QTest::keyClick(plot.get(), Qt::Key_Down);
        QTest::keyClick(plot.get(), Qt::Key_Right);
        EXPECT_NE(plot->hovered(), before) << name;
        QTest::keyClick(plot.get(), Qt::Key_Escape);
        if (name == "scatter-brushed") {  // the first took away the frame
            QTest::keyClick(plot.get(), Qt::Key_Escape);
        }
        EXPECT_EQ(plot->hovered(), -1) << name;
        EXPECT_EQ(plot->accessibleDescription().toStdString(), plot->describe()) << name;
    }
}

TEST(EveryChart, PaintsItselfAndItsHover) {
    for (const auto& [name, plot] : allCharts()) {
        plot->resize(500, 300);
        const QImage plain = plot->grab().toImage();
        QTest::keyClick(plot.get(), Qt::Key_Right);
        EXPECT_NE(plot->grab().toImage(), plain) << name << ": the tip is seen";
        plot->setHovered(-1);
        EXPECT_EQ(plot->grab().toImage(), plain) << name;
    }
}

TEST(EveryChart, WithoutValuesPaintsAndTakesKeys) {
    std::vector<std::unique_ptr<PlotWidget>> plots;
    plots.push_back(std::make_unique<ScatterWidget>());
    plots.push_back(std::make_unique<MemoryBarsWidget>());
    plots.push_back(std::make_unique<TimelineWidget>());
    plots.push_back(std::make_unique<TornadoWidget>());
    plots.push_back(std::make_unique<NetworkMapWidget>());
    plots.push_back(std::make_unique<CurveWidget>());
    plots.push_back(std::make_unique<WaterfallWidget>());
    for (const std::unique_ptr<PlotWidget>& plot : plots) {
        for (const QSize& size : {QSize(300, 200), QSize(20, 10)}) {
            plot->resize(size);
            EXPECT_FALSE(plot->grab().isNull());
            for (const Qt::Key key :
                 {Qt::Key_Right, Qt::Key_Up, Qt::Key_Return, Qt::Key_W, Qt::Key_F}) {
                QTest::keyClick(plot.get(), key);
            }
            QTest::mouseMove(plot.get(), plot->rect().center());
            turnWheel(*plot, plot->rect().center(), 1);
            EXPECT_FALSE(plot->describe().empty());
        }
    }
}

TEST(ScatterWidgets, PickAAndB) {
    ScatterWidget plot;
    plot.resize(500, 400);
    plot.setValues(threePoints());
    QSignalSpy a(&plot, &ScatterWidget::pickedA);
    QSignalSpy b(&plot, &ScatterWidget::pickedB);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, placeIn(plot, 0));
    QTest::mouseClick(&plot, Qt::LeftButton, Qt::ShiftModifier, placeIn(plot, 2));
    ASSERT_EQ(a.size(), 1);
    ASSERT_EQ(b.size(), 1);
    EXPECT_EQ(a[0][0].toUInt(), 11U);
    EXPECT_EQ(b[0][0].toUInt(), 19U);
    plot.setHovered(1);
    QTest::keyClick(&plot, Qt::Key_Return, Qt::ShiftModifier);
    ASSERT_EQ(b.size(), 2);
    EXPECT_EQ(b[1][0].toUInt(), 15U);
}

TEST(ScatterWidgets, BrushByDragging) {
    ScatterWidget plot;
    plot.resize(500, 400);
    plot.setValues(threePoints());
    std::vector<std::vector<std::uint32_t>> brushes;
    QObject::connect(&plot, &ScatterWidget::brushed, [&](const std::vector<std::uint32_t>& ids) {
        brushes.push_back(ids);
    });
    const QPoint from = placeIn(plot, 1) - QPoint(20, -20);
    QTest::mousePress(&plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(&plot, placeIn(plot, 2));
    QTest::mouseMove(&plot, placeIn(plot, 2) + QPoint(8, -8));
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, placeIn(plot, 2) + QPoint(8, -8));
    QTest::mouseClick(&plot, Qt::LeftButton, {}, {250, 330});
    ASSERT_EQ(brushes.size(), 2U);
    EXPECT_EQ(brushes[0], (std::vector<std::uint32_t>{15, 19}));
    EXPECT_TRUE(brushes[1].empty()) << "a click beside all points takes it away";
}

TEST(ScatterWidgets, ZoomPanAndShowAllAgain) {
    ScatterWidget plot;
    plot.resize(500, 400);
    plot.setValues(threePoints());
    const ScatterView whole = plot.view();
    const QPoint middle = placeIn(plot, 1);
    turnWheel(plot, middle, 4);
    EXPECT_NEAR(plot.view().x.span(), whole.x.span() / 2, 1e-9);
    EXPECT_LE((placeIn(plot, 1) - middle).manhattanLength(), 2) << "under the pointer it stays";
    const ScatterView near = plot.view();
    QTest::mousePress(&plot, Qt::RightButton, {}, middle);
    QTest::mouseMove(&plot, middle + QPoint(40, 0));
    QTest::mouseRelease(&plot, Qt::RightButton, {}, middle + QPoint(40, 0));
    EXPECT_LT(plot.view().x.low, near.x.low);
    plot.setValues(threePoints());
    EXPECT_NE(plot.view(), whole) << "new answers keep the view";
    QTest::keyClick(&plot, Qt::Key_F);
    EXPECT_EQ(plot.view(), whole);
}

TEST(MemoryBarsWidgets, GiveStageAndPart) {
    MemoryBarsWidget plot;
    plot.resize(600, 300);
    plot.setValues(sampleMemory(4));
    QSignalSpy picked(&plot, &MemoryBarsWidget::partPicked);
    QTest::keyClick(&plot, Qt::Key_Right);
    QTest::keyClick(&plot, Qt::Key_Right);
    QTest::keyClick(&plot, Qt::Key_Down);
    QTest::keyClick(&plot, Qt::Key_Return);
    ASSERT_EQ(picked.size(), 1);
    EXPECT_EQ(picked[0], (QList<QVariant>{1, 1}));
}

TEST(TimelineWidgets, ZoomMoveAndSelect) {
    TimelineWidget plot;
    plot.resize(800, 400);
    plot.setValues(sampleTimeline(4, 8));
    const ValueRange whole = plot.view();
    QSignalSpy picked(&plot, &TimelineWidget::spanPicked);
    QSignalSpy views(&plot, &TimelineWidget::viewChanged);
    QTest::keyClick(&plot, Qt::Key_W);
    EXPECT_NEAR(plot.view().span(), whole.span() / 1.5, 1e-12);
    const double low = plot.view().low;
    QTest::keyClick(&plot, Qt::Key_D);
    EXPECT_GT(plot.view().low, low);
    QTest::keyClick(&plot, Qt::Key_A);
    EXPECT_NEAR(plot.view().low, low, 1e-12);
    QTest::keyClick(&plot, Qt::Key_S);
    EXPECT_NEAR(plot.view().span(), whole.span(), 1e-12);
    turnWheel(plot, {500, 100}, 2);
    EXPECT_NEAR(plot.view().span(), whole.span() / 2, 1e-12);
    QTest::keyClick(&plot, Qt::Key_F);
    EXPECT_EQ(plot.view(), whole);
    EXPECT_EQ(views.size(), 6);
    QTest::keyClick(&plot, Qt::Key_Right);
    QTest::keyClick(&plot, Qt::Key_Return);
    ASSERT_EQ(picked.size(), 1);
    ASSERT_TRUE(plot.selected().has_value());
    EXPECT_EQ(picked[0][0].toUInt(), plot.selected()->lane);
    EXPECT_EQ(picked[0][1].toUInt(), plot.selected()->span);
}

TEST(TimelineWidgets, DragMovesWithoutSelecting) {
    TimelineWidget plot;
    plot.resize(800, 400);
    plot.setValues(sampleTimeline(4, 8));
    QTest::keyClick(&plot, Qt::Key_W);
    const double low = plot.view().low;
    QTest::mousePress(&plot, Qt::LeftButton, {}, {500, 100});
    QTest::mouseMove(&plot, {540, 100});
    QTest::mouseMove(&plot, {560, 100});
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, {560, 100});
    EXPECT_LT(plot.view().low, low);
    EXPECT_FALSE(plot.selected().has_value());
}

TEST(TimelineWidgets, StepsBringWhatTheyReachIntoView) {
    TimelineWidget plot;
    plot.resize(800, 300);
    plot.setValues(sampleTimeline(40, 8));
    plot.setView({0.0, 0.05});
    QTest::keyClick(&plot, Qt::Key_Right);
    for (int step = 0; step < 30; ++step) {
        QTest::keyClick(&plot, Qt::Key_Down);
    }
    for (int step = 0; step < 12; ++step) {
        QTest::keyClick(&plot, Qt::Key_Right);
    }
    EXPECT_GT(plot.view().low, 0.05);
    EXPECT_NEAR(plot.view().span(), 0.05, 1e-12) << "as near as before";
}

TEST(PlotWidgets, ATornadoIsHighEnoughForTheNamesOfItsRows) {
    TornadoWidget tornado;
    TornadoValues values = sampleTornado();
    while (values.rows.size() < 12) {
        values.rows.push_back(values.rows.front());
    }
    tornado.setValues(values);
    const int rows = static_cast<int>(values.rows.size()) * tornado.fontMetrics().height();
    EXPECT_GT(tornado.minimumSizeHint().height(), rows);
    EXPECT_LT(tornado.minimumSizeHint().height(), rows + 140);
}

TEST(OtherWidgets, GiveWhatIsPicked) {
    TornadoWidget tornado;
    tornado.setValues(sampleTornado());
    QSignalSpy row(&tornado, &TornadoWidget::rowPicked);
    QTest::keyClick(&tornado, Qt::Key_Down);
    QTest::keyClick(&tornado, Qt::Key_Space);
    ASSERT_EQ(row.size(), 1);
    EXPECT_EQ(row[0][0].toInt(), 2) << "the third of the values moves it most";

    WaterfallWidget waterfall;
    waterfall.setValues(sampleWaterfall());
    QSignalSpy bar(&waterfall, &WaterfallWidget::barPicked);
    QTest::keyClick(&waterfall, Qt::Key_Right);
    QTest::keyClick(&waterfall, Qt::Key_Right);
    QTest::keyClick(&waterfall, Qt::Key_Return);
    ASSERT_EQ(bar.size(), 1);
    EXPECT_EQ(bar[0][0].toInt(), 1);

    CurveWidget curve;
    curve.setValues(sampleScaling());
    QSignalSpy point(&curve, &CurveWidget::pointPicked);
    for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Down, Qt::Key_Return}) {
        QTest::keyClick(&curve, key);
    }
    ASSERT_EQ(point.size(), 1);
    EXPECT_EQ(point[0], (QList<QVariant>{1, 1}));
}

TEST(NetworkMapWidgets, GiveLinksAndBoxes) {
    NetworkMapWidget plot;
    plot.resize(700, 400);
    plot.setValues(sampleNetwork(2, 3));
    QSignalSpy links(&plot, &NetworkMapWidget::linkPicked);
    QSignalSpy boxes(&plot, &NetworkMapWidget::boxPicked);
    const NetworkMapLayout layout = networkMapLayout(plot.values(), plot.size(), lightChartTheme());
    plot.setHovered(3);
    QTest::keyClick(&plot, Qt::Key_Return);
    plot.setHovered(static_cast<int>(layout.links.size()) + 2);
    QTest::keyClick(&plot, Qt::Key_Return);
    ASSERT_EQ(links.size(), 1);
    ASSERT_EQ(boxes.size(), 1);
    EXPECT_EQ(links[0][0].toUInt(), plot.values().links[3].id);
    EXPECT_EQ(boxes[0][0].toUInt(), plot.values().boxes[2].id);
}

TEST(PlotWidgets, FollowTheFontOfTheirWindow) {
    TornadoWidget plot;
    plot.resize(500, 300);
    plot.setValues(sampleTornado());
    const QImage usual = plot.grab().toImage();
    QFont large = plot.font();
    large.setPixelSize(QFontInfo(large).pixelSize() * 2);
    plot.setFont(large);
    EXPECT_NE(plot.grab().toImage(), usual);
}

}  // namespace
}  // namespace fabricast
