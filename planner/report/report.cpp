#include "planner/report/report.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

/// Lines stay lines: Markdown would join them.
std::string brokenLines(std::string_view prose) {
    std::string text;
    while (!prose.empty()) {
        const std::size_t end = prose.find('\n');
        std::string_view line = prose.substr(0, end);
        prose.remove_prefix(end == std::string_view::npos ? prose.size() : end + 1);
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        const bool isFollowed = !prose.empty() && prose.front() != '\n';
        text += std::string(line) + (isFollowed && !line.empty() ? "  \n" : "\n");
    }
    return text;
}

}  // namespace

Report& Report::add(std::string_view prose) {
    if (prose.empty()) {
        return *this;
    }
    auto* last = pieces_.empty() ? nullptr : std::get_if<std::string>(&pieces_.back());
    if (last != nullptr) {
        last->append(prose);
    } else {
        pieces_.emplace_back(std::string(prose));
    }
    return *this;
}

Report& Report::add(Table table) {
    pieces_.emplace_back(std::move(table));
    return *this;
}

Report& Report::add(BarChart chart, std::size_t least) {
    if (chart.bars.size() >= least) {
        pieces_.emplace_back(std::move(chart));
    }
    return *this;
}

Report& Report::add(PointChart chart, std::size_t least) {
    if (chart.points.size() >= least) {
        pieces_.emplace_back(std::move(chart));
    }
    return *this;
}

Report& Report::add(Drawing drawing) {
    pieces_.emplace_back(std::move(drawing));
    return *this;
}

Report& Report::add(const Report& more) {
    for (const Piece& piece : more.pieces_) {
        if (const auto* prose = std::get_if<std::string>(&piece)) {
            add(*prose);
        } else {
            pieces_.push_back(piece);
        }
    }
    return *this;
}

std::string reportText(const Report& report) {
    std::string text;
    for (const Report::Piece& piece : report.pieces()) {
        if (const auto* prose = std::get_if<std::string>(&piece)) {
            text += *prose;
        } else if (const auto* table = std::get_if<Table>(&piece)) {
            text += alignedText(*table);
        }
    }
    return text;
}

std::string reportMarkdown(const Report& report) {
    std::string text;
    for (const Report::Piece& piece : report.pieces()) {
        if (const auto* prose = std::get_if<std::string>(&piece)) {
            text += brokenLines(*prose);
        } else if (const auto* table = std::get_if<Table>(&piece)) {
            text += (text.ends_with("\n\n") ? "" : "\n") + markdownText(*table) + "\n";
        }
    }
    return text;
}

}  // namespace fabricast
