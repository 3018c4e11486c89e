#include "gui/print/printed_pages.h"

#include "gui/print/keep_together.h"

#include <QAbstractTextDocumentLayout>
#include <QGuiApplication>
#include <QPaintDevice>
#include <QPainter>
#include <QPalette>
#include <utility>

namespace fabricast {
namespace {

constexpr double kTextPoints = 9.0;

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

}  // namespace

QFont printedLetters(double points) {
    QFont font = QGuiApplication::font();
    font.setPointSizeF(points);
    return font;
}

PrintedPages::PrintedPages(PrintedHtml printed,
                           const StyleSheet& sheet,
                           QPaintDevice& device,
                           const QSizeF& size)
    : printed_(std::move(printed)), pictures_(printed_.pictures, device.logicalDpiY() / 72.0) {
    document_.documentLayout()->setPaintDevice(&device);
    document_.documentLayout()->registerHandler(QTextFormat::ImageObject, &pictures_);
    document_.setDocumentMargin(0.0);
    document_.setDefaultFont(printedLetters(kTextPoints));
    document_.setDefaultStyleSheet(sheet.resolved(kPrintStyle));
    document_.setPageSize(size);
    document_.setHtml(printed_.html);
    keepTogether(document_);
}

void PrintedPages::paint(QPainter& painter, int page) const {
    const QSizeF size = document_.pageSize();
    const QRectF box(QPointF(0.0, page * size.height()), size);
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette.setColor(QPalette::Text, Qt::black);  // whatever the window's theme is
    // Less a dot, or what begins with the next page would be painted below this one too.
    context.clip = box.adjusted(0.0, 1.0, 0.0, -1.0);
    painter.save();
    painter.translate(0.0, -box.top());
    painter.setClipRect(box);
    document_.documentLayout()->draw(&painter, context);
    painter.restore();
}

}  // namespace fabricast
