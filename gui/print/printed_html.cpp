#include "gui/print/printed_html.h"

#include "gui/print/printed_table.h"
#include "planner/report/markup.h"
#include "planner/report/svg_words.h"

#include <cstddef>
#include <utility>
#include <variant>

namespace fabricast {
namespace {

/// Piece by piece, as on a page: the line before a table is its caption.
class PrintedBody {
public:
    PrintedBody(const StyleSheet& sheet, double width) : sheet_(sheet), width_(width) {}

    Result<void> add(const Report& report) {
        const std::vector<Report::Piece>& pieces = report.pieces();
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (const auto* prose = std::get_if<std::string>(&pieces[i])) {
                const bool isBeforeTable =
                    i + 1 < pieces.size() && std::holds_alternative<Table>(pieces[i + 1]);
                addProse(*prose, isBeforeTable);
            } else {
                FABRICAST_TRY(addPiece(pieces[i]));
            }
        }
        return {};
    }

    [[nodiscard]] const std::string& heading() const { return prose_.heading(); }
    [[nodiscard]] QString html() const { return html_; }
    [[nodiscard]] std::vector<PrintedPicture>& pictures() { return pictures_; }

private:
    void addProse(std::string prose, bool isBeforeTable) {
        caption_ = isBeforeTable ? takeCaption(prose) : "";
        html_ += QString::fromStdString(prose_.of(prose))
                     .replace("<wbr/>", "&#8203;")
                     .replace("<pre><code>", "<p class=\"code\">")
                     .replace("</code></pre>", "</p>");
    }

    Result<void> addPiece(const Report::Piece& piece) {
        if (const auto* table = std::get_if<Table>(&piece)) {
            html_ += printedTable(*table, std::exchange(caption_, {}), width_);
            return {};
        }
        if (const auto* bars = std::get_if<BarChart>(&piece)) {
            return addPicture(bars->title, barsSvg(*bars), false);
        }
        if (const auto* points = std::get_if<PointChart>(&piece)) {
            return addPicture(points->title, pointsSvg(*points), false);
        }
        const auto& drawing = std::get<Drawing>(piece);
        return addPicture(drawing.title, drawing.svg, true);
    }

    Result<void> addPicture(const std::string& title, const std::string& svg, bool isWide) {
        FABRICAST_ASSIGN(SvgPicture picture, SvgPicture::read(svg, sheet_));
        html_ += QString("<p class=\"picture\"><img src=\"%1\"/></p>").arg(pictures_.size());
        pictures_.push_back({QString::fromStdString(title), std::move(picture), isWide});
        return {};
    }

    const StyleSheet& sheet_;
    double width_;
    HtmlProse prose_;
    std::string caption_;
    QString html_;
    std::vector<PrintedPicture> pictures_;
};

}  // namespace

Result<PrintedHtml> printedHtml(const Report& report,
                                const PageInfo& info,
                                const StyleSheet& sheet,
                                double width) {
    PrintedBody body(sheet, width);
    FABRICAST_TRY(body.add(report));
    const bool isHeaded = !body.heading().empty();
    PrintedHtml printed;
    printed.title = QString::fromStdString(isHeaded ? body.heading() : info.title);
    printed.html = (isHeaded ? QString() : "<h1>" + printedText(info.title) + "</h1>") +
                   body.html() + "<p class=\"aside\">" + printedText(info.tool) +
                   "</p><p class=\"code\">" + printedText(info.command) + "</p>";
    printed.pictures = std::move(body.pictures());
    return printed;
}

}  // namespace fabricast
