#include "gui/charts/timeline_widget.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

constexpr double kZoomByKey = 1.5;
constexpr double kMoveByKey = 0.2;
constexpr double kHighestPicture = 12'000.0;  ///< pixels, of which a screen may have two in each
constexpr double kLeastDrag = 4.0;            ///< pixels; less is a click

}  // namespace

TimelineWidget::TimelineWidget(QWidget* parent) : PlotWidget(parent) {
    setObjectName("timeline");
}

void TimelineWidget::setValues(TimelineValues values) {
    values_ = std::move(values);
    firstItem_.assign(1, 0);
    for (const SpanLane& lane : values_.lanes) {
        firstItem_.push_back(firstItem_.back() + static_cast<int>(lane.size()));
    }
    selected_.reset();
    view_ = {.time = wholeTime(values_)};
    announce(values_.title);
}

void TimelineWidget::setView(const ValueRange& view) {
    view_.time = view;
    setHovered(-1);
    refresh();
    Q_EMIT viewChanged(view.low, view.high);
}

void TimelineWidget::showAll() {
    setView(wholeTime(values_));
}

void TimelineWidget::showLane(std::size_t lane) {
    scroll(static_cast<int>(lane) - static_cast<int>(view_.firstLane));
}

void TimelineWidget::select(std::optional<SpanRef> span) {
    selected_ = span;
    if (span) {
        reveal(*span);
    }
    update();
}

TimelineLayout TimelineWidget::layoutHere() const {
    return timelineLayout(values_, view_, size(), themeHere());
}

SpanRef TimelineWidget::spanOf(int item) const {
    const auto after = std::ranges::upper_bound(firstItem_, item);
    const auto lane = static_cast<std::uint32_t>(after - firstItem_.begin()) - 1;
    return {lane, static_cast<std::uint32_t>(item - firstItem_[lane])};
}

int TimelineWidget::itemOf(const std::optional<SpanRef>& span) const {
    return span ? firstItem_[span->lane] + static_cast<int>(span->span) : -1;
}

void TimelineWidget::paintView(Canvas& canvas,
                               const TimelineView& view,
                               const QSizeF& size,
                               const ChartTheme& theme) const {
    paintPage(canvas, size, values_.title, theme);
    paintTimeline(canvas, values_, timelineLayout(values_, view, size, theme), theme);
}

void TimelineWidget::paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const {
    paintView(canvas, view_, size, theme);
}

QSizeF TimelineWidget::wholeSize() const {
    QSizeF whole = size();
    const auto shown = [&] {
        return timelineLayout(values_, {.time = view_.time}, whole, theme()).lanes.size();
    };
    while (shown() < values_.lanes.size() && whole.height() < kHighestPicture) {
        const auto left = static_cast<double>(values_.lanes.size() - shown());
        whole.rheight() += theme().textSize * left;
    }
    return whole;
}

void TimelineWidget::paintWhole(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const {
    paintView(canvas, {.time = view_.time}, size, theme);
}

std::string TimelineWidget::describe() const {
    return describeTimeline(values_);
}

Table TimelineWidget::table() const {
    return timelineTable(values_);
}

int TimelineWidget::itemAt(const QPointF& place) const {
    return itemOf(spanAt(values_, layoutHere(), place));
}

int TimelineWidget::itemBeside(int item, HoverStep step) const {
    if (item < 0) {
        const double middle = (view_.time.low + view_.time.high) / 2;
        return itemOf(spanNear(values_, view_.firstLane, middle));
    }
    switch (step) {
        case HoverStep::Left:
            return itemOf(spanBeside(values_, spanOf(item), -1));
        case HoverStep::Right:
            return itemOf(spanBeside(values_, spanOf(item), 1));
        case HoverStep::Up:
            return itemOf(spanInLaneBeside(values_, spanOf(item), -1));
        case HoverStep::Down:
            break;
    }
    return itemOf(spanInLaneBeside(values_, spanOf(item), 1));
}

HoverTip TimelineWidget::tipOf(int item) const {
    const SpanRef span = spanOf(item);
    return {.around = spanBox(values_, layoutHere(), span), .text = spanText(values_, span)};
}

void TimelineWidget::pick(int item, Qt::KeyboardModifiers /*modifiers*/) {
    const SpanRef span = spanOf(item);
    selected_ = span;
    update();
    Q_EMIT spanPicked(static_cast<int>(span.lane), static_cast<int>(span.span));
}

void TimelineWidget::paintAbove(Canvas& canvas) const {
    if (selected_) {
        const QRectF box = spanBox(values_, layoutHere(), *selected_);
        if (!box.isEmpty()) {
            canvas.outline(box, {.colour = theme().text, .width = 3.0});
        }
    }
}

void TimelineWidget::mousePressEvent(QMouseEvent* event) {
    panFrom_ = event->position();
    panned_ = false;
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event) {
    if (!panFrom_) {
        PlotWidget::mouseMoveEvent(event);
        return;
    }
    const double way = event->position().x() - panFrom_->x();
    if (panned_ || std::abs(way) >= kLeastDrag) {
        panned_ = true;
        panFrom_ = event->position();
        setView(timeMoved(values_, view_.time, -way / layoutHere().frame.plot.width()));
    }
}

void TimelineWidget::mouseReleaseEvent(QMouseEvent* event) {
    if (!panned_ && event->button() == Qt::LeftButton) {
        PlotWidget::mousePressEvent(event);
    }
    panFrom_.reset();
    panned_ = false;
}

void TimelineWidget::wheelEvent(QWheelEvent* event) {
    const int notches = event->angleDelta().y();
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        scroll(notches > 0 ? -1 : 1);
        return;
    }
    const double around = layoutHere().frame.xAt(event->position().x());
    setView(timeZoomed(values_, view_.time, around, std::exp2(notches / 240.0)));
}

void TimelineWidget::scroll(int lanes) {
    const auto room = static_cast<int>(layoutHere().laneRoom);
    const int last = std::max(0, static_cast<int>(values_.lanes.size()) - room);
    const int first = static_cast<int>(view_.firstLane) + lanes;
    view_.firstLane = static_cast<std::size_t>(std::clamp(first, 0, last));
    setHovered(-1);
    refresh();
}

void TimelineWidget::reveal(const SpanRef& span) {
    const SpanLane& lane = values_.lanes[span.lane];
    const TimelineLayout layout = layoutHere();
    if (span.lane < layout.firstLane) {
        view_.firstLane = span.lane;
    } else if (span.lane >= layout.firstLane + layout.lanes.size() && !layout.lanes.empty()) {
        view_.firstLane = span.lane + 1 - layout.lanes.size();
    }
    if (lane.end[span.span] < view_.time.low || lane.start[span.span] > view_.time.high) {
        const double middle = (view_.time.low + view_.time.high) / 2;
        view_.time =
            timeMoved(values_, view_.time, (lane.start[span.span] - middle) / view_.time.span());
    }
    refresh();
}

void TimelineWidget::keyPressEvent(QKeyEvent* event) {
    const double middle = (view_.time.low + view_.time.high) / 2;
    switch (event->key()) {
        case Qt::Key_W:
            setView(timeZoomed(values_, view_.time, middle, kZoomByKey));
            return;
        case Qt::Key_S:
            setView(timeZoomed(values_, view_.time, middle, 1.0 / kZoomByKey));
            return;
        case Qt::Key_A:
            setView(timeMoved(values_, view_.time, -kMoveByKey));
            return;
        case Qt::Key_D:
            setView(timeMoved(values_, view_.time, kMoveByKey));
            return;
        case Qt::Key_F:
            showAll();
            return;
        default:
            break;
    }
    const int before = hovered();
    PlotWidget::keyPressEvent(event);
    if (hovered() >= 0 && hovered() != before) {
        reveal(spanOf(hovered()));
    }
}

}  // namespace fabricast
