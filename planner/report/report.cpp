#include "planner/report/report.h"

namespace fabricast {

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

}  // namespace fabricast
