#include "gui/charts/undated_pdf.h"

namespace fabricast {
namespace {

/// The number behind a word, such as `startxref`, that stands on a line of its own.
qsizetype numberBelow(const QByteArray& pdf, qsizetype word) {
    const qsizetype begin = pdf.indexOf('\n', word) + 1;
    return pdf.mid(begin, pdf.indexOf('\n', begin) - begin).toLongLong();
}

}  // namespace

// Objects behind what goes begin earlier then, which the table of their places has to say.
QByteArray undatedPdf(QByteArray pdf) {
    constexpr qsizetype kEntry = 20;  // "0000000015 00000 n \n"
    constexpr qsizetype kDigits = 10;
    const qsizetype date = pdf.indexOf("/CreationDate (");
    const qsizetype last = pdf.lastIndexOf("startxref\n");
    if (date < 0 || last < 0) {
        return pdf;
    }
    const qsizetype gone = pdf.indexOf('\n', date) + 1 - date;
    const qsizetype table = numberBelow(pdf, last);
    const QByteArray trailer = "startxref\n" + QByteArray::number(table - gone) + "\n%%EOF\n";
    const qsizetype first = pdf.indexOf('\n', pdf.indexOf('\n', table) + 1) + 1;
    for (qsizetype entry = first; entry + kEntry <= last && pdf[entry] != 't'; entry += kEntry) {
        const qsizetype place = pdf.mid(entry, kDigits).toLongLong();
        if (place > date) {
            pdf.replace(
                entry, kDigits, QByteArray::number(place - gone).rightJustified(kDigits, '0'));
        }
    }
    pdf.truncate(last);
    pdf.append(trailer);
    return pdf.remove(date, gone);
}

}  // namespace fabricast
