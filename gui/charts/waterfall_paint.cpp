#include "gui/charts/name_column.h"
#include "gui/charts/waterfall.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

bool isTotal(const WaterfallLayout& layout, std::size_t bar) {
    return bar == 0 || bar + 1 == layout.bars.size();
}

/// Changes for the better and for the worse differ in colour and pattern.
Filling barFilling(const WaterfallValues& values,
                   const WaterfallLayout& layout,
                   std::size_t index,
                   const ChartTheme& theme) {
    if (isTotal(layout, index)) {
        return {theme.seriesColour(0)};
    }
    const WaterfallPlace& bar = layout.bars[index];
    const bool better = (bar.end > bar.begin) == (values.better == BetterEnd::High);
    const QColor colour = better ? theme.seriesColour(2) : theme.seriesColour(5);
    return {.colour = colour,
            .pattern = better ? FillPattern::Solid : FillPattern::Rising,
            .ink = mixed(colour, readableOn(colour), 0.42)};
}

void paintBarNames(Canvas& canvas,
                   const WaterfallPlace& bar,
                   double plotBottom,
                   const ChartTheme& theme) {
    const double size = theme.textSize;
    QPointF base(bar.band.center().x(), plotBottom + size * 1.3);
    for (const std::string& line :
         wrapped(bar.label, bar.band.width() - size * 0.3, kWaterfallNameLines, size)) {
        canvas.text(base, line, {.colour = theme.text, .size = size, .anchor = TextAnchor::Middle});
        base.ry() += size * 1.3;
    }
}

void paintBarValue(Canvas& canvas,
                   const WaterfallValues& values,
                   const WaterfallLayout& layout,
                   std::size_t index,
                   const ChartTheme& theme) {
    const WaterfallPlace& bar = layout.bars[index];
    const std::string text = isTotal(layout, index)
                                 ? valueText(values.axis.unit, bar.end)
                                 : changeText(values.axis.unit, bar.end - bar.begin);
    const double size = theme.textSize;
    canvas.text({bar.band.center().x(), bar.bar.top() - size * 0.4},
                shortened(text, bar.band.width(), size),
                {.colour = theme.text,
                 .size = size,
                 .anchor = TextAnchor::Middle,
                 .bold = isTotal(layout, index)});
}

/// A gap across a bar that does not start at 0.
void paintBreak(Canvas& canvas, const QRectF& bar, const ChartTheme& theme) {
    const double y = bar.bottom() - 8.0;
    for (const double shift : {0.0, 4.0}) {
        const std::array points = {QPointF(bar.left() - 3.0, y + shift),
                                   QPointF(bar.center().x() - 4.0, y + shift - 3.0),
                                   QPointF(bar.center().x() + 4.0, y + shift + 3.0),
                                   QPointF(bar.right() + 3.0, y + shift)};
        canvas.line(points, {.colour = theme.plot, .width = 2.0});
    }
}

}  // namespace

void paintWaterfall(Canvas& canvas,
                    const WaterfallValues& values,
                    const WaterfallLayout& layout,
                    const ChartTheme& theme) {
    const PlotFrame& frame = layout.frame;
    paintFrame(canvas, frame, waterfallFrameParts(values, theme), theme);
    for (std::size_t index = 0; index < layout.bars.size(); ++index) {
        const WaterfallPlace& bar = layout.bars[index];
        canvas.fill(bar.bar, barFilling(values, layout, index, theme));
        if (index + 1 < layout.bars.size()) {
            const double y = frame.yOf(bar.end);
            canvas.line({bar.bar.right(), y},
                        {layout.bars[index + 1].bar.left(), y},
                        {.colour = theme.axis});
        }
        if (isTotal(layout, index) && frame.yRange.low > 0.0) {
            paintBreak(canvas, bar.bar, theme);
        }
        paintBarValue(canvas, values, layout, index, theme);
        paintBarNames(canvas, bar, frame.plot.bottom(), theme);
    }
}

}  // namespace fabricast
