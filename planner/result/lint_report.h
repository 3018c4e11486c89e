#pragma once
#include "planner/base/enum_names.h"
#include "planner/result/memory_breakdown.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// An error does not start, or fails on its way. A warning starts and does other than the file
/// says, or costs memory, time or precision for nothing. A note is worth knowing.
enum class LintSeverity : std::uint8_t { Error, Warning, Note };

constexpr auto namesOf(LintSeverity /*type*/) {
    return std::array{Named<LintSeverity>{LintSeverity::Error, "error"},
                      Named<LintSeverity>{LintSeverity::Warning, "warning"},
                      Named<LintSeverity>{LintSeverity::Note, "note"}};
}

/// What a rule found, where, and how it is mended.
struct LintFinding {
    std::string code;  ///< of the rule: "DS06"
    LintSeverity severity = LintSeverity::Warning;
    std::string where;  ///< "ds.json:12:5", or the file
    std::string what;   ///< what the file says
    std::string why;    ///< what happens then
    std::string fix;    ///< what to write instead
};

/// A rule as it is listed: its code, severity, what it finds and why that matters.
struct ListedRule {
    std::string code;
    LintSeverity severity = LintSeverity::Warning;
    std::string title;
    std::string why;
};

/// This is all that was found in a launch file and in those that belong to it, the worst first.
struct LintReport {
    std::string file;                ///< as it was asked for
    std::vector<std::string> reads;  ///< those that were looked at
    std::vector<LintFinding> findings;
    std::optional<Verdict> verdict{};  ///< of its memory, where model and cluster are known
    std::string subject{};             ///< what was forecast
    std::string notForecast{};         ///< why nothing was
    bool isNotLookedAt = false;        ///< no rule of a framework could be
};

}  // namespace fabricast
