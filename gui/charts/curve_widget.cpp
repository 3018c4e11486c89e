#include "gui/charts/curve_widget.h"

#include <utility>

namespace fabricast {
namespace {

constexpr double kCurveReach = 24.0;  ///< pixels

}  // namespace

CurveWidget::CurveWidget(QWidget* parent) : PlotWidget(parent) {
    setObjectName("curve");
}

void CurveWidget::setValues(CurveValues values) {
    values_ = std::move(values);
    announce(values_.title);
}

CurveLayout CurveWidget::layoutHere() const {
    return curveLayout(values_, size(), themeHere());
}

void CurveWidget::paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const {
    paintPage(canvas, size, values_.title, theme);
    paintCurve(canvas, values_, curveLayout(values_, size, theme), theme);
}

std::string CurveWidget::describe() const {
    return describeCurve(values_);
}

Table CurveWidget::table() const {
    return curveTable(values_);
}

int CurveWidget::itemAt(const QPointF& place) const {
    return curvePointAt(layoutHere(), place, kCurveReach);
}

int CurveWidget::itemBeside(int item, HoverStep step) const {
    switch (step) {
        case HoverStep::Left:
            return curvePointBeside(layoutHere(), item, {.points = -1});
        case HoverStep::Right:
            return curvePointBeside(layoutHere(), item, {.points = 1});
        case HoverStep::Up:
            return curvePointBeside(layoutHere(), item, {.series = -1});
        case HoverStep::Down:
            break;
    }
    return curvePointBeside(layoutHere(), item, {.series = 1});
}

HoverTip CurveWidget::tipOf(int item) const {
    const CurveLayout layout = layoutHere();
    const CurvePlace& place = layout.points[static_cast<std::size_t>(item)];
    constexpr double kHalf = 7.0;
    return {.around = QRectF(place.at - QPointF(kHalf, kHalf), place.at + QPointF(kHalf, kHalf)),
            .text = curvePointText(values_, place.series, place.point),
            .crosshair = layout.frame.plot};
}

void CurveWidget::pick(int item, Qt::KeyboardModifiers /*modifiers*/) {
    const CurvePlace place = layoutHere().points[static_cast<std::size_t>(item)];
    Q_EMIT pointPicked(static_cast<int>(place.series), static_cast<int>(place.point));
}

}  // namespace fabricast
