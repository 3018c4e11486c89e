#pragma once
#include "gui/charts/canvas.h"

#include <vector>

namespace fabricast {

/// Another canvas with everything painted lower on it: below a title.
class LoweredCanvas final : public Canvas {
public:
    LoweredCanvas(Canvas& on, double by) : on_(on), by_(0.0, by) {}

    using Canvas::line;
    void fill(const QRectF& box, const Filling& filling) override {
        on_.fill(box.translated(by_), filling);
    }
    void outline(const QRectF& box, const Stroke& stroke) override {
        on_.outline(box.translated(by_), stroke);
    }
    void line(std::span<const QPointF> points, const Stroke& stroke) override {
        on_.line(lowered(points), stroke);
    }
    void area(std::span<const QPointF> corners, const QColor& colour) override {
        on_.area(lowered(corners), colour);
    }
    void markers(std::span<const PlacedMarker> places,
                 std::span<const MarkerStyle> styles) override {
        std::vector<PlacedMarker> moved(places.begin(), places.end());
        for (PlacedMarker& one : moved) {
            one.at += by_;
        }
        on_.markers(moved, styles);
    }
    void strip(const QRectF& box, std::span<const QRgb> colours) override {
        on_.strip(box.translated(by_), colours);
    }
    void text(const QPointF& base, std::string_view words, const Lettering& style) override {
        on_.text(base + by_, words, style);
    }
    void clip(const QRectF& box) override { on_.clip(box.translated(by_)); }
    void unclip() override { on_.unclip(); }
    [[nodiscard]] double density() const override { return on_.density(); }

private:
    [[nodiscard]] std::vector<QPointF> lowered(std::span<const QPointF> points) const {
        std::vector<QPointF> moved(points.begin(), points.end());
        for (QPointF& one : moved) {
            one += by_;
        }
        return moved;
    }

    Canvas& on_;
    QPointF by_;
};

}  // namespace fabricast
