#include "gui/charts/export_plot.h"

#include "gui/charts/lowered_canvas.h"
#include "gui/charts/name_column.h"
#include "gui/charts/painter_canvas.h"
#include "gui/charts/plot_widget.h"
#include "gui/charts/svg_canvas.h"
#include "gui/charts/undated_pdf.h"
#include "planner/output/replace_file.h"

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
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr double kExportScale = 2.0;
constexpr int kDotsPerInch = 1200;
constexpr double kPixelsPerInch = 96.0;
constexpr double kPointsPerPixel = 72.0 / kPixelsPerInch;

/// A line above a chart, and where its letters stand.
struct TitleLine {
    std::string words;
    Lettering style;
    double base = 0.0;
};

/// On as many lines as the words need.
std::vector<TitleLine> titleLines(const PlotWidget& plot, double width, const PlotTitle& title) {
    constexpr std::size_t kMostLines = 100;
    const ChartTheme& theme = plot.theme();
    const Lettering bold{.colour = theme.text, .size = theme.textSize * 1.15, .bold = true};
    const Lettering plain{.colour = theme.faint, .size = theme.textSize};
    std::vector<TitleLine> lines;
    double base = theme.textSize * 0.1;
    for (const auto& [words, style] : {std::pair(&title.title, bold), {&title.subject, plain}}) {
        if (title.title.empty() || words->empty()) {
            continue;
        }
        for (std::string& line :
             wrapped(*words, width - 1.6 * theme.textSize, kMostLines, style.size)) {
            base += theme.textSize * 1.5;
            lines.push_back({std::move(line), style, base});
        }
    }
    return lines;
}

double titleHeight(const PlotWidget& plot, double width, const PlotTitle& title) {
    const std::vector<TitleLine> lines = titleLines(plot, width, title);
    return lines.empty() ? 0.0 : std::ceil(lines.back().base + plot.theme().textSize * 0.4);
}

QSizeF sizeWithTitle(const PlotWidget& plot, const QSizeF& size, const PlotTitle& title) {
    return size + QSizeF(0.0, titleHeight(plot, size.width(), title));
}

void paintTitled(Canvas& canvas,
                 const PlotWidget& plot,
                 const QSizeF& size,
                 const PlotTitle& title) {
    const ChartTheme& theme = plot.theme();
    const double height = titleHeight(plot, size.width(), title);
    canvas.fill({0.0, 0.0, size.width(), height}, {theme.page});
    for (const TitleLine& line : titleLines(plot, size.width(), title)) {
        canvas.text({0.8 * theme.textSize, line.base}, line.words, line.style);
    }
    LoweredCanvas below(canvas, height);
    plot.paintWhole(below, size, theme);
}

Result<QByteArray> bytesFor(const PlotWidget& plot, const QString& file, const PlotTitle& title) {
    const QString kind = QFileInfo(file).suffix().toLower();
    if (kind == "png") {
        return pngBytes(plotImage(plot, plot.wholeSize(), kExportScale, title));
    }
    if (kind == "svg") {
        return QByteArray::fromStdString(plotSvg(plot, plot.wholeSize(), title));
    }
    if (kind == "pdf") {
        return plotPdf(plot, plot.wholeSize(), title);
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
    return undatedPdf(bytes);
}

std::string plotCsv(const PlotWidget& plot) {
    return csvText(plot.table());
}

QByteArray pngBytes(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

Result<void> exportPlot(const PlotWidget& plot, const QString& file, const PlotTitle& title) {
    FABRICAST_ASSIGN(const QByteArray bytes, bytesFor(plot, file, title));
    return writeExport(file, bytes);
}

Result<void> writeExport(const QString& file, const QByteArray& bytes) {
    const std::string path = file.toStdString();
    const std::string trouble =
        replaceFile(path, {bytes.data(), static_cast<std::size_t>(bytes.size())});
    return trouble.empty()
               ? Result<void>()
               : fail(Error::Code::Environment, path, trouble, "a folder that you may write to");
}

void copyPlot(const PlotWidget& plot) {
    auto content = std::make_unique<QMimeData>();
    content->setImageData(plotImage(plot, plot.wholeSize(), kExportScale));
    content->setText(QString::fromStdString(plotCsv(plot)));
    QGuiApplication::clipboard()->setMimeData(content.release());  // which then owns it
}

}  // namespace fabricast
