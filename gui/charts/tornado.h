#pragma once
#include "gui/charts/plot_frame.h"
#include "planner/report/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What one thing does to a number: where it goes with less of it, and with more.
struct TornadoRow {
    std::string label;             ///< "network between nodes"
    double low = 0.0;              ///< the number with the first change
    std::optional<double> high{};  ///< and with the second; empty: not known
    std::string lowLabel;          ///< "÷ 2"
    std::string highLabel;         ///< "× 2"
};

/// This is how much each of several things moves a number from where it is now.
struct TornadoValues {
    std::string title;
    Axis axis;
    double base = 0.0;
    std::string lowName = {};  ///< what all the first changes are, for the legend; may be empty
    std::string highName = {};
    std::vector<TornadoRow> rows;  ///< shown by how far they move it, the longest first
};

struct TornadoPlace {
    std::size_t row = 0;  ///< of the values
    QRectF band;          ///< with its label
    QRectF low;           ///< bar of the first change
    QRectF high;
};

struct TornadoLayout {
    PlotFrame frame;
    std::vector<TornadoPlace> rows;
    double baseX = 0.0;
};

TornadoLayout tornadoLayout(const TornadoValues& values,
                            const QSizeF& size,
                            const ChartTheme& theme);
FrameParts tornadoFrameParts(const TornadoValues& values,
                             const QSizeF& size,
                             const ChartTheme& theme);
/// "÷ 2: 1.02M", at an end of a row's bars.
enum class TornadoEnd : std::uint8_t { Low, High };
/// Empty where that end is not known.
std::string tornadoEndText(const TornadoValues& values, const TornadoRow& row, TornadoEnd end);
/// Index into the layout's rows; -1: none.
int tornadoRowAt(const TornadoLayout& layout, const QPointF& place);
std::string tornadoRowText(const TornadoValues& values, std::size_t row);
std::string describeTornado(const TornadoValues& values);
Table tornadoTable(const TornadoValues& values);
void paintTornado(Canvas& canvas,
                  const TornadoValues& values,
                  const TornadoLayout& layout,
                  const ChartTheme& theme);

}  // namespace fabricast
