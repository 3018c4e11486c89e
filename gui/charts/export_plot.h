#pragma once
#include "planner/base/result.h"

#include <QByteArray>
#include <QImage>
#include <QSizeF>
#include <QString>
#include <string>

namespace fabricast {

class PlotWidget;

/// What is written above a chart outside its window, where nothing else says what it shows.
struct PlotTitle {
    std::string title{};    ///< "Memory of each stage"; empty: nothing is written
    std::string subject{};  ///< "llama-3.1-8b on 2 x dgx-h100"
};

/// This is a chart outside its window. `scale` multiplies the pixels: 2 for screens with small
/// ones.
QImage plotImage(const PlotWidget& plot,
                 const QSizeF& size,
                 double scale,
                 const PlotTitle& title = {});
QByteArray pngBytes(const QImage& image);
std::string plotSvg(const PlotWidget& plot, const QSizeF& size, const PlotTitle& title = {});
QByteArray plotPdf(const PlotWidget& plot, const QSizeF& size, const PlotTitle& title = {});
std::string plotCsv(const PlotWidget& plot);

/// Writes a file of the kind that its name ends in: .png, .svg, .pdf or .csv, in the size and
/// colours in which the chart is shown, below its title.
Result<void> exportPlot(const PlotWidget& plot, const QString& file, const PlotTitle& title = {});

/// Old bytes or new ones, never a part.
Result<void> writeExport(const QString& file, const QByteArray& bytes);

/// The chart on the clipboard: as an image, and as a table for spreadsheets.
void copyPlot(const PlotWidget& plot);

}  // namespace fabricast
