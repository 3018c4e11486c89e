#include "gui/charts/memory_bars.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

constexpr AxisUnit kMemoryUnit = AxisUnit::Bytes;

/// The unit once, where it is that of both ends.
std::string intervalText(const MemoryBar& bar) {
    if (!bar.interval) {
        return {};
    }
    std::string low = valueText(kMemoryUnit, bar.interval->low);
    const std::string high = valueText(kMemoryUnit, bar.interval->high);
    const std::size_t unit = low.rfind(' ');
    if (unit != std::string::npos && high.ends_with(low.substr(unit))) {
        low.erase(unit);
    }
    return " (" + low + " – " + high + ")";
}

/// "1.2 GiB below what is usable".
std::string distanceToLimit(const MemoryBarValues& values, double total) {
    const double left = values.usable - total;
    return valueText(kMemoryUnit, std::abs(left)) + (left >= 0.0 ? " below" : " above") +
           " what is usable";
}

}  // namespace

std::string memorySumText(const MemoryBar& bar) {
    return valueText(kMemoryUnit, bar.total());
}

std::string memoryTotalText(const MemoryBar& bar) {
    return memorySumText(bar) + intervalText(bar);
}

std::string memoryPartText(const MemoryBarValues& values, std::size_t bar, std::size_t part) {
    const MemoryBar& stage = values.bars[bar];
    std::string text = stage.label + ", " + values.parts[part] + ": " +
                       valueText(kMemoryUnit, stage.parts[part]) + "\n" +
                       valueText(AxisUnit::Percent, stage.parts[part] / stage.total()) + " of " +
                       valueText(kMemoryUnit, stage.total()) + intervalText(stage);
    if (bar < values.ghosts.size() && part < values.ghosts[bar].parts.size()) {
        text += "\nB: " + valueText(kMemoryUnit, values.ghosts[bar].parts[part]);
    }
    if (values.usable > 0.0) {
        text += "\n" + distanceToLimit(values, stage.total());
    }
    return stage.note.empty() ? text : text + "\n" + stage.note;
}

std::string describeMemoryBars(const MemoryBarValues& values) {
    if (values.bars.empty()) {
        return titleIntro(values.title) + "no stages.";
    }
    const auto fullest =
        std::ranges::max_element(values.bars, {}, [](const MemoryBar& bar) { return bar.total(); });
    std::string text = titleIntro(values.title) + std::to_string(values.bars.size()) +
                       (values.bars.size() == 1 ? " stage. " : " stages. The fullest, ") +
                       fullest->label + ", needs " + valueText(kMemoryUnit, fullest->total()) +
                       intervalText(*fullest);
    if (values.usable > 0.0) {
        text += ", " + distanceToLimit(values, fullest->total());
    }
    text += ":";
    for (std::size_t part = 0; part < fullest->parts.size(); ++part) {
        if (fullest->parts[part] > 0.0) {
            text += (text.ends_with(':') ? " " : ", ") + values.parts[part] + " " +
                    valueText(kMemoryUnit, fullest->parts[part]);
        }
    }
    return text + ".";
}

Table memoryBarTable(const MemoryBarValues& values) {
    Table table{{{"plan"}, {"stage"}}, {}};
    for (const std::string& part : values.parts) {
        table.columns.push_back({exactCaption(part, kMemoryUnit), Align::Right});
    }
    table.columns.push_back({exactCaption("total", kMemoryUnit), Align::Right});
    table.columns.push_back({exactCaption("lowest", kMemoryUnit), Align::Right});
    table.columns.push_back({exactCaption("highest", kMemoryUnit), Align::Right});
    const auto addRow = [&](const std::string& plan, const MemoryBar& bar) {
        std::vector<std::string> row = {plan, bar.label};
        for (std::size_t part = 0; part < values.parts.size(); ++part) {
            row.push_back(exactNumber(part < bar.parts.size() ? bar.parts[part] : 0.0));
        }
        row.push_back(exactNumber(bar.total()));
        row.push_back(bar.interval ? exactNumber(bar.interval->low) : "");
        row.push_back(bar.interval ? exactNumber(bar.interval->high) : "");
        table.rows.push_back(std::move(row));
    };
    for (const MemoryBar& bar : values.bars) {
        addRow("A", bar);
    }
    for (const MemoryBar& bar : values.ghosts) {
        addRow("B", bar);
    }
    return table;
}

}  // namespace fabricast
