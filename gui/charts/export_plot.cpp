#include "gui/charts/export_plot.h"

#include "gui/charts/lowered_canvas.h"
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
#include <cmath>
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

double titleHeight(const PlotWidget& plot, const PlotTitle& title) {
    const double lines = title.title.empty() ? 0.0 : title.subject.empty() ? 2.0 : 3.4;
    return std::ceil(plot.theme().textSize * lines);
}

QSizeF sizeWithTitle(const PlotWidget& plot, const QSizeF& size, const PlotTitle& title) {
    return size + QSizeF(0.0, titleHeight(plot, title));
}

void paintTitled(Canvas& canvas,
                 const PlotWidget& plot,
                 const QSizeF& size,
                 const PlotTitle& title) {
    const ChartTheme& theme = plot.theme();
    const double height = titleHeight(plot, title);
    if (height == 0.0) {
        plot.paintPlot(canvas, size, theme);
        return;
    }
    const double letters = theme.textSize;
    const double room = size.width() - 1.6 * letters;
    canvas.fill({0.0, 0.0, size.width(), height}, {theme.page});
    canvas.text({0.8 * letters, 1.6 * letters},
                shortened(title.title, room, letters * 1.15),
                {.colour = theme.text, .size = letters * 1.15, .bold = true});
    canvas.text({0.8 * letters, 3.1 * letters},
                shortened(title.subject, room, letters),
                {.colour = theme.faint, .size = letters});
    LoweredCanvas below(canvas, height);
    plot.paintPlot(below, size, theme);
}

Result<QByteArray> bytesFor(const PlotWidget& plot, const QString& file, const PlotTitle& title) {
    const QString kind = QFileInfo(file).suffix().toLower();
    if (kind == "png") {
        return pngBytes(plotImage(plot, plot.size(), kExportScale, title));
    }
    if (kind == "svg") {
        return QByteArray::fromStdString(plotSvg(plot, plot.size(), title));
    }
    if (kind == "pdf") {
        return plotPdf(plot, plot.size(), title);
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

QImage plotImage(const PlotWidget& plot, const QSizeF& size, double scale, const PlotTitle& title) {
    QImage image((sizeWithTitle(plot, size, title) * scale).toSize(),
                 QImage::Format_ARGB32_Premultiplied);
    QPainter painter(&image);
    painter.scale(scale, scale);
    PainterCanvas canvas(painter, scale);
    paintTitled(canvas, plot, size, title);
    painter.end();
    image.setDevicePixelRatio(scale);
    return image;
}

std::string plotSvg(const PlotWidget& plot, const QSizeF& size, const PlotTitle& title) {
    SvgCanvas canvas(
        sizeWithTitle(plot, size, title), plot.accessibleName().toStdString(), plot.describe());
    paintTitled(canvas, plot, size, title);
    return canvas.document();
}

QByteArray plotPdf(const PlotWidget& plot, const QSizeF& size, const PlotTitle& title) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(plot.accessibleName());
    writer.setCreator("Fabricast");
    writer.setResolution(kDotsPerInch);
    const QSizeF page = sizeWithTitle(plot, size, title) * kPointsPerPixel;
    writer.setPageSize(QPageSize(page, QPageSize::Point));
    writer.setPageMargins(QMarginsF());
    QPainter painter(&writer);
    painter.scale(kDotsPerInch / kPixelsPerInch, kDotsPerInch / kPixelsPerInch);
    PainterCanvas canvas(painter, 1.0, CanvasKind::Vectors);
    paintTitled(canvas, plot, size, title);
    painter.end();
    return bytes;
}

std::string plotCsv(const PlotWidget& plot) {
    return csvText(plot.table());
}

Result<void> exportPlot(const PlotWidget& plot, const QString& file, const PlotTitle& title) {
    FABRICAST_ASSIGN(const QByteArray bytes, bytesFor(plot, file, title));
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
