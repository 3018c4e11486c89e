#pragma once
#include <QColor>
#include <QPointF>
#include <QRectF>
#include <QRgb>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace fabricast {

/// What an area is hatched with, so that no two are told apart by colour alone.
enum class FillPattern : std::uint8_t {
    Solid,
    Rising,
    Falling,
    Dots,
    Rows,
    Columns,
    Crossed,
    Grid,
    Count_
};

enum class MarkerShape : std::uint8_t {
    Circle,
    Square,
    Triangle,
    Diamond,
    Plus,
    Star,
    Hexagon,
    DownTriangle,
    Cross,
    Ring,
    Count_
};

struct MarkerStyle {
    MarkerShape shape = MarkerShape::Circle;
    QColor colour;
    double size = 8.0;  ///< its width
};

struct PlacedMarker {
    QPointF at;
    std::uint8_t style = 0;
};

struct Filling {
    QColor colour;
    FillPattern pattern = FillPattern::Solid;
    QColor ink;  ///< of the pattern
};

struct Stroke {
    QColor colour;
    double width = 1.0;
    bool dashed = false;
};

enum class TextAnchor : std::uint8_t { Start, Middle, End };

struct Lettering {
    QColor colour;
    double size = 12.0;  ///< in pixels
    TextAnchor anchor = TextAnchor::Start;
    bool bold = false;
};

/// This is all that the charts ask of a surface, so that the same code paints windows, PNG, PDF
/// and SVG. Lengths are in device-independent pixels.
class Canvas {
public:
    Canvas() = default;
    Canvas(const Canvas&) = delete;
    Canvas& operator=(const Canvas&) = delete;
    virtual ~Canvas() = default;

    virtual void fill(const QRectF& box, const Filling& filling) = 0;
    virtual void outline(const QRectF& box, const Stroke& stroke) = 0;
    /// Through all points, open.
    virtual void line(std::span<const QPointF> points, const Stroke& stroke) = 0;
    virtual void area(std::span<const QPointF> corners, const QColor& colour) = 0;
    /// Each in the style that it has the index of; later ones cover earlier ones.
    virtual void markers(std::span<const PlacedMarker> places,
                         std::span<const MarkerStyle> styles) = 0;
    /// One colour per column of pixels, stretched down the box; each opaque or transparent.
    virtual void strip(const QRectF& box, std::span<const QRgb> colours) = 0;
    /// `base` is on the line on which the letters stand.
    virtual void text(const QPointF& base, std::string_view words, const Lettering& style) = 0;
    /// Until `unclip`, nothing outside the box is painted. Clips do not nest.
    virtual void clip(const QRectF& box) = 0;
    virtual void unclip() = 0;
    /// How many columns of a strip there are in one pixel.
    [[nodiscard]] virtual double density() const = 0;

    void marker(const QPointF& at, const MarkerStyle& style) {
        const PlacedMarker place{at, 0};
        markers({&place, 1}, {&style, 1});
    }
    void line(const QPointF& from, const QPointF& to, const Stroke& stroke) {
        const std::array both = {from, to};
        line(both, stroke);
    }
};

}  // namespace fabricast
