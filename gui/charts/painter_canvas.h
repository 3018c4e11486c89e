#pragma once
#include "gui/charts/canvas.h"

#include <QFont>
class QImage;
class QPainter;

namespace fabricast {

/// What a picture is made of.
enum class CanvasKind : std::uint8_t { Pixels, Vectors };

/// A canvas on whatever Qt paints on: a window, an image, a page of a PDF. `density` is the number
/// of pixels in a length of 1. On an image whose painter is scaled by it, the pixels of strips and
/// of many markers are copied instead of painted.
///     QImage image(size * density, QImage::Format_ARGB32_Premultiplied);
///     QPainter painter(&image);
///     painter.scale(density, density);
///     PainterCanvas canvas(painter, density);
class PainterCanvas final : public Canvas {
public:
    PainterCanvas(QPainter& painter, double density, CanvasKind kind = CanvasKind::Pixels);

    using Canvas::line;
    void fill(const QRectF& box, const Filling& filling) override;
    void outline(const QRectF& box, const Stroke& stroke) override;
    void line(std::span<const QPointF> points, const Stroke& stroke) override;
    void area(std::span<const QPointF> corners, const QColor& colour) override;
    void markers(std::span<const PlacedMarker> places,
                 std::span<const MarkerStyle> styles) override;
    void strip(const QRectF& box, std::span<const QRgb> colours) override;
    void text(const QPointF& base, std::string_view words, const Lettering& style) override;
    void clip(const QRectF& box) override;
    void unclip() override;
    [[nodiscard]] double density() const override { return density_; }

private:
    void copyPixels(const QPoint& corner, const QImage& image);
    void stampMarkers(std::span<const PlacedMarker> places, std::span<const MarkerStyle> styles);

    QPainter& painter_;
    double density_;
    CanvasKind kind_;
    bool copiesPixels_;
    QFont font_;
};

}  // namespace fabricast
