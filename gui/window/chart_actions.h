#pragma once
#include "planner/base/result.h"
#include "planner/report/table.h"

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

/// In the kind that the name ends in: .csv or .md.
Result<void> writeTable(const Table& table, const QString& file);

// What the menu does with the chart or the table of a page. Dialogs are over `window`.

/// PNG, SVG, PDF or CSV. The file that was written; empty where none was.
QString exportChart(const PlotWidget& chart, const ChartAbout& about, QWidget* window);
/// The same as CSV or Markdown.
QString exportTable(const Table& table, const ChartAbout& about, QWidget* window);
/// As Markdown, to the clipboard.
void copyTable(const Table& table);
/// To the clipboard.
void copyChart(const PlotWidget& chart, const ChartAbout& about);
/// In words and as a table.
void showChartTable(const PlotWidget& chart, QWidget* window);

}  // namespace fabricast
