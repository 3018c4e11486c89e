#include "gui/charts/svg_canvas.h"

#include "gui/charts/marker_outline.h"
#include "gui/charts/strip_runs.h"
#include "planner/report/markup.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace fabricast {
namespace {

/// At most two decimals.
std::string svgCoordinate(double value) {
    std::array<char, 40> buffer{};
    const double rounded = std::round(value * 100.0) / 100.0 + 0.0;  // no "-0"
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), rounded);
    return {buffer.data(), end.ptr};
}

std::string svgAttribute(std::string_view name, double value) {
    return " " + std::string(name) + "=\"" + svgCoordinate(value) + "\"";
}

std::string svgAttribute(std::string_view name, std::string_view value) {
    return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}

/// A colour, and how much shines through.
std::string svgColour(std::string_view name, const QColor& colour) {
    std::string text = svgAttribute(name, colour.name().toStdString());
    if (colour.alpha() != 255) {
        text += svgAttribute(std::string(name) + "-opacity", colour.alphaF());
    }
    return text;
}

std::string svgStroke(const Stroke& stroke) {
    return svgColour("stroke", stroke.colour) + svgAttribute("stroke-width", stroke.width) +
           (stroke.dashed ? R"( stroke-dasharray="6 4")" : "");
}

std::string svgBox(const QRectF& box) {
    return "<rect" + svgAttribute("x", box.left()) + svgAttribute("y", box.top()) +
           svgAttribute("width", box.width()) + svgAttribute("height", box.height());
}

std::string svgPlace(const QPointF& at) {
    return svgCoordinate(at.x()) + " " + svgCoordinate(at.y());
}

/// "M1 2L3 4".
template <class Points>
std::string svgPath(const Points& points, const QPointF& shift = {}) {
    std::string path;
    for (const QPointF& point : points) {
        path += (path.empty() ? "M" : "L") + svgPlace(point + shift);
    }
    return path;
}

}  // namespace

SvgCanvas::SvgCanvas(const QSizeF& size, std::string_view title, std::string_view description)
    : body_(
          "<svg xmlns=\"http://www.w3.org/2000/svg\"" + svgAttribute("width", size.width()) +
          svgAttribute("height", size.height()) +
          svgAttribute("viewBox",
                       "0 0 " + svgCoordinate(size.width()) + " " + svgCoordinate(size.height())) +
          R"( role="img" font-family="system-ui, 'DejaVu Sans', sans-serif">)" + "\n<title>" +
          xmlEscaped(title) + "</title>\n<desc>" + xmlEscaped(description) +
          "</desc>\n<style>rect{shape-rendering:crispEdges}</style>\n") {}

void SvgCanvas::fill(const QRectF& box, const Filling& filling) {
    body_ += svgBox(box) + svgColour("fill", filling.colour) + "/>\n";
    if (!filling.ink.isValid()) {
        return;
    }
    std::string path;
    for (const QLineF& line : hatchLines(filling.pattern, box)) {
        path += "M" + svgPlace(line.p1()) + "L" + svgPlace(line.p2());
    }
    if (!path.empty()) {
        body_ += "<path" + svgAttribute("d", path) +
                 svgStroke({.colour = filling.ink, .width = 1.2}) + "/>\n";
    }
}

void SvgCanvas::outline(const QRectF& box, const Stroke& stroke) {
    body_ += svgBox(box) + R"( fill="none")" + svgStroke(stroke) + "/>\n";
}

void SvgCanvas::line(std::span<const QPointF> points, const Stroke& stroke) {
    body_ += "<path" + svgAttribute("d", svgPath(points)) +
             R"( fill="none" stroke-linejoin="round")" + svgStroke(stroke) + "/>\n";
}

void SvgCanvas::area(std::span<const QPointF> corners, const QColor& colour) {
    body_ +=
        "<path" + svgAttribute("d", svgPath(corners) + "Z") + svgColour("fill", colour) + "/>\n";
}

void SvgCanvas::markers(std::span<const PlacedMarker> places, std::span<const MarkerStyle> styles) {
    // Neighbours of one style are one path.
    for (std::size_t first = 0; first < places.size();) {
        const MarkerStyle& style = styles[places[first].style];
        const std::vector<QPolygonF> outlines = markerOutline(style.shape, style.size);
        std::string path;
        std::size_t next = first;
        for (; next < places.size() && places[next].style == places[first].style; ++next) {
            for (const QPolygonF& outline : outlines) {
                path += svgPath(outline, places[next].at) + "Z";
            }
        }
        body_ += "<path" + svgAttribute("d", path) + svgColour("fill", style.colour) + "/>\n";
        first = next;
    }
}

void SvgCanvas::strip(const QRectF& box, std::span<const QRgb> colours) {
    for (const StripRun& run : stripRuns(box, colours)) {
        fill(run.box, {QColor::fromRgba(run.colour)});
    }
}

void SvgCanvas::text(const QPointF& base, std::string_view words, const Lettering& style) {
    constexpr std::array kAnchors = {"start", "middle", "end"};
    body_ += "<text" + svgAttribute("x", base.x()) + svgAttribute("y", base.y()) +
             svgAttribute("font-size", style.size) + svgColour("fill", style.colour) +
             svgAttribute("text-anchor", kAnchors.at(static_cast<std::size_t>(style.anchor))) +
             (style.bold ? R"( font-weight="600")" : "") + ">" + xmlEscaped(words) + "</text>\n";
}

void SvgCanvas::clip(const QRectF& box) {
    unclip();
    const std::string id = "clip" + std::to_string(++clips_);
    body_ += "<clipPath" + svgAttribute("id", id) + ">" + svgBox(box) + "/></clipPath>\n<g" +
             svgAttribute("clip-path", "url(#" + id + ")") + ">\n";
    clipped_ = true;
}

void SvgCanvas::unclip() {
    body_ += clipped_ ? "</g>\n" : "";
    clipped_ = false;
}

std::string SvgCanvas::document() const {
    return body_ + (clipped_ ? "</g>\n</svg>\n" : "</svg>\n");
}

}  // namespace fabricast
