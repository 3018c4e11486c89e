#pragma once
#include "planner/base/result.h"
#include "planner/report/table.h"
#include "planner/text/json_document.h"

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
};

/// Those of a schema, in order.
std::span<const SweepColumn> sweepColumns(std::string_view schema);
/// Whether a line of a sweep's file has what a sweep writes: an answer or a reason, each member
/// as its column has it, and no number that none can be.
Result<void> checkSweepLine(const JsonValue& line);
/// The number that a picture of the sweep shows: "tokens_per_s", "usd".
const SweepColumn& picturedColumn(std::string_view schema, const JsonValue& line);

}  // namespace fabricast
