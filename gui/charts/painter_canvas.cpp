#include "gui/charts/painter_canvas.h"

#include "gui/charts/marker_outline.h"
#include "gui/charts/strip_runs.h"

#include <QBrush>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QPen>
#include <QString>
#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

QPen penOf(const Stroke& stroke) {
    QPen pen(stroke.colour, stroke.width);
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::RoundJoin);
    if (stroke.dashed) {
        pen.setDashPattern({4.0, 3.0});
    }
    return pen;
}

QPainterPath outlinePath(MarkerShape shape, double size) {
    QPainterPath path;
    for (const QPolygonF& outline : markerOutline(shape, size)) {
        path.addPolygon(outline);
        path.closeSubpath();
    }
    return path;
}

}  // namespace

PainterCanvas::PainterCanvas(QPainter& painter, double density, CanvasKind kind)
    : painter_(painter), density_(density), kind_(kind), font_(painter.font()) {
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.setRenderHint(QPainter::TextAntialiasing);
}

void PainterCanvas::fill(const QRectF& box, const Filling& filling) {
    painter_.fillRect(box, filling.colour);
    if (filling.pattern == FillPattern::Solid || !filling.ink.isValid()) {
        return;
    }
    const std::vector<QLineF> lines = hatchLines(filling.pattern, box);
    painter_.setPen(penOf({.colour = filling.ink, .width = 1.2}));
    painter_.drawLines(lines.data(), static_cast<int>(lines.size()));
}

void PainterCanvas::outline(const QRectF& box, const Stroke& stroke) {
    painter_.setPen(penOf(stroke));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRect(box);
}

void PainterCanvas::line(std::span<const QPointF> points, const Stroke& stroke) {
    painter_.setPen(penOf(stroke));
    const bool straight =
        points.size() == 2 && (points[0].x() == points[1].x() || points[0].y() == points[1].y());
    // On the grid of pixels, so that a thin line is not smeared over two.
    painter_.setRenderHint(QPainter::Antialiasing, !straight || kind_ == CanvasKind::Vectors);
    painter_.drawPolyline(points.data(), static_cast<int>(points.size()));
    painter_.setRenderHint(QPainter::Antialiasing);
}

void PainterCanvas::area(std::span<const QPointF> corners, const QColor& colour) {
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(colour);
    painter_.drawPolygon(corners.data(), static_cast<int>(corners.size()));
}

QImage PainterCanvas::stamp(MarkerShape shape, const QColor& colour, double size) const {
    const int pixels = static_cast<int>(std::ceil(size * 1.4 * density_)) + 2;
    QImage image(pixels, pixels, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    image.setDevicePixelRatio(density_);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(pixels / density_ / 2, pixels / density_ / 2);
    painter.fillPath(outlinePath(shape, size), colour);
    return image;
}

void PainterCanvas::paintMarker(const QPointF& place,
                                MarkerShape shape,
                                const QColor& colour,
                                double size) {
    painter_.fillPath(outlinePath(shape, size).translated(place), colour);
}

void PainterCanvas::markers(std::span<const QPointF> places,
                            MarkerShape shape,
                            const QColor& colour,
                            double size) {
    constexpr std::size_t kWorthAStamp = 8;
    if (kind_ == CanvasKind::Vectors || places.size() < kWorthAStamp) {
        for (const QPointF& place : places) {
            paintMarker(place, shape, colour, size);
        }
        return;
    }
    const QImage image = stamp(shape, colour, size);
    const double half = image.width() / density_ / 2;
    for (const QPointF& place : places) {
        const QPointF corner = (place - QPointF(half, half)) * density_;
        painter_.drawImage(QPointF(std::round(corner.x()), std::round(corner.y())) / density_,
                           image);
    }
}

void PainterCanvas::strip(const QRectF& box, std::span<const QRgb> colours) {
    if (kind_ == CanvasKind::Vectors) {
        for (const StripRun& run : stripRuns(box, colours)) {
            painter_.fillRect(run.box, QColor::fromRgba(run.colour));
        }
        return;
    }
    const int height = std::max(1, static_cast<int>(std::lround(box.height() * density_)));
    QImage image(static_cast<int>(colours.size()), height, QImage::Format_ARGB32_Premultiplied);
    for (int row = 0; row < height; ++row) {
        std::ranges::copy(colours, reinterpret_cast<QRgb*>(image.scanLine(row)));
    }
    image.setDevicePixelRatio(density_);
    const QPointF corner = box.topLeft() * density_;
    painter_.drawImage(QPointF(std::round(corner.x()), std::round(corner.y())) / density_, image);
}

void PainterCanvas::text(const QPointF& base, std::string_view words, const Lettering& style) {
    const QString text = QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
    font_.setPixelSize(std::max(1, static_cast<int>(std::lround(style.size))));
    font_.setBold(style.bold);
    painter_.setFont(font_);
    painter_.setPen(style.colour);
    QPointF at = base;
    if (style.anchor != TextAnchor::Start) {
        const double width = QFontMetricsF(font_).horizontalAdvance(text);
        at.rx() -= style.anchor == TextAnchor::End ? width : width / 2;
    }
    painter_.drawText(at, text);
}

void PainterCanvas::clip(const QRectF& box) {
    painter_.setClipRect(box);
}

void PainterCanvas::unclip() {
    painter_.setClipping(false);
}

}  // namespace fabricast
