#pragma once
#include "gui/charts/canvas.h"

#include <QSizeF>
#include <string>

namespace fabricast {

/// A canvas whose picture is a text: SVG, the same bytes in every locale and on every machine.
///     SvgCanvas canvas({640, 400}, "Memory per stage", describe());
///     chart.paintPlot(canvas, {640, 400}, theme);
///     const std::string file = canvas.document();
class SvgCanvas final : public Canvas {
public:
    /// Title and description are what a screen reader reads.
    SvgCanvas(const QSizeF& size, std::string_view title, std::string_view description);

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
    [[nodiscard]] double density() const override { return 2.0; }

    /// The whole file.
    [[nodiscard]] std::string document() const;

private:
    std::string body_;
    int clips_ = 0;
    bool clipped_ = false;
};

}  // namespace fabricast
