#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/lint_report.h"
#include "study/explain.h"
#include "study/question.h"
#include "study/workbench.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What is looked for in a launch file.
struct LintAsk {
    std::vector<std::string> ignored;  ///< codes of rules
    LintSeverity least = LintSeverity::Note;
    /// What was typed beside the file: what is known of a run whose file is refused.
    std::optional<Question> typed{};
};

/// What the frameworks take in silence and what will be regretted, in one launch file and those
/// that it names. `question` is the file's with what was typed over it: where it knows the model
/// and the cluster, what its forecast shows is looked at too. `directory` is where `file` starts.
///     FABRICAST_ASSIGN(const LintReport report, lint("train.sh", "", question, {}, bench, watch));
Result<LintReport> lint(const std::string& file,
                        const std::string& directory,
                        const Result<Question>& question,
                        const LintAsk& ask,
                        const Workbench& bench,
                        const Watch& watch);

/// As much of a forecast as there is, by which a file is judged: its step is not modelled for
/// every run.
Result<Explanation> forecastToLint(const Question& question,
                                   const Workbench& bench,
                                   const Watch& watch,
                                   bool faster = false);

/// What is said of a file that cannot be looked at.
LintReport notLookedAt(const std::string& file, const std::string& why);

/// All rules by their codes, those of forecasts among them.
std::vector<ListedRule> lintRules();

}  // namespace fabricast
