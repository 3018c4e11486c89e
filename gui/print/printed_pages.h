#pragma once
#include "gui/print/picture_object.h"
#include "gui/print/printed_html.h"
#include "gui/print/style_sheet.h"

#include <QFont>
#include <QSizeF>
#include <QTextDocument>

class QPaintDevice;
class QPainter;

namespace fabricast {

/// This is a report on pages of one size, in dots of the device that it is painted on. A heading
/// stands on the page of what it heads, and a last page has more than one line.
///     const PrintedPages pages(std::move(printed), sheet, writer, size);
///     pages.paint(painter, 0);
class PrintedPages {
public:
    PrintedPages(PrintedHtml printed,
                 const StyleSheet& sheet,
                 QPaintDevice& device,
                 const QSizeF& size);

    [[nodiscard]] int count() const { return document_.pageCount(); }
    void paint(QPainter& painter, int page) const;

private:
    PrintedHtml printed_;
    PictureObject pictures_;
    QTextDocument document_;
};

/// Of what is printed, in points.
QFont printedLetters(double points);

}  // namespace fabricast
