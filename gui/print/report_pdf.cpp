#include "gui/print/report_pdf.h"

#include "gui/charts/undated_pdf.h"
#include "gui/print/picture_object.h"
#include "gui/print/printed_html.h"
#include "planner/report/page_style.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QFont>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QMarginsF>
#include <QPageLayout>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <cmath>

namespace fabricast {
namespace {

constexpr int kDotsPerInch = 600;
constexpr double kDotsPerPoint = kDotsPerInch / 72.0;
constexpr double kMargin = 14.0;      // millimetres
constexpr double kFootPoints = 22.0;  // below the text of each page
constexpr double kTextPoints = 9.0;
constexpr double kFinePoints = 7.5;

constexpr const char* kPrintStyle = R"(
h1 { font-size: 15pt; margin-top: 0px; margin-bottom: 4px; }
h2 { font-size: 11pt; margin-top: 16px; margin-bottom: 4px; }
p { margin-top: 2px; margin-bottom: 2px; }
p.picture { margin-top: 10px; margin-bottom: 6px; }
p.sub { margin-left: 14px; color: var(--soft); }
.aside, .note, .gap, .caption { color: var(--soft); }
b { color: var(--ink); }
.badge { font-weight: bold; }
.good { color: var(--good); }
.unsure { color: var(--unsure); }
.bad { color: var(--bad); }
p.code { font-family: "Liberation Mono", "DejaVu Sans Mono", monospace; font-size: 8pt;
  background-color: var(--panel); margin-top: 4px; margin-bottom: 4px; }
table { margin-top: 6px; margin-bottom: 10px; border-collapse: collapse; }
th { background-color: var(--panel); text-align: left; }
td, th { border-bottom: 1px solid var(--rule); vertical-align: top; }
td.caption { border-bottom: 0px; padding-bottom: 3px; }
)";

QFont letters(double points) {
    QFont font = QGuiApplication::font();
    font.setPointSizeF(points);
    return font;
}

QRectF pageBox(const QPdfWriter& writer) {
    return {0.0, 0.0, double(writer.width()), double(writer.height())};
}

/// The next place where a heading stands without what it heads: too low on its page.
QTextBlock strandedHeading(const QTextDocument& document) {
    constexpr double kLeastBelow = 60.0 * kDotsPerPoint;
    const double height = document.pageSize().height();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0 ||
            block.blockFormat().pageBreakPolicy() != QTextFormat::PageBreak_Auto) {
            continue;
        }
        const QRectF box = document.documentLayout()->blockBoundingRect(block);
        const double below = height * std::ceil(box.bottom() / height) - box.bottom();
        if (below < kLeastBelow && block.next().isValid()) {
            return block;
        }
    }
    return {};
}

/// Headings at the end of a page begin the next one.
void keepHeadings(QTextDocument& document) {
    for (QTextBlock block = strandedHeading(document); block.isValid();
         block = strandedHeading(document)) {
        QTextBlockFormat format = block.blockFormat();
        format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        QTextCursor(block).setBlockFormat(format);
    }
}

void paintFoot(QPainter& painter, const QRectF& page, const QString& title, const QString& place) {
    const QFont font = letters(kFinePoints);
    painter.setFont(font);
    painter.setPen(QColor("#444444"));
    const QFontMetricsF metrics(font, painter.device());
    const double room = page.width() - 2.0 * metrics.horizontalAdvance(place);
    painter.drawText(
        page, Qt::AlignLeft | Qt::AlignBottom, metrics.elidedText(title, Qt::ElideRight, room));
    painter.drawText(page, Qt::AlignRight | Qt::AlignBottom, place);
}

void paintPages(QPdfWriter& writer, const QTextDocument& document, const QString& title) {
    QPainter painter(&writer);
    const QRectF whole = pageBox(writer);
    const QSizeF text = document.pageSize();
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette.setColor(QPalette::Text, Qt::black);  // whatever the window's theme is
    for (int page = 0; page < document.pageCount(); ++page) {
        if (page > 0) {
            writer.newPage();
        }
        context.clip = QRectF(QPointF(0.0, page * text.height()), text);
        painter.save();
        painter.translate(0.0, -context.clip.top());
        painter.setClipRect(context.clip);
        document.documentLayout()->draw(&painter, context);
        painter.restore();
        paintFoot(
            painter, whole, title, QString("%1 of %2").arg(page + 1).arg(document.pageCount()));
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
    FABRICAST_ASSIGN(const PrintedHtml printed,
                     printedHtml(report, info, sheet, page.width() / kDotsPerPoint));
    writer.setTitle(printed.title);
    writer.setCreator(QString::fromStdString(info.tool));
    PictureObject pictures(printed.pictures, kDotsPerPoint);
    QTextDocument document;
    document.documentLayout()->setPaintDevice(&writer);
    document.documentLayout()->registerHandler(QTextFormat::ImageObject, &pictures);
    document.setDocumentMargin(0.0);
    document.setDefaultFont(letters(kTextPoints));
    document.setDefaultStyleSheet(sheet.resolved(kPrintStyle));
    document.setPageSize(page.size() - QSizeF(0.0, kFootPoints * kDotsPerPoint));
    document.setHtml(printed.html);
    keepHeadings(document);
    paintPages(writer, document, printed.title);
    return undatedPdf(bytes);
}

}  // namespace fabricast
