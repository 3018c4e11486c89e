#pragma once
#include "gui/charts/plot_frame.h"
#include "planner/report/table.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// The memory of one stage, by part; all in bytes.
struct MemoryBar {
    std::string label;                   ///< "stage 0"
    std::vector<double> parts;           ///< in the order of MemoryBarValues::parts
    std::optional<ValueRange> interval;  ///< of the total
    std::string note;                    ///< in the tip: where the peak is
    [[nodiscard]] double total() const;
};

/// This is what each stage of a pipeline needs at its peak, against what its GPU has.
struct MemoryBarValues {
    std::string title;
    std::vector<std::string> parts;  ///< "weights", "gradients", …
    std::vector<MemoryBar> bars;
    std::vector<MemoryBar> ghosts;  ///< of the plan to compare with, stage by stage; may be fewer
    double usable = 0.0;            ///< the limit; 0: none
    double present = 0.0;           ///< from usable to here is the reserve
};

/// Part `part` of bar `bar`.
struct MemoryPartPlace {
    std::size_t bar = 0;
    std::size_t part = 0;
    QRectF box;
};

struct MemoryBarPlace {
    QRectF row;                         ///< with the label
    QRectF box;                         ///< of all parts
    std::optional<QRectF> ghost;        ///< as long as the other's total
    std::optional<ValueRange> whisker;  ///< in pixels
    std::optional<QRectF> total;        ///< of what it says of its sum, where there is room
    std::string words{};                ///< that: without the interval where it has no room
};

/// Where everything lies at a size. Parts are in the order of bars, then parts; empty ones are
/// left out.
struct MemoryBarLayout {
    PlotFrame frame;
    std::vector<MemoryBarPlace> bars;
    std::vector<MemoryPartPlace> parts;
    std::size_t labelEvery = 1;  ///< every so many bars have a label, where they are thin
};

MemoryBarLayout memoryBarLayout(const MemoryBarValues& values,
                                const QSizeF& size,
                                const ChartTheme& theme);
FrameParts memoryFrameParts(const MemoryBarValues& values,
                            const QSizeF& size,
                            const ChartTheme& theme);
/// Index into the layout's parts; -1: none.
int memoryPartAt(const MemoryBarLayout& layout, const QPointF& place);
/// The part `shift` places after part `part` of a bar, or nearest to it where the bar has no such
/// part; -1: no such bar or place.
int memoryPartNear(const MemoryBarLayout& layout, std::size_t bar, std::size_t part, int shift);
/// Of a bar: "57.2 GiB (52.1 – 61.0 GiB)".
std::string memoryTotalText(const MemoryBar& bar);
std::string memorySumText(const MemoryBar& bar);  ///< "57.2 GiB"
std::string memoryPartText(const MemoryBarValues& values, std::size_t bar, std::size_t part);
std::string describeMemoryBars(const MemoryBarValues& values);
Table memoryBarTable(const MemoryBarValues& values);
void paintMemoryBars(Canvas& canvas,
                     const MemoryBarValues& values,
                     const MemoryBarLayout& layout,
                     const ChartTheme& theme);

}  // namespace fabricast
