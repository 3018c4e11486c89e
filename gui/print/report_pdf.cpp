#include "gui/print/report_pdf.h"

#include "gui/charts/undated_pdf.h"
#include "gui/print/printed_html.h"
#include "gui/print/printed_pages.h"
#include "planner/report/page_style.h"

#include <QBuffer>
#include <QFont>
#include <QFontMetricsF>
#include <QMarginsF>
#include <QPageLayout>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <utility>

namespace fabricast {
namespace {

constexpr int kDotsPerInch = 600;
constexpr double kDotsPerPoint = kDotsPerInch / 72.0;
constexpr double kMargin = 14.0;      // millimetres
constexpr double kFootPoints = 22.0;  // below the text of each page
constexpr double kFinePoints = 7.5;

QRectF pageBox(const QPdfWriter& writer) {
    return {0.0, 0.0, double(writer.width()), double(writer.height())};
}

void paintFoot(QPainter& painter, const QRectF& page, const QString& title, const QString& place) {
    const QFont font = printedLetters(kFinePoints);
    painter.setFont(font);
    painter.setPen(QColor("#444444"));
    const QFontMetricsF metrics(font, painter.device());
    const double room = page.width() - 2.0 * metrics.horizontalAdvance(place);
    painter.drawText(
        page, Qt::AlignLeft | Qt::AlignBottom, metrics.elidedText(title, Qt::ElideRight, room));
    painter.drawText(page, Qt::AlignRight | Qt::AlignBottom, place);
}

void paintPages(QPdfWriter& writer, const PrintedPages& pages, const QString& title) {
    QPainter painter(&writer);
    for (int page = 0; page < pages.count(); ++page) {
        if (page > 0) {
            writer.newPage();
        }
        pages.paint(painter, page);
        paintFoot(
            painter, pageBox(writer), title, QString("%1 of %2").arg(page + 1).arg(pages.count()));
    }
}

}  // namespace

Result<QByteArray> reportPdf(const Report& report, const PageInfo& info) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(kDotsPerInch);
    writer.setPageLayout(
        QPageLayout(QPageSize(QPageSize::A4),
                    hasWideTable(report) ? QPageLayout::Landscape : QPageLayout::Portrait,
                    QMarginsF(kMargin, kMargin, kMargin, kMargin),
                    QPageLayout::Millimeter));
    const QRectF page = pageBox(writer);
    const StyleSheet sheet(kPageStyle);
    FABRICAST_ASSIGN(PrintedHtml printed,
                     printedHtml(report, info, sheet, page.width() / kDotsPerPoint));
    const QString title = printed.title;
    writer.setTitle(title);
    writer.setCreator(QString::fromStdString(info.tool));
    const PrintedPages pages(
        std::move(printed), sheet, writer, page.size() - QSizeF(0.0, kFootPoints * kDotsPerPoint));
    paintPages(writer, pages, title);
    return undatedPdf(bytes);
}

}  // namespace fabricast
