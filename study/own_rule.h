#pragma once
#include "planner/result/lint_report.h"

#include <string>
#include <string_view>
#include <utility>

namespace fabricast {

/// A rule of lint that needs more than the files' keys.
struct OwnRule {
    std::string_view code;
    LintSeverity severity;
    std::string_view title;
    std::string_view why;
};

inline LintFinding findingOf(const OwnRule& rule,
                             std::string where,
                             std::string what,
                             std::string fix) {
    return {.code = std::string(rule.code),
            .severity = rule.severity,
            .where = std::move(where),
            .what = std::move(what),
            .why = std::string(rule.why),
            .fix = std::move(fix)};
}

}  // namespace fabricast
