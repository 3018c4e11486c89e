#pragma once
#include "planner/base/result.h"
#include "planner/report/report.h"
#include "planner/report/table.h"
#include "planner/text/json_document.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fabricast {

/// One member of a line of a sweep: as a column of numbers, and how people read it.
struct SweepColumn {
    std::string_view key;
    std::string_view title;  ///< for people; empty: not theirs
    Align align = Align::Left;
    /// Of the member, which may be absent; `line` is the whole.
    std::string (*text)(const JsonValue* member, const JsonValue& line) = nullptr;
    /// People see it only where points have other values of it than they set themselves.
    bool isSaidByPoint = false;
    /// Left out where no line has it, of what programs read too.
    bool isRare = false;
};

/// Those of a schema, in order.
std::span<const SweepColumn> sweepColumns(std::string_view schema);
/// Whether a line of a sweep's file has what a sweep writes: an answer or a reason, each member
/// as its column has it, and no number that none can be.
Result<void> checkSweepLine(const JsonValue& line);
/// The number that a picture of the sweep shows: "tokens_per_s", "usd".
const SweepColumn& picturedColumn(std::string_view schema, const JsonValue& line);

// A sweep: what each point sets, and its answer. `lines` are JSON, one a point ("fabricast.sweep/1"
// of plans, "fabricast.size_sweep/1" of clusters); empty ones, which are not computed yet, are left
// out.

/// Numbers as they are in JSON, for programs.
Result<Table> sweepNumbers(std::span<const std::string> lines);
/// Numbers in the units of other tables, for people.
Result<Table> sweepTable(std::span<const std::string> lines);
/// The table, and a picture of it.
Result<Report> sweepReport(std::span<const std::string> lines);
/// Points that have an answer, and not only a reason why there is none.
Result<std::size_t> answeredPoints(std::span<const std::string> lines);

}  // namespace fabricast
