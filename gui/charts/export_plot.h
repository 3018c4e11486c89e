#pragma once
#include "planner/base/result.h"

#include <QByteArray>
#include <QImage>
#include <QSizeF>
#include <QString>
#include <string>

namespace fabricast {

class PlotWidget;

/// This is a chart outside its window. `scale` multiplies the pixels: 2 for screens with small
/// ones.
QImage plotImage(const PlotWidget& plot, const QSizeF& size, double scale);
std::string plotSvg(const PlotWidget& plot, const QSizeF& size);
QByteArray plotPdf(const PlotWidget& plot, const QSizeF& size);
std::string plotCsv(const PlotWidget& plot);

/// Writes a file of the kind that its name ends in: .png, .svg, .pdf or .csv, in the size and
/// colours in which the chart is shown.
Result<void> exportPlot(const PlotWidget& plot, const QString& file);

/// The chart on the clipboard: as an image, and as a table for spreadsheets.
void copyPlot(const PlotWidget& plot);

}  // namespace fabricast
