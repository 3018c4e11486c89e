#include "gui/charts/export_plot.h"

#include "gui/charts/painter_canvas.h"
#include "gui/charts/plot_widget.h"
#include "gui/charts/svg_canvas.h"

#include <QBuffer>
#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QIODevice>
#include <QMarginsF>
#include <QMimeData>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <memory>

namespace fabricast {
namespace {

constexpr double kExportScale = 2.0;
constexpr int kDotsPerInch = 1200;
constexpr double kPixelsPerInch = 96.0;
constexpr double kPointsPerPixel = 72.0 / kPixelsPerInch;

QByteArray pngBytes(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

Result<QByteArray> bytesFor(const PlotWidget& plot, const QString& file) {
    const QString kind = QFileInfo(file).suffix().toLower();
    if (kind == "png") {
        return pngBytes(plotImage(plot, plot.size(), kExportScale));
    }
    if (kind == "svg") {
        return QByteArray::fromStdString(plotSvg(plot, plot.size()));
    }
    if (kind == "pdf") {
        return plotPdf(plot, plot.size());
    }
    if (kind == "csv") {
        return QByteArray::fromStdString(plotCsv(plot));
    }
    return fail(Error::Code::BadInput,
                file.toStdString(),
                "a chart is not exported as \"" + kind.toStdString() + "\"",
                "a name that ends in .png, .svg, .pdf or .csv");
}

}  // namespace

QImage plotImage(const PlotWidget& plot, const QSizeF& size, double scale) {
    QImage image((size * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    QPainter painter(&image);
    painter.scale(scale, scale);
    PainterCanvas canvas(painter, scale);
    plot.paintPlot(canvas, size, plot.theme());
    painter.end();
    image.setDevicePixelRatio(scale);
    return image;
}

std::string plotSvg(const PlotWidget& plot, const QSizeF& size) {
    SvgCanvas canvas(size, plot.accessibleName().toStdString(), plot.describe());
    plot.paintPlot(canvas, size, plot.theme());
    return canvas.document();
}

QByteArray plotPdf(const PlotWidget& plot, const QSizeF& size) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(plot.accessibleName());
    writer.setCreator("Fabricast");
    writer.setResolution(kDotsPerInch);
    writer.setPageSize(QPageSize(size * kPointsPerPixel, QPageSize::Point));
    writer.setPageMargins(QMarginsF());
    QPainter painter(&writer);
    painter.scale(kDotsPerInch / kPixelsPerInch, kDotsPerInch / kPixelsPerInch);
    PainterCanvas canvas(painter, 1.0, CanvasKind::Vectors);
    plot.paintPlot(canvas, size, plot.theme());
    painter.end();
    return bytes;
}

std::string plotCsv(const PlotWidget& plot) {
    return csvText(plot.table());
}

Result<void> exportPlot(const PlotWidget& plot, const QString& file) {
    FABRICAST_ASSIGN(const QByteArray bytes, bytesFor(plot, file));
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit()) {
        return fail(Error::Code::Environment,
                    file.toStdString(),
                    "cannot be written: " + out.errorString().toStdString(),
                    "a folder that you may write to");
    }
    return {};
}

void copyPlot(const PlotWidget& plot) {
    auto content = std::make_unique<QMimeData>();
    content->setImageData(plotImage(plot, plot.size(), kExportScale));
    content->setText(QString::fromStdString(plotCsv(plot)));
    QGuiApplication::clipboard()->setMimeData(content.release());  // which then owns it
}

}  // namespace fabricast
