#pragma once
#include "planner/base/result.h"
#include "planner/result/check_report.h"
#include "study/find_changes.h"
#include "study/question.h"
#include "study/workbench.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// Whether a requirement that is no warning does not hold.
bool isFailed(const CheckedRequirement& one);
/// How far the worst of them is from holding: 1 where all do.
double worstShortfall(const std::vector<CheckedRequirement>& requirements);
/// How far each of those that failed is from holding.
std::vector<double> shortfallsOf(const std::vector<CheckedRequirement>& requirements);
/// What is asked of the memory of a fix, where a requirement says it.
std::optional<CheckVerdict> fitAsked(const std::vector<CheckedRequirement>& after);

/// What the requirements said of a changed question, and whether it fits.
struct JudgedFix {
    std::vector<CheckedRequirement> after;
    Verdict verdict = Verdict::Fits;
};

/// What a fix has to do: that no requirement fails any more, or that all hold.
enum class FixGoal { NoneFails, Holds };

/// Judges changed questions by the requirements of a check, and keeps what they said of each.
///     FixJudge judge(report, baseline, bench);
///     judge.judge(changed);  // how near it comes
///     judge.of(changed);     // what became of the requirements that had failed
class FixJudge {
public:
    /// `baseline` may be null.
    FixJudge(const CheckReport& report,
             const ComparedSide* baseline,
             const Workbench& bench,
             FixGoal goal)
        : report_(report), baseline_(baseline), bench_(bench), goal_(goal) {}

    /// An error where it cannot be forecast, or fits less surely than it did.
    Result<Judgement> judge(const Question& changed);
    /// The requirements that did not hold before.
    JudgedFix of(const Question& changed);

private:
    [[nodiscard]] std::vector<CheckedRequirement> failedBefore(
        const std::vector<CheckedRequirement>& after) const;

    const CheckReport& report_;
    const ComparedSide* baseline_;
    const Workbench& bench_;
    FixGoal goal_;
    std::map<std::string, JudgedFix> judged_;
};

}  // namespace fabricast
