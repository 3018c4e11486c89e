#pragma once
#include "planner/report/chart.h"
#include "planner/report/table.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fabricast {

/// This is an answer for people before it is text or a page: prose, with tables and pictures in
/// between.
///     Report report("FITS  61.2 GiB\n\n");
///     report.add(stageTable).add("assumed: sequence 4096\n");
///     const std::string text = reportText(report);
class Report {
public:
    using Piece = std::variant<std::string, Table, BarChart, PointChart, Drawing>;

    Report() = default;
    explicit Report(std::string prose) { add(std::move(prose)); }

    Report& add(std::string_view prose);
    Report& add(Table table);
    /// Pictures are left out of the text; one of fewer than `least` bars or points is left out.
    Report& add(BarChart chart, std::size_t least = 1);
    Report& add(PointChart chart, std::size_t least = 2);
    Report& add(Drawing drawing);
    Report& add(const Report& more);

    [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }

private:
    std::vector<Piece> pieces_;  ///< never two of prose one behind the other
};

/// For a terminal: the prose as it is, tables aligned.
std::string reportText(const Report& report);
/// For a comment or a wiki: the same lines and tables.
std::string reportMarkdown(const Report& report);

}  // namespace fabricast
