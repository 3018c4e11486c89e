#include "gui/charts/scatter_widget.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

constexpr double kHoverReach = 14.0;
constexpr double kLeastBrush = 5.0;  ///< pixels; less is a click
constexpr double kKeyZoom = 1.5;
constexpr double kAroundPoint = 6.0;  ///< pixels of a brush by keys around its corners

bool showsAny(const ScatterValues& values, const ScatterView& view) {
    return std::ranges::any_of(values.points, [&](const ScatterPoint& point) {
        return view.x.contains(point.x) && view.y.contains(point.y);
    });
}

}  // namespace

ScatterWidget::ScatterWidget(QWidget* parent) : PlotWidget(parent), view_(wholeView(values_)) {
    setObjectName("scatter");
}

void ScatterWidget::setValues(ScatterValues values) {
    const bool wasWhole = view_ == wholeView(values_);
    const bool sameAxes = values.x.unit == values_.x.unit && values.y.unit == values_.y.unit &&
                          values.x.scale == values_.x.scale && values.y.scale == values_.y.scale;
    values_ = std::move(values);
    front_ = paretoFront(values_);
    brushCorner_.reset();
    if (wasWhole || !sameAxes || !showsAny(values_, view_)) {
        view_ = wholeView(values_);
    }
    announce(values_.title);
}

void ScatterWidget::setMarks(ScatterMarks marks) {
    marks_ = std::move(marks);
    refresh();
}

void ScatterWidget::showAll() {
    setView(wholeView(values_));
}

void ScatterWidget::setView(const ScatterView& view) {
    view_ = view;
    setHovered(-1);
    refresh();
}

PlotFrame ScatterWidget::frameHere() const {
    return scatterFrame(values_, view_, size(), themeHere());
}

void ScatterWidget::paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const {
    paintPage(canvas, size, values_.title, theme);
    const PlotFrame frame = scatterFrame(values_, view_, size, theme);
    paintScatter(canvas, {values_, marks_, front_, frame}, theme);
}

std::string ScatterWidget::describe() const {
    return describeScatter(values_, front_);
}

Table ScatterWidget::table() const {
    return scatterTable(values_);
}

int ScatterWidget::itemAt(const QPointF& place) const {
    return nearestPoint(values_, frameHere(), place, kHoverReach);
}

int ScatterWidget::itemBeside(int item, HoverStep step) const {
    return pointBeside(values_, frameHere(), item, directionOf(step));
}

HoverTip ScatterWidget::tipOf(int item) const {
    const ScatterPoint& point = values_.points[static_cast<std::size_t>(item)];
    const PlotFrame frame = frameHere();
    const QPointF at = frame.placeOf(point.x, point.y);
    constexpr double kHalf = 7.0;
    return {.around = QRectF(at - QPointF(kHalf, kHalf), at + QPointF(kHalf, kHalf)),
            .text = pointText(values_, point),
            .crosshair = frame.plot};
}

void ScatterWidget::pick(int item, Qt::KeyboardModifiers modifiers) {
    const std::uint32_t id = values_.points[static_cast<std::size_t>(item)].id;
    if (modifiers.testFlag(Qt::ShiftModifier)) {
        Q_EMIT pickedB(id);
    } else {
        Q_EMIT pickedA(id);
    }
}

void ScatterWidget::paintAbove(Canvas& canvas) const {
    const QRectF brush = brushCorner_ ? keyBrush() : brush_;
    if (!brush.isEmpty()) {
        QColor tint = theme().accent;
        tint.setAlphaF(0.15F);
        canvas.fill(brush, {tint});
        canvas.outline(brush, {.colour = theme().accent});
    }
}

/// From the point where it began to the one that is hovered.
QRectF ScatterWidget::keyBrush() const {
    const PlotFrame frame = frameHere();
    const ScatterPoint& from = values_.points[*brushCorner_];
    const QPointF corner = frame.placeOf(from.x, from.y);
    QPointF other = corner;
    if (hovered() >= 0) {
        const ScatterPoint& to = values_.points[static_cast<std::size_t>(hovered())];
        other = frame.placeOf(to.x, to.y);
    }
    return QRectF(corner, other)
        .normalized()
        .adjusted(-kAroundPoint, -kAroundPoint, kAroundPoint, kAroundPoint);
}

void ScatterWidget::brushByKey() {
    if (hovered() < 0) {
        return;
    }
    if (!brushCorner_) {
        brushCorner_ = static_cast<std::size_t>(hovered());
    } else {
        Q_EMIT brushed(pointsIn(values_, frameHere(), keyBrush()));
        brushCorner_.reset();
    }
    update();
}

void ScatterWidget::mousePressEvent(QMouseEvent* event) {
    (event->button() == Qt::LeftButton ? brushFrom_ : panFrom_) = event->position();
}

void ScatterWidget::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (panFrom_) {
        const QRectF plot = frameHere().plot;
        const QPointF way = at - *panFrom_;
        panFrom_ = at;
        setView({moved(values_.x.scale, view_.x, -way.x() / plot.width()),
                 moved(values_.y.scale, view_.y, way.y() / plot.height())});
    } else if (brushFrom_) {
        brush_ = QRectF(*brushFrom_, at).normalized();
        update();
    } else {
        PlotWidget::mouseMoveEvent(event);
    }
}

void ScatterWidget::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && brushFrom_) {
        if (std::max(brush_.width(), brush_.height()) >= kLeastBrush) {
            endBrush();
        } else if (const int item = itemAt(event->position()); item >= 0) {
            pick(item, event->modifiers());
        } else {
            Q_EMIT brushed({});
        }
    }
    brushFrom_.reset();
    panFrom_.reset();
    brush_ = {};
    update();
}

void ScatterWidget::endBrush() {
    Q_EMIT brushed(pointsIn(values_, frameHere(), brush_));
}

void ScatterWidget::mouseDoubleClickEvent(QMouseEvent* /*event*/) {
    showAll();
}

void ScatterWidget::zoom(const QPointF& around, double factor) {
    const PlotFrame frame = frameHere();
    setView({zoomed(values_.x.scale, view_.x, frame.xAt(around.x()), factor),
             zoomed(values_.y.scale, view_.y, frame.yAt(around.y()), factor)});
}

void ScatterWidget::wheelEvent(QWheelEvent* event) {
    zoom(event->position(), std::exp2(event->angleDelta().y() / 480.0));
}

void ScatterWidget::keyPressEvent(QKeyEvent* event) {
    const QPointF centre = frameHere().plot.center();
    switch (event->key()) {
        case Qt::Key_F:
            showAll();
            return;
        case Qt::Key_B:
            brushByKey();
            return;
        case Qt::Key_Escape:
            if (brushCorner_ || !marks_.selected.empty()) {
                brushCorner_.reset();
                marks_.selected.clear();
                Q_EMIT brushed({});
                update();
                return;
            }
            PlotWidget::keyPressEvent(event);
            return;
        case Qt::Key_Plus:
        case Qt::Key_W:
            zoom(centre, kKeyZoom);
            return;
        case Qt::Key_Minus:
        case Qt::Key_S:
            zoom(centre, 1.0 / kKeyZoom);
            return;
        default:
            PlotWidget::keyPressEvent(event);
    }
}

}  // namespace fabricast
