#pragma once
#include <QString>

class QWidget;

namespace fabricast {

class PlotWidget;

/// What a chart is of.
struct ChartAbout {
    QString page;     ///< "Memory"
    QString model;    ///< "llama-3.1-8b"; empty: not answered yet
    QString subject;  ///< the model, the hardware and the layout
};

/// A file's name without its kind: "memory-llama-3.1-8b".
QString fileNameOf(const QString& page, const QString& model);

// What the menu does with the chart of a page. Dialogs are over `window`.

/// PNG, SVG, PDF or CSV.
void exportChart(const PlotWidget& chart, const ChartAbout& about, QWidget* window);
/// To the clipboard.
void copyChart(const PlotWidget& chart, const ChartAbout& about);
/// In words and as a table.
void showChartTable(const PlotWidget& chart, QWidget* window);

}  // namespace fabricast
