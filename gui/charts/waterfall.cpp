#include "gui/charts/waterfall.h"

#include "gui/charts/name_column.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fabricast {
namespace {

/// From 0, unless the changes would then be too small to see.
ValueRange waterfallRange(const std::vector<WaterfallPlace>& bars) {
    double low = bars.front().end;
    double high = bars.front().end;
    for (const WaterfallPlace& bar : bars) {
        low = std::min(low, bar.end);
        high = std::max(high, bar.end);
    }
    const double span = std::max(high - low, std::abs(high) * 0.02);
    if (low > 0.0 && span < 0.35 * high) {
        return {std::max(0.0, low - span * 0.8), high + span * 0.25};
    }
    const ValueRange all{std::min(low, 0.0), std::max(high, 0.0)};
    return {all.low - (low < 0.0 ? 0.1 * all.span() : 0.0), all.high + 0.12 * all.span()};
}

std::vector<WaterfallPlace> barValues(const WaterfallValues& values) {
    std::vector<WaterfallPlace> bars = {
        {.label = values.fromLabel, .begin = 0.0, .end = values.from}};
    double at = values.from;
    for (const WaterfallStep& step : values.steps) {
        bars.push_back({.label = step.label, .begin = at, .end = at + step.change});
        at += step.change;
    }
    bars.push_back({.label = values.toLabel, .begin = 0.0, .end = at});
    return bars;
}

}  // namespace

double WaterfallValues::to() const {
    double sum = from;
    for (const WaterfallStep& step : steps) {
        sum += step.change;
    }
    return sum;
}

WaterfallValues withRoomForWords(WaterfallValues values, double width, double textSize) {
    constexpr const char* kRest = "other";
    constexpr double kLettersOfBar = 6.2;  // wide
    constexpr std::size_t kTotals = 2;
    constexpr std::size_t kLeastBars = 5;
    const double numbers = 4.0 * textSize;  // left of the bars
    const auto bars = std::max(
        static_cast<std::size_t>(std::max(width - numbers, 0.0) / (kLettersOfBar * textSize)),
        kLeastBars);
    std::vector<WaterfallStep>& steps = values.steps;
    while (steps.size() + kTotals > bars) {
        const auto size = [](const WaterfallStep& step) {
            return step.label == kRest ? std::numeric_limits<double>::infinity()
                                       : std::abs(step.change);
        };
        const auto smallest = std::ranges::min_element(steps, {}, size);
        const double change = smallest->change;
        steps.erase(smallest);
        const auto rest = std::ranges::find(steps, kRest, &WaterfallStep::label);
        if (rest != steps.end()) {
            rest->change += change;
        } else {
            const auto next = std::ranges::min_element(steps, {}, size);
            *next = {kRest, next->change + change};
            std::rotate(next, next + 1, steps.end());
        }
    }
    return values;
}

FrameParts waterfallFrameParts(const WaterfallValues& values, const ChartTheme& theme) {
    return {.title = values.title,
            .y = values.axis,
            .bottomNames = theme.textSize * (1.3 * kWaterfallNameLines + 0.5)};
}

WaterfallLayout waterfallLayout(const WaterfallValues& values,
                                const QSizeF& size,
                                const ChartTheme& theme) {
    WaterfallLayout layout{.bars = barValues(values)};
    layout.frame = plotFrame(
        waterfallFrameParts(values, theme), {}, waterfallRange(layout.bars), size, theme.textSize);
    const PlotFrame& frame = layout.frame;
    const std::vector<QRectF> bands = equalColumns(frame.plot, layout.bars.size());
    for (std::size_t index = 0; index < bands.size(); ++index) {
        WaterfallPlace& bar = layout.bars[index];
        bar.band = bands[index];
        const double gap = bar.band.width() * 0.16;
        const double from = frame.yOf(std::max(bar.begin, frame.yRange.low));
        const double to = frame.yOf(bar.end);
        bar.bar = QRectF(bar.band.left() + gap,
                         std::min(from, to),
                         bar.band.width() - 2 * gap,
                         std::abs(to - from));
    }
    return layout;
}

int waterfallBarAt(const WaterfallLayout& layout, const QPointF& place) {
    const auto bar = std::ranges::find_if(
        layout.bars, [&](const WaterfallPlace& each) { return each.band.contains(place); });
    return bar == layout.bars.end() ? -1 : static_cast<int>(bar - layout.bars.begin());
}

std::string changeText(AxisUnit unit, double change) {
    return (change > 0.0 ? "+" : change < 0.0 ? "-" : "") + valueText(unit, std::abs(change));
}

std::string waterfallBarText(const WaterfallValues& values, std::size_t bar) {
    const AxisUnit unit = values.axis.unit;
    if (bar == 0) {
        return values.fromLabel + "\n" + valueText(unit, values.from);
    }
    if (bar > values.steps.size()) {
        return values.toLabel + "\n" + valueText(unit, values.to()) + "\n" +
               changeText(unit, values.to() - values.from) + " in all";
    }
    const WaterfallStep& step = values.steps[bar - 1];
    return step.label + "\n" + changeText(unit, step.change) + " (" +
           changeText(AxisUnit::Percent, step.change / values.from) + ")";
}

std::string describeWaterfall(const WaterfallValues& values) {
    const AxisUnit unit = values.axis.unit;
    std::string text = titleIntro(values.title) + values.axis.title + " goes from " +
                       valueText(unit, values.from) + " (" + values.fromLabel + ") to " +
                       valueText(unit, values.to()) + " (" + values.toLabel + "):";
    for (const WaterfallStep& step : values.steps) {
        text +=
            (text.ends_with(':') ? " " : ", ") + step.label + " " + changeText(unit, step.change);
    }
    return text + ".";
}

Table waterfallTable(const WaterfallValues& values) {
    Table table{{{"part"},
                 {exactCaption("change", values.axis.unit), Align::Right},
                 {exactCaption(values.axis.title, values.axis.unit), Align::Right}},
                {}};
    double at = values.from;
    table.rows.push_back({values.fromLabel, "", exactNumber(at)});
    for (const WaterfallStep& step : values.steps) {
        at += step.change;
        table.rows.push_back({step.label, exactNumber(step.change), exactNumber(at)});
    }
    table.rows.push_back({values.toLabel, "", exactNumber(at)});
    return table;
}

}  // namespace fabricast
