#include "gui/charts/plot_widget.h"

#include "gui/charts/painter_canvas.h"
#include "gui/charts/plot_frame.h"
#include "gui/charts/tip_place.h"

#include <QEvent>
#include <QFocusEvent>
#include <QFontInfo>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <vector>

namespace fabricast {
namespace {

std::optional<HoverStep> stepOf(int key) {
    switch (key) {
        case Qt::Key_Left:
            return HoverStep::Left;
        case Qt::Key_Right:
            return HoverStep::Right;
        case Qt::Key_Up:
            return HoverStep::Up;
        case Qt::Key_Down:
            return HoverStep::Down;
        default:
            return std::nullopt;
    }
}

std::vector<std::string> tipLines(const std::string& text) {
    std::vector<std::string> lines;
    for (const QString& line : QString::fromStdString(text).split('\n')) {
        lines.push_back(line.toStdString());
    }
    return lines;
}

}  // namespace

QPointF directionOf(HoverStep step) {
    switch (step) {
        case HoverStep::Left:
            return {-1.0, 0.0};
        case HoverStep::Right:
            return {1.0, 0.0};
        case HoverStep::Up:
            return {0.0, -1.0};
        case HoverStep::Down:
            break;
    }
    return {0.0, 1.0};
}

PlotWidget::PlotWidget(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
}

void PlotWidget::setTheme(const ChartTheme& theme) {
    theme_ = theme;
    refresh();
}

ChartTheme PlotWidget::themeHere() const {
    ChartTheme theme = theme_;
    theme.textSize = QFontInfo(font()).pixelSize();
    return theme;
}

void PlotWidget::announce(const std::string& title) {
    if (!title.empty()) {
        setAccessibleName(QString::fromStdString(title));
    }
    description_ = QString::fromStdString(describe());
    setAccessibleDescription(description_);
    setHovered(-1);
    refresh();
}

void PlotWidget::refresh() {
    picture_ = QPixmap();
    update();
}

void PlotWidget::setHovered(int item) {
    if (item == hovered_) {
        return;
    }
    hovered_ = item;
    const QString text = item < 0 ? QString() : QString::fromStdString(tipOf(item).text);
    setAccessibleDescription(item < 0 ? description_ : text);
    update();
    Q_EMIT hoverChanged(text);
}

void PlotWidget::paintAbove(Canvas& /*canvas*/) const {}

void PlotWidget::paintPicture(double density) {
    picture_ = QPixmap(size() * density);
    QPainter painter(&picture_);
    painter.scale(density, density);
    painter.setFont(font());
    PainterCanvas canvas(painter, density);
    paintPlot(canvas, size(), themeHere());
    painter.end();
    picture_.setDevicePixelRatio(density);
}

void PlotWidget::paintEvent(QPaintEvent* /*event*/) {
    const double density = devicePixelRatioF();
    if (picture_.size() != size() * density) {
        paintPicture(density);
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, picture_);
    PainterCanvas canvas(painter, density);
    paintAbove(canvas);
    if (hovered_ >= 0) {
        paintTip(canvas, tipOf(hovered_));
    }
    if (hasFocus()) {
        canvas.outline(QRectF(rect()).adjusted(1.0, 1.0, -1.0, -1.0),
                       {.colour = theme_.accent, .width = 2.0});
    }
}

void PlotWidget::paintTip(Canvas& canvas, const HoverTip& tip) const {
    const ChartTheme theme = themeHere();
    const double letters = theme.textSize;
    if (!tip.crosshair.isEmpty()) {
        const QPointF at = tip.around.center();
        const Stroke thin{.colour = theme.accent, .dashed = true};
        canvas.line({tip.crosshair.left(), at.y()}, {tip.crosshair.right(), at.y()}, thin);
        canvas.line({at.x(), tip.crosshair.top()}, {at.x(), tip.crosshair.bottom()}, thin);
    }
    if (!tip.around.isEmpty()) {
        canvas.outline(tip.around, {.colour = theme.page, .width = 4.0});
        canvas.outline(tip.around, {.colour = theme.accent, .width = 2.0});
    }
    const std::vector<std::string> lines = tipLines(tip.text);
    double width = 0.0;
    for (const std::string& line : lines) {
        width = std::max(width, roughTextWidth(line, letters));
    }
    const QSizeF wanted(width + letters * 1.2,
                        letters * (1.4 * static_cast<double>(lines.size()) + 0.8));
    const QRectF box = tipPlace(tip.around, wanted, size());
    canvas.fill(box, {theme.page});
    canvas.outline(box, {.colour = theme.axis});
    QPointF base = box.topLeft() + QPointF(letters * 0.6, letters * 1.4);
    for (const std::string& line : lines) {
        canvas.text(base, line, {.colour = theme.text, .size = letters});
        base.ry() += letters * 1.4;
    }
}

void PlotWidget::mouseMoveEvent(QMouseEvent* event) {
    setHovered(itemAt(event->position()));
}

void PlotWidget::mousePressEvent(QMouseEvent* event) {
    const int item = itemAt(event->position());
    if (event->button() == Qt::LeftButton && item >= 0) {
        pick(item, event->modifiers());
    }
}

void PlotWidget::leaveEvent(QEvent* /*event*/) {
    setHovered(-1);
}

void PlotWidget::keyPressEvent(QKeyEvent* event) {
    if (const std::optional<HoverStep> step = stepOf(event->key())) {
        const int next = itemBeside(hovered_, *step);
        setHovered(next >= 0 ? next : hovered_);
        return;
    }
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            if (hovered_ >= 0) {
                pick(hovered_, event->modifiers());
            }
            return;
        case Qt::Key_Escape:
            if (hovered_ >= 0) {
                setHovered(-1);
                return;
            }
            break;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

void PlotWidget::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void PlotWidget::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void PlotWidget::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) {
        refresh();
    }
    QWidget::changeEvent(event);
}

}  // namespace fabricast
