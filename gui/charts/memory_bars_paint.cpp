#include "gui/charts/memory_bars.h"
#include "gui/charts/name_column.h"

#include <algorithm>

namespace fabricast {
namespace {

/// A line with a short bar at each end, on a paler one so that it shows on any colour.
void paintWhisker(Canvas& canvas,
                  const ValueRange& whisker,
                  const QRectF& box,
                  const ChartTheme& theme) {
    const double y = box.center().y();
    const double cap = std::min(box.height() * 0.22, 6.0);
    for (const Stroke& stroke : {Stroke{theme.page, 4.0}, Stroke{theme.text, 1.5}}) {
        canvas.line({whisker.low, y}, {whisker.high, y}, stroke);
        canvas.line({whisker.low, y - cap}, {whisker.low, y + cap}, stroke);
        canvas.line({whisker.high, y - cap}, {whisker.high, y + cap}, stroke);
    }
}

void paintMemoryTotal(Canvas& canvas,
                      const std::string& words,
                      const QRectF& plate,
                      const ChartTheme& theme) {
    const double size = theme.textSize;
    canvas.fill(plate, {theme.plot});
    canvas.text({plate.left() + size * 0.1, plate.center().y() + size * 0.36},
                words,
                {.colour = theme.text, .size = size});
}

void paintReserve(Canvas& canvas,
                  const MemoryBarValues& values,
                  const PlotFrame& frame,
                  const ChartTheme& theme) {
    if (values.present > values.usable) {
        const double left = frame.xOf(values.usable);
        canvas.fill({left, frame.plot.top(), frame.xOf(values.present) - left, frame.plot.height()},
                    {theme.reserve});
    }
}

void paintUsable(Canvas& canvas,
                 const MemoryBarValues& values,
                 const PlotFrame& frame,
                 const ChartTheme& theme) {
    if (values.usable > 0.0) {
        const double x = frame.xOf(values.usable);
        canvas.line({x, frame.plot.top()},
                    {x, frame.plot.bottom()},
                    {.colour = theme.bad, .width = 2.0, .dashed = true});
    }
}

}  // namespace

void paintMemoryBars(Canvas& canvas,
                     const MemoryBarValues& values,
                     const MemoryBarLayout& layout,
                     const ChartTheme& theme) {
    const QSizeF size(layout.frame.plot.right(), layout.frame.plot.bottom());
    paintFrame(canvas, layout.frame, memoryFrameParts(values, size, theme), theme);
    paintReserve(canvas, values, layout.frame, theme);
    for (const MemoryPartPlace& place : layout.parts) {
        canvas.fill(place.box, theme.seriesFilling(place.part));
        canvas.line(place.box.topRight(), place.box.bottomRight(), {theme.plot});
    }
    paintUsable(canvas, values, layout.frame, theme);
    for (std::size_t index = 0; index < layout.bars.size(); ++index) {
        const MemoryBarPlace& place = layout.bars[index];
        if (place.ghost) {
            canvas.outline(*place.ghost, {.colour = theme.faint});
        }
        if (place.whisker) {
            paintWhisker(canvas, *place.whisker, place.box, theme);
        }
        if (index % layout.labelEvery == 0) {
            paintRowName(
                canvas, values.bars[index].label, place.row, layout.frame.plot.left(), theme);
        }
        if (place.total) {
            paintMemoryTotal(canvas, place.words, *place.total, theme);
        }
    }
}

}  // namespace fabricast
