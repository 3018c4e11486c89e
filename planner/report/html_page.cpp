#include "planner/report/html_page.h"

#include "planner/report/markup.h"
#include "planner/report/page_style.h"
#include "planner/report/svg_words.h"

#include <algorithm>
#include <cstddef>

namespace fabricast {
namespace {

/// What can be scrolled by keyboard too, where it is wider than the screen.
std::string scrolling(const std::string& label, const std::string& content) {
    return "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" +
           xmlEscaped(label) + "\">\n" + content + "</div>\n";
}

std::string titlesOf(const Table& table) {
    constexpr std::size_t kMost = 4;
    std::string text;
    std::size_t count = 0;
    for (const Column& column : table.columns) {
        if (!column.title.empty() && count++ < kMost) {
            text += (text.empty() ? "" : ", ") + column.title;
        }
    }
    return text;
}

std::string cellElement(const Table& table,
                        const std::vector<std::string>& row,
                        std::size_t column) {
    const bool isName = column == 0;
    const std::string element = isName && !row[column].empty() ? "th" : "td";
    std::string attributes = element == "th" ? " scope=\"row\"" : "";
    attributes += table.columns[column].align == Align::Right ? " class=\"num\"" : "";
    return "<" + element + attributes + ">" + breakableText(row[column]) + "</" + element + ">";
}

std::string headOf(const Column& column) {
    const std::string style = column.align == Align::Right ? " class=\"num\"" : "";
    return column.title.empty()
               ? "<td" + style + "></td>"
               : "<th scope=\"col\"" + style + ">" + xmlEscaped(column.title) + "</th>";
}

std::string tableOf(const Table& table, const std::string& caption) {
    const std::string said = caption.empty() ? titlesOf(table) : caption;
    std::string html = "<table>\n<caption" +
                       std::string(caption.empty() ? " class=\"unseen\"" : "") + ">" +
                       xmlEscaped(said) + "</caption>\n<thead><tr>";
    for (const Column& column : table.columns) {
        html += headOf(column);
    }
    html += "</tr></thead>\n<tbody>\n";
    for (const std::vector<std::string>& row : table.rows) {
        html += "<tr>";
        for (std::size_t column = 0; column < std::min(row.size(), table.columns.size());
             ++column) {
            html += cellElement(table, row, column);
        }
        html += "</tr>\n";
    }
    return scrolling(said, html + "</tbody>\n</table>\n");
}

std::string figureOf(const std::string& title, const std::string& svg, const char* kind) {
    return "<figure class=\"" + std::string(kind) + "\">\n<figcaption>" + xmlEscaped(title) +
           "</figcaption>\n" + scrolling(title, svg) + "</figure>\n";
}

/// Piece by piece; the line before a table is its caption.
class Body {
public:
    explicit Body(const Report& report) {
        const std::vector<Report::Piece>& pieces = report.pieces();
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (const auto* prose = std::get_if<std::string>(&pieces[i])) {
                const bool isBeforeTable =
                    i + 1 < pieces.size() && std::holds_alternative<Table>(pieces[i + 1]);
                add(*prose, isBeforeTable);
            } else {
                add(pieces[i]);
            }
        }
    }

    [[nodiscard]] const std::string& html() const { return html_; }
    [[nodiscard]] const std::string& heading() const { return prose_.heading(); }

private:
    void add(std::string prose, bool isBeforeTable) {
        caption_ = isBeforeTable ? takeCaption(prose) : "";
        html_ += prose_.of(prose);
    }
    void add(const Report::Piece& piece) {
        if (const auto* table = std::get_if<Table>(&piece)) {
            html_ += tableOf(*table, caption_);
        } else if (const auto* bars = std::get_if<BarChart>(&piece)) {
            html_ += figureOf(bars->title, barsSvg(*bars), "numbers");
        } else if (const auto* points = std::get_if<PointChart>(&piece)) {
            html_ += figureOf(points->title, pointsSvg(*points), "numbers");
        } else if (const auto* drawing = std::get_if<Drawing>(&piece)) {
            html_ += figureOf(drawing->title, drawing->svg, "drawing");
        }
        caption_.clear();
    }

    HtmlProse prose_;
    std::string caption_;
    std::string html_;
};

constexpr std::string_view kHead =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
    "<meta charset=\"utf-8\"/>\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
    "<meta name=\"color-scheme\" content=\"light dark\"/>\n";

}  // namespace

bool hasWideTable(const Report& report) {
    constexpr std::size_t kMostUpright = 10;
    return std::ranges::any_of(report.pieces(), [](const Report::Piece& piece) {
        const auto* table = std::get_if<Table>(&piece);
        return table != nullptr && table->columns.size() > kMostUpright;
    });
}

std::string htmlPage(const Report& report, const PageInfo& info) {
    const Body body(report);
    const bool isHeaded = !body.heading().empty();
    const std::string title = isHeaded ? body.heading() : info.title;
    std::string html(kHead);
    html += "<meta name=\"generator\" content=\"" + xmlEscaped(info.tool) + "\"/>\n";
    html += "<title>" + xmlEscaped(title) + "</title>\n<style>\n" + std::string(kPageStyle) +
            "</style>\n</head>\n<body>\n" +
            (hasWideTable(report) ? "<main class=\"wide\">\n" : "<main>\n");
    html += isHeaded ? "" : "<h1>" + xmlEscaped(info.title) + "</h1>\n";
    html += body.html() + "</main>\n<footer>\n<p>" + xmlEscaped(info.tool) + "</p>\n";
    html += "<pre><code>" + xmlEscaped(info.command) + "</code></pre>\n";
    return html + "</footer>\n</body>\n</html>\n";
}

}  // namespace fabricast
