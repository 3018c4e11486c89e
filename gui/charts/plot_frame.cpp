#include "gui/charts/plot_frame.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fabricast {
namespace {

/// Distances in letters.
constexpr double kPad = 0.8;
constexpr double kTitleHeight = 2.1;
constexpr double kLineHeight = 1.5;
constexpr double kTitleLetters = 1.15;
constexpr double kKeyWidth = 1.4;

double longestLabel(const AxisTicks& ticks, double textSize) {
    double widest = 0.0;
    for (const Tick& tick : ticks.ticks) {
        widest = std::max(widest, roughTextWidth(tick.label, textSize));
    }
    return widest;
}

bool labelsOverlap(const PlotFrame& frame, double textSize) {
    double end = -1e9;
    for (const Tick& tick : frame.xTicks.ticks) {
        const double half = roughTextWidth(tick.label, textSize) / 2;
        const double at = frame.xOf(tick.value);
        if (at - half < end + textSize * 0.6) {
            return true;
        }
        end = at + half;
    }
    return false;
}

/// As many as there is space for.
void setXTicks(PlotFrame& frame, const Axis& axis, double textSize) {
    auto most = static_cast<std::size_t>(std::max(2.0, frame.plot.width() / (textSize * 4)));
    do {
        frame.xTicks = axisTicks(axis, frame.xRange, most);
    } while (labelsOverlap(frame, textSize) && --most > 1);
}

void paintGrid(Canvas& canvas, const PlotFrame& frame, const ChartTheme& theme) {
    const Stroke grid{theme.grid};
    for (const Tick& tick : frame.xTicks.ticks) {
        const double x = frame.xOf(tick.value);
        canvas.line({x, frame.plot.top()}, {x, frame.plot.bottom()}, grid);
    }
    for (const Tick& tick : frame.yTicks.ticks) {
        const double y = frame.yOf(tick.value);
        canvas.line({frame.plot.left(), y}, {frame.plot.right(), y}, grid);
    }
}

void paintLabels(Canvas& canvas, const PlotFrame& frame, const ChartTheme& theme) {
    const double size = theme.textSize;
    for (const Tick& tick : frame.xTicks.ticks) {
        canvas.text({frame.xOf(tick.value), frame.plot.bottom() + size * 1.3},
                    tick.label,
                    {.colour = theme.faint, .size = size, .anchor = TextAnchor::Middle});
    }
    for (const Tick& tick : frame.yTicks.ticks) {
        canvas.text({frame.plot.left() - size * 0.5, frame.yOf(tick.value) + size * 0.36},
                    tick.label,
                    {.colour = theme.faint, .size = size, .anchor = TextAnchor::End});
    }
}

void paintKey(Canvas& canvas, const LegendEntry& entry, const QRectF& key) {
    using Key = LegendEntry::Key;
    const QPointF middle = key.center();
    if (entry.key == Key::Area) {
        canvas.fill(key, entry.filling);
        return;
    }
    if (entry.key != Key::Marker) {
        canvas.line(
            {key.left(), middle.y()},
            {key.right(), middle.y()},
            {.colour = entry.filling.colour, .width = 2.0, .dashed = entry.key == Key::DashedLine});
    }
    if (entry.key == Key::Marker || entry.key == Key::MarkedLine) {
        canvas.marker(middle, {entry.marker, entry.filling.colour, key.height() * 0.75});
    }
}

/// The x axis is named at its right end, the y axis above its upper end.
void paintCaptions(Canvas& canvas,
                   const PlotFrame& frame,
                   const FrameParts& parts,
                   const ChartTheme& theme) {
    const double size = theme.textSize;
    if (parts.bottomNames == 0.0) {
        canvas.text({frame.plot.right(), frame.plot.bottom() + size * 2.8},
                    axisCaption(parts.x, frame.xTicks),
                    {.colour = theme.text, .size = size, .anchor = TextAnchor::End});
    }
    if (parts.leftNames == 0.0) {
        canvas.text({size * kPad, frame.plot.top() - size * 0.7},
                    axisCaption(parts.y, frame.yTicks),
                    {.colour = theme.text, .size = size});
    }
}

}  // namespace

double PlotFrame::xOf(double value) const {
    return plot.left() + plot.width() * shareOf(xScale, xRange, value);
}

double PlotFrame::yOf(double value) const {
    return plot.bottom() - plot.height() * shareOf(yScale, yRange, value);
}

double PlotFrame::xAt(double pixel) const {
    return valueAt(xScale, xRange, (pixel - plot.left()) / plot.width());
}

double PlotFrame::yAt(double pixel) const {
    return valueAt(yScale, yRange, (plot.bottom() - pixel) / plot.height());
}

std::vector<LegendPlace> legendPlaces(const std::vector<LegendEntry>& entries,
                                      const QPointF& corner,
                                      double width,
                                      double textSize) {
    std::vector<LegendPlace> places;
    QPointF at = corner;
    for (const LegendEntry& entry : entries) {
        const double wide =
            std::min(textSize * (kKeyWidth + 0.4) + roughTextWidth(entry.name, textSize), width);
        if (at.x() > corner.x() && at.x() + wide > corner.x() + width) {
            at = {corner.x(), at.y() + textSize * kLineHeight};
        }
        places.push_back({entry, QRectF(at.x(), at.y(), wide, textSize * kLineHeight)});
        at.rx() += wide + textSize;
    }
    return places;
}

QRectF belowTitle(const QSizeF& size, std::string_view title, double textSize) {
    const double top = title.empty() ? textSize * kPad : textSize * (kTitleHeight + 0.4);
    const QRectF page({0.0, 0.0}, size);
    return page.adjusted(textSize * kPad, top, -textSize * kPad, -textSize * kPad);
}

PlotFrame plotFrame(const FrameParts& parts,
                    const ValueRange& xRange,
                    const ValueRange& yRange,
                    const QSizeF& size,
                    double textSize) {
    PlotFrame frame{
        .xRange = xRange, .yRange = yRange, .xScale = parts.x.scale, .yScale = parts.y.scale};
    const QRectF inner = belowTitle(size, parts.title, textSize);
    frame.legend = legendPlaces(parts.legend, inner.topLeft(), inner.width(), textSize);
    double top =
        frame.legend.empty() ? inner.top() : frame.legend.back().box.bottom() + textSize * 0.4;
    top += parts.leftNames == 0.0 ? textSize * 1.8 : 0.0;
    const double below = parts.bottomNames == 0.0 ? textSize * 2.6 : parts.bottomNames;
    const double bottom = std::max(inner.bottom() - below, top + 1.0);
    double left = parts.leftNames;
    if (parts.leftNames == 0.0) {
        const auto most = static_cast<std::size_t>(std::max(2.0, (bottom - top) / (textSize * 3)));
        frame.yTicks = axisTicks(parts.y, yRange, most);
        left = longestLabel(frame.yTicks, textSize) + textSize * 0.5;
    }
    left = std::min(inner.left() + left, inner.right() - 1.0);
    frame.plot = QRectF(QPointF(left, top), QPointF(inner.right() - textSize * 0.8, bottom));
    if (parts.bottomNames == 0.0) {
        setXTicks(frame, parts.x, textSize);
    }
    return frame;
}

QRectF paintPage(Canvas& canvas,
                 const QSizeF& size,
                 std::string_view title,
                 const ChartTheme& theme) {
    canvas.fill(QRectF({0.0, 0.0}, size), {theme.page});
    const double letters = theme.textSize * kTitleLetters;
    canvas.text({theme.textSize * kPad, theme.textSize * (kTitleHeight - 0.5)},
                shortened(title, size.width() - 2 * letters, letters),
                {.colour = theme.text, .size = letters, .bold = true});
    return belowTitle(size, title, theme.textSize);
}

void paintLegend(Canvas& canvas, const std::vector<LegendPlace>& legend, const ChartTheme& theme) {
    const double size = theme.textSize;
    for (const LegendPlace& place : legend) {
        const QRectF key(place.box.left(), place.box.top() + size * 0.25, size * kKeyWidth, size);
        paintKey(canvas, place.entry, key);
        canvas.text({key.right() + size * 0.4, key.center().y() + size * 0.36},
                    place.entry.name,
                    {.colour = theme.text, .size = size});
    }
}

void paintFrame(Canvas& canvas,
                const PlotFrame& frame,
                const FrameParts& parts,
                const ChartTheme& theme) {
    canvas.fill(frame.plot, {theme.plot});
    paintLegend(canvas, frame.legend, theme);
    paintGrid(canvas, frame, theme);
    canvas.line(frame.plot.bottomLeft(), frame.plot.bottomRight(), {theme.axis});
    paintLabels(canvas, frame, theme);
    paintCaptions(canvas, frame, parts, theme);
}

}  // namespace fabricast
