#include "gui/charts/painter_canvas.h"

#include "gui/charts/marker_outline.h"
#include "gui/charts/strip_runs.h"

#include <QBrush>
#include <QFontMetricsF>
#include <QImage>
#include <QPaintDevice>
#include <QPainter>
#include <QPainterPath>
#include <QPen>
#include <QString>
#include <QTransform>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

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

/// A marker in the middle of an image of odd width and height.
QImage markerStamp(const MarkerStyle& style, double density) {
    const QPainterPath path = outlinePath(style.shape, style.size);
    const QRectF bounds = path.boundingRect();
    const double reach = std::max({-bounds.left(), bounds.right(), -bounds.top(), bounds.bottom()});
    const int pixels = 2 * static_cast<int>(std::ceil(reach * density)) + 1;
    QImage image(pixels, pixels, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(pixels / 2.0, pixels / 2.0);
    painter.scale(density, density);
    painter.fillPath(path, style.colour);
    return image;
}

}  // namespace

PainterCanvas::PainterCanvas(QPainter& painter, double density, CanvasKind kind)
    : painter_(painter),
      density_(density),
      kind_(kind),
      copiesPixels_(kind == CanvasKind::Pixels &&
                    painter.worldTransform() == QTransform::fromScale(density, density) &&
                    painter.device()->devicePixelRatioF() == 1.0),
      font_(painter.font()) {
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.setRenderHint(QPainter::TextAntialiasing);
}

void PainterCanvas::fill(const QRectF& box, const Filling& filling) {
    // Whole pixels, so that no seam shows between boxes side by side.
    painter_.setRenderHint(QPainter::Antialiasing, kind_ == CanvasKind::Vectors);
    painter_.fillRect(box, filling.colour);
    painter_.setRenderHint(QPainter::Antialiasing);
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

void PainterCanvas::copyPixels(const QPoint& corner, const QImage& image) {
    const QTransform scaled = painter_.worldTransform();
    painter_.resetTransform();
    painter_.drawImage(corner, image);
    painter_.setWorldTransform(scaled);
}

void PainterCanvas::markers(std::span<const PlacedMarker> places,
                            std::span<const MarkerStyle> styles) {
    constexpr std::size_t kWorthStamps = 32;
    if (copiesPixels_ && places.size() >= kWorthStamps) {
        stampMarkers(places, styles);
        return;
    }
    for (const PlacedMarker& place : places) {
        const MarkerStyle& style = styles[place.style];
        painter_.fillPath(outlinePath(style.shape, style.size).translated(place.at), style.colour);
    }
}

void PainterCanvas::stampMarkers(std::span<const PlacedMarker> places,
                                 std::span<const MarkerStyle> styles) {
    std::vector<QImage> stamps;
    for (const MarkerStyle& style : styles) {
        stamps.push_back(markerStamp(style, density_));
    }
    const QTransform scaled = painter_.worldTransform();
    painter_.resetTransform();
    for (const PlacedMarker& place : places) {
        const QImage& stamp = stamps[place.style];
        const QPointF half(stamp.width() / 2.0, stamp.height() / 2.0);
        painter_.drawImage((place.at * density_ - half).toPoint(), stamp);
    }
    painter_.setWorldTransform(scaled);
}

void PainterCanvas::strip(const QRectF& box, std::span<const QRgb> colours) {
    if (!copiesPixels_) {
        for (const StripRun& run : stripRuns(box, colours)) {
            painter_.fillRect(run.box, QColor::fromRgba(run.colour));
        }
        return;
    }
    const int height = std::max(1, static_cast<int>(std::lround(box.height() * density_)));
    const auto width = static_cast<int>(colours.size());
    const bool opaque =
        std::ranges::all_of(colours, [](QRgb colour) { return qAlpha(colour) == 255; });
    QImage image(
        width, height, opaque ? QImage::Format_RGB32 : QImage::Format_ARGB32_Premultiplied);
    for (int row = 0; row < height; ++row) {
        std::ranges::copy(colours, reinterpret_cast<QRgb*>(image.scanLine(row)));
    }
    copyPixels((box.topLeft() * density_).toPoint(), image);
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
