#pragma once
#include "planner/result/check_report.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// "pass", "unsure", "FAIL"; of warnings "warn" where they do not hold.
std::string_view verdictWord(const CheckedRequirement& checked);
std::string_view verdictWord(CheckVerdict verdict);
/// In JSON: "holds", "cannot_tell", "fails".
std::string_view nameOf(CheckVerdict verdict);

/// A value of a metric in its unit: "71.80 GiB", "1,130,000", "48.2 %".
std::string metricText(Metric metric, double value);
/// What the forecast says: "44.87 GiB [44.60..62.16 GiB] of 23.64 GiB", or why it says nothing.
std::string valueText(const CheckedRequirement& checked);
/// "-4.6 %" against the baseline; empty where there is none.
std::string changeText(const CheckedRequirement& checked);
/// All of it in one sentence: "tokens_per_s >= 1.2M fails: 1,130,000 [1,090,000..1,170,000]".
std::string findingText(const CheckedRequirement& checked);
/// The same; where it fails, with what changed and what would mend it.
std::string explainedText(const CheckReport& report, const CheckedRequirement& checked);
/// "workload.global_batch 1280 -> 800 (run.json:12:20)".
std::string changedText(const ChangedInput& change);
/// "tokens_per_s >= 100k (main:run.json:9:5) is now tokens_per_s >= 90k (run.json:9:5)", "… is
/// gone".
std::string weakerText(const WeakerRequirement& weaker);
/// What nobody compared, and what is weaker, than in the baseline: "new: the baseline does not have
/// it, …", "weaker: …".
std::vector<std::string> sinceBaselineLines(const CheckReport& report);
/// "fix", "may mend" where it is unsure, or that nothing mends all and this comes nearest.
std::string_view fixWord(const CheckFix& fix);
/// "--layout recompute=full: fits 21.36 GiB (about a third more compute)".
std::string fixText(const CheckFix& fix);

/// What became of the forecast since the lock was written, and who changed it: "the scenario is the
/// same, the tool changed (fabricast 0.1.0 -> 0.2.0): step_s 1.2 s -> 1.3 s (+8.3 %)"; empty where
/// there is no lock, or nothing to say.
std::string sinceLockText(const CheckReport& report);

/// Whether something is missing that the requirement is about: no interval would tell.
bool isNotJudged(const CheckedRequirement& checked);

/// What decides the exit code of a call: scenarios that fail, that nobody can tell, with errors.
struct CheckCount {
    int scenarios = 0;
    int failed = 0;
    int unsure = 0;
    int notJudged = 0;  ///< scenarios with a requirement that lacks something, of the unsure ones
    int errors = 0;
};
CheckCount countOf(const std::vector<CheckOutcome>& outcomes);

}  // namespace fabricast
