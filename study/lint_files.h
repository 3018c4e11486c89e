#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/lint_report.h"
#include "study/lint.h"
#include "study/question.h"
#include "study/topology.h"
#include "study/workbench.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

/// What is linted together: launch files, and folders, of which every launch file is looked at.
struct LintFilesAsk {
    std::vector<std::string> files;
    std::string directory;  ///< where they start
    LintAsk each{};
    /// The question of a run's files with what was typed over it; of none what was typed alone.
    std::function<Result<Question>(const std::vector<std::string>& files)> questionOf{};
};

/// A report of each. A file that another one names is looked at with it, and not once more; nor is
/// one that is named twice, or with its folder.
Result<std::vector<LintReport>> lintFiles(const LintFilesAsk& ask,
                                          const Workbench& bench,
                                          const Watch& watch);

/// Refuses a code that no rule has, typed behind --ignore.
Result<void> checkRuleCodes(std::span<const std::string> codes);

/// Whether a finding is as severe as that.
bool anyAsSevere(std::span<const LintReport> reports, LintSeverity least);
/// Leaves out the findings that are less severe.
void leaveOutBelow(LintSeverity least, std::vector<LintReport>& reports);

/// Names of what can fail in a network, to complete what is typed: switches, nodes, links, then the
/// devices inside nodes. At most so many.
std::vector<std::string> failingNames(const TopologyAnswer& answer, std::size_t most);

/// The names among `names` that this network has.
std::vector<std::string> namesInNetwork(const TopologyAnswer& answer,
                                        const std::vector<std::string>& names);

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
