#include "gui/charts/name_column.h"
#include "gui/charts/tornado.h"

namespace fabricast {
namespace {

/// Beyond the end of a bar; a bar without length leans to the side that the other leaves free. What
/// has no room within the plot is in the tip alone.
void paintEndLabel(Canvas& canvas,
                   const QRectF& plot,
                   const QRectF& bar,
                   bool toTheLeft,
                   const std::string& text,
                   const ChartTheme& theme) {
    const double size = theme.textSize;
    const double room = toTheLeft ? bar.left() - plot.left() : plot.right() - bar.right();
    if (text.empty() || bar.height() < size * 0.9 ||
        room < roughTextWidth(text, size) + size * 0.5) {
        return;
    }
    canvas.text({toTheLeft ? bar.left() - size * 0.5 : bar.right() + size * 0.5,
                 bar.center().y() + size * 0.36},
                text,
                {.colour = theme.text,
                 .size = size,
                 .anchor = toTheLeft ? TextAnchor::End : TextAnchor::Start});
}

}  // namespace

void paintTornado(Canvas& canvas,
                  const TornadoValues& values,
                  const TornadoLayout& layout,
                  const ChartTheme& theme) {
    const QRectF& plot = layout.frame.plot;
    paintFrame(canvas,
               layout.frame,
               tornadoFrameParts(values, {plot.right(), plot.bottom()}, theme),
               theme);
    for (const TornadoPlace& place : layout.rows) {
        const TornadoRow& row = values.rows[place.row];
        canvas.fill(place.low, theme.seriesFilling(1));
        canvas.fill(place.high, theme.seriesFilling(0));
        const double end = row.high.value_or(values.base);
        const bool highIsRight =
            end > values.base || (end == values.base && row.low <= values.base);
        const bool lowIsLeft = row.low < values.base || (row.low == values.base && highIsRight);
        const std::string low = tornadoEndText(values, row, TornadoEnd::Low);
        const std::string high = tornadoEndText(values, row, TornadoEnd::High);
        paintEndLabel(canvas, plot, place.low, lowIsLeft, low, theme);
        paintEndLabel(canvas, plot, place.high, !highIsRight, high, theme);
        paintRowName(canvas, row.label, place.band, plot.left(), theme);
    }
    canvas.line({layout.baseX, plot.top()},
                {layout.baseX, plot.bottom()},
                {.colour = theme.text, .width = 1.5});
}

}  // namespace fabricast
