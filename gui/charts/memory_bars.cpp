#include "gui/charts/memory_bars.h"

#include "gui/charts/name_column.h"

#include <algorithm>
#include <numeric>

namespace fabricast {
namespace {

constexpr AxisUnit kBytes = AxisUnit::Bytes;

double endOf(const MemoryBar& bar) {
    return std::max(bar.total(), bar.interval ? bar.interval->high : 0.0);
}

/// Behind the end of the bar, or else behind the line of what is usable.
std::optional<QRectF> totalPlace(const std::string& words,
                                 const MemoryBar& bar,
                                 const MemoryBarValues& values,
                                 const PlotFrame& frame,
                                 const QRectF& box,
                                 double textSize) {
    const double wide = roughTextWidth(words, textSize) + textSize * 0.2;
    const double gap = textSize * 0.4;
    const double line = frame.xOf(values.usable);
    double left = frame.xOf(endOf(bar)) + gap;
    if (values.usable > 0.0 && left - gap <= line && left + wide >= line) {
        left = line + gap;
    }
    const bool fits = left + wide <= frame.plot.right() && box.height() >= textSize;
    const QRectF plate(left, box.center().y() - textSize * 0.6, wide, textSize * 1.2);
    return fits ? std::optional(plate) : std::nullopt;
}

/// The share of a row that a bar's total takes: without its range where that is too wide.
double shareOfTotal(const MemoryBar& bar, double width, double textSize) {
    constexpr double kWidest = 0.3;
    constexpr double kMost = 0.5;
    const auto share = [&](const std::string& words) {
        return (roughTextWidth(words, textSize) + textSize * 1.5) / width;
    };
    const double whole = share(memoryTotalText(bar));
    return std::min(whole <= kWidest ? whole : share(memorySumText(bar)), kMost);
}

/// With room at the right for the totals.
ValueRange memoryRange(const MemoryBarValues& values, double width, double textSize) {
    double most = std::max(values.usable, values.present);
    for (const std::vector<MemoryBar>* bars : {&values.bars, &values.ghosts}) {
        for (const MemoryBar& bar : *bars) {
            most = std::max(most, endOf(bar));
        }
    }
    most *= 1.12;
    for (const MemoryBar& bar : values.bars) {
        const double end = std::max(endOf(bar), values.usable);  // beside the line, never across
        most = std::max(most, end / (1.0 - shareOfTotal(bar, width, textSize)));
    }
    return {0.0, most > 0.0 ? most : 1.0};
}

MemoryBarPlace barPlace(const MemoryBarValues& values,
                        const PlotFrame& frame,
                        const QRectF& row,
                        std::size_t index,
                        double textSize) {
    const MemoryBar& bar = values.bars[index];
    const double left = frame.xOf(0.0);
    const bool hasGhost = index < values.ghosts.size();
    const double height = row.height() * (hasGhost ? 0.56 : 0.7);
    const double top = row.top() + row.height() * (hasGhost ? 0.12 : 0.15);
    MemoryBarPlace place{.row = QRectF(0.0, row.top(), row.right(), row.height()),
                         .box = {left, top, frame.xOf(bar.total()) - left, height}};
    if (hasGhost) {
        place.ghost = QRectF(left,
                             place.box.bottom() + row.height() * 0.05,
                             frame.xOf(values.ghosts[index].total()) - left,
                             row.height() * 0.16);
    }
    if (bar.interval) {
        place.whisker = ValueRange{frame.xOf(bar.interval->low), frame.xOf(bar.interval->high)};
    }
    for (const std::string& words : {memoryTotalText(bar), memorySumText(bar)}) {
        if (!place.total) {
            place.total = totalPlace(words, bar, values, frame, place.box, textSize);
            place.words = words;
        }
    }
    return place;
}

void addParts(MemoryBarLayout& layout, const MemoryBar& bar, std::size_t index) {
    double sum = 0.0;
    const QRectF box = layout.bars[index].box;
    for (std::size_t part = 0; part < bar.parts.size(); ++part) {
        if (bar.parts[part] > 0.0) {
            const double left = layout.frame.xOf(sum);
            sum += bar.parts[part];
            const QRectF area(left, box.top(), layout.frame.xOf(sum) - left, box.height());
            layout.parts.push_back({index, part, area});
        }
    }
}

}  // namespace

FrameParts memoryFrameParts(const MemoryBarValues& values,
                            const QSizeF& size,
                            const ChartTheme& theme) {
    FrameParts parts{.title = values.title, .x = {.title = "memory", .unit = kBytes}};
    for (std::size_t part = 0; part < values.parts.size(); ++part) {
        parts.legend.push_back({.name = values.parts[part], .filling = theme.seriesFilling(part)});
    }
    if (values.usable > 0.0) {
        parts.legend.push_back({.name = "usable: " + valueText(kBytes, values.usable),
                                .key = LegendEntry::Key::DashedLine,
                                .filling = {theme.bad}});
    }
    if (values.present > values.usable) {
        parts.legend.push_back({.name = "reserve", .filling = {theme.reserve}});
    }
    if (!values.ghosts.empty()) {
        parts.legend.push_back(
            {.name = "total of B", .key = LegendEntry::Key::Line, .filling = {theme.faint}});
    }
    std::vector<std::string> names;
    for (const MemoryBar& bar : values.bars) {
        names.push_back(bar.label);
    }
    parts.leftNames = nameColumnWidth(names, size.width(), theme.textSize);
    return parts;
}

double MemoryBar::total() const {
    return std::accumulate(parts.begin(), parts.end(), 0.0);
}

MemoryBarLayout memoryBarLayout(const MemoryBarValues& values,
                                const QSizeF& size,
                                const ChartTheme& theme) {
    const FrameParts parts = memoryFrameParts(values, size, theme);
    const double width = std::max(size.width() - parts.leftNames - theme.textSize * 2.4, 1.0);
    MemoryBarLayout layout{
        .frame =
            plotFrame(parts, memoryRange(values, width, theme.textSize), {}, size, theme.textSize)};
    const std::vector<QRectF> rows = equalRows(layout.frame.plot, values.bars.size());
    for (std::size_t index = 0; index < rows.size(); ++index) {
        layout.bars.push_back(barPlace(values, layout.frame, rows[index], index, theme.textSize));
        addParts(layout, values.bars[index], index);
    }
    if (!rows.empty()) {
        while (rows.front().height() * static_cast<double>(layout.labelEvery) <
               theme.textSize * 1.25) {
            layout.labelEvery *= 2;
        }
    }
    return layout;
}

int memoryPartAt(const MemoryBarLayout& layout, const QPointF& place) {
    const auto part = std::ranges::find_if(
        layout.parts, [&](const MemoryPartPlace& each) { return each.box.contains(place); });
    return part == layout.parts.end() ? -1 : static_cast<int>(part - layout.parts.begin());
}

int memoryPartNear(const MemoryBarLayout& layout, std::size_t bar, std::size_t part, int shift) {
    int nearest = -1;
    for (std::size_t index = 0; index < layout.parts.size(); ++index) {
        const MemoryPartPlace& each = layout.parts[index];
        // The last that is not beyond the part, or else the bar's first.
        if (each.bar == bar && (nearest < 0 || each.part <= part)) {
            nearest = static_cast<int>(index);
        }
    }
    const int shifted = nearest + shift;
    const bool there = nearest >= 0 && shifted >= 0 &&
                       shifted < static_cast<int>(layout.parts.size()) &&
                       layout.parts[static_cast<std::size_t>(shifted)].bar == bar;
    return there ? shifted : -1;
}

}  // namespace fabricast
