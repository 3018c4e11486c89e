#include "gui/print/printed_table.h"

#include "planner/report/markup.h"

#include <QFont>
#include <QFontMetricsF>
#include <QRegularExpression>
#include <algorithm>
#include <cstddef>

namespace fabricast {
namespace {

constexpr double kUsualPoints = 7.5;
constexpr double kLeastPoints = 3.5;
constexpr double kPadding = 3.0;  // on each side of a cell, in points

/// What has to stay on one line, at letters of one point.
double longestWord(const QFontMetricsF& letters, double perPoint, const std::string& cell) {
    static const QRegularExpression gaps("\\s+|(?<=,)(?=[a-z])");
    double longest = 0.0;
    for (const QString& word : QString::fromStdString(cell).split(gaps)) {
        longest = std::max(longest, letters.horizontalAdvance(word) / perPoint);
    }
    return longest;
}

/// As large as the longest words of all columns side by side allow.
double pointsFor(const Table& table, double width) {
    constexpr int kMeasured = 100;
    QFont font;
    font.setPixelSize(kMeasured);
    font.setBold(true);  // as titles and names are
    const QFontMetricsF letters(font);
    double words = 0.0;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        double longest = longestWord(letters, kMeasured, table.columns[column].title);
        for (const std::vector<std::string>& row : table.rows) {
            if (column < row.size()) {
                longest = std::max(longest, longestWord(letters, kMeasured, row[column]));
            }
        }
        words += longest;
    }
    const double left = width - 2.0 * kPadding * static_cast<double>(table.columns.size());
    return std::clamp(words > 0.0 ? left / words : kUsualPoints, kLeastPoints, kUsualPoints);
}

QString cellHtml(const char* element, const Column& column, const QString& text) {
    return QString("<%1%2>%3</%1>")
        .arg(element, column.align == Align::Right ? " align=\"right\"" : "", text);
}

}  // namespace

QString printedText(const std::string& text) {
    return QString::fromStdString(breakableText(text)).replace("<wbr/>", "&#8203;");
}

QString printedTable(const Table& table, const std::string& caption, double width) {
    QString html = QString(
                       "<table width=\"100%\" cellspacing=\"0\" cellpadding=\"%1\" "
                       "style=\"font-size:%2pt\"><thead>")
                       .arg(kPadding)
                       .arg(pointsFor(table, width), 0, 'f', 2);
    if (!caption.empty()) {
        html += QString("<tr><td class=\"caption\" colspan=\"%1\">%2</td></tr>")
                    .arg(table.columns.size())
                    .arg(printedText(caption));
    }
    html += "<tr>";
    for (const Column& column : table.columns) {
        html += cellHtml("th", column, printedText(column.title));
    }
    html += "</tr></thead>";
    for (const std::vector<std::string>& row : table.rows) {
        html += "<tr>";
        for (std::size_t i = 0; i < std::min(row.size(), table.columns.size()); ++i) {
            const QString text = printedText(row[i]);
            html += cellHtml("td", table.columns[i], i == 0 ? "<b>" + text + "</b>" : text);
        }
        html += "</tr>";
    }
    return html + "</table>";
}

}  // namespace fabricast
