#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/lint_report.h"
#include "study/lint.h"
#include "study/question.h"
#include "study/workbench.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// What is linted together: launch files, and folders, of which every launch file is looked at.
struct LintFilesAsk {
    std::vector<std::string> files;
    std::string directory;  ///< where they start
    LintAsk each{};
    /// The question of a file with what was typed over it; of "" what was typed alone.
    std::function<Result<Question>(const std::string& file)> questionOf{};
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

}  // namespace fabricast
