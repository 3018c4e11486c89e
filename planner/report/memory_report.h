#pragma once
#include "planner/base/result.h"
#include "planner/report/report.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

#include <string>
#include <string_view>

namespace fabricast {

/// The answer about memory for people: the verdict, a row per stage, and what would help.
///     FITS  61.20 GiB [58.31..65.02] of 79.18 GiB   stage 0, at the loss
Report memoryReport(const Scenario& scenario, const MemoryBreakdown& memory);
std::string memoryText(const Scenario& scenario, const MemoryBreakdown& memory);
std::string memoryMarkdown(const Scenario& scenario, const MemoryBreakdown& memory);
/// What the first line of every answer about a layout begins with: "FITS", "LIKELY FITS",
/// "UNLIKELY TO FIT" or "DOES NOT FIT".
std::string_view verdictWord(Verdict verdict);
/// Behind the memory of a plan in a table: "?" where it likely fits, "??" where it is unlikely to.
constexpr std::string_view doubtMark(Verdict verdict) {
    return verdict == Verdict::Likely ? "?" : verdict == Verdict::Unlikely ? "??" : "";
}
/// "host memory per node: 1.28 TiB of 179 GiB".
std::string hostNeedText(const HostNeed& host);
/// "fits", "likely fits", "unlikely to fit", "still does not fit".
std::string_view fixText(Verdict verdict);
/// Of a run with more phases than steps the one that the verdict is of: "loading"; or nothing.
std::string_view fullestPhase(const MemoryBreakdown& memory);
/// Of a change: " and 2.4 TiB of a host", or nothing.
std::string fixHostText(const Fix& fix);
/// Of a change: "fits", or "fits if a node has 406 GiB of host memory", where that is not known.
std::string fixOutcome(const Fix& fix);
/// "fits", "likely fits", "unlikely to fit", "does not fit".
std::string_view fitText(Verdict verdict);
/// A row per stage, every number in bytes.
std::string memoryCsv(const MemoryBreakdown& memory);

/// The formula behind a number, with its numbers put in, and what it was checked against. `key` is
/// "activations" (of the stage with the highest peak) or "stages[2].activations"; an unknown one is
/// an error that lists what there is.
Result<std::string> memoryWhy(const MemoryBreakdown& memory, std::string_view key);

/// Every formula of the stage with the highest peak.
std::string memoryFormulas(const MemoryBreakdown& memory);

/// The key of the largest number with a formula of the stage with the highest peak; may be empty.
std::string largestTerm(const MemoryBreakdown& memory);

}  // namespace fabricast
