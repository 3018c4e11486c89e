#pragma once

class QWidget;

namespace fabricast {

class PlotWidget;

// What the menu does with the chart of a page. Dialogs are over `window`.

/// PNG, SVG, PDF or CSV.
void exportChart(const PlotWidget& chart, QWidget* window);
/// To the clipboard.
void copyChart(const PlotWidget& chart);
/// In words and as a table.
void showChartTable(const PlotWidget& chart, QWidget* window);

}  // namespace fabricast
