#include "study/fix_judge.h"

#include "study/fits_as_surely.h"
#include "study/input_effects.h"
#include "study/requirements.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace fabricast {

namespace {

/// What the requirements that are no warnings say of another side.
std::vector<CheckedRequirement> judgedAgain(const std::vector<CheckedRequirement>& before,
                                            const ComparedSide& side,
                                            const ComparedSide* baseline) {
    std::vector<CheckedRequirement> again;
    for (const CheckedRequirement& one : before) {
        if (!one.isWarning()) {
            again.push_back(judged(one.requirement, side, baseline));
        }
    }
    return again;
}

/// Whether a fix fits as surely as what was checked, or as its requirements ask.
bool fitsEnough(Verdict changed, Verdict now, const std::vector<CheckedRequirement>& after) {
    const std::optional<CheckVerdict> asked = fitAsked(after);
    const bool isAsked =
        asked && (*asked == CheckVerdict::Holds ||
                  (now == Verdict::DoesNotFit && *asked == CheckVerdict::CannotTell));
    return isAsked || fitsAsSurely(changed, now);
}

}  // namespace

bool isFailed(const CheckedRequirement& one) {
    return !one.isWarning() && one.verdict != CheckVerdict::Holds;
}

double worstShortfall(const std::vector<CheckedRequirement>& requirements) {
    double worst = 1.0;
    for (const CheckedRequirement& one : requirements) {
        worst = one.isWarning() ? worst : std::max(worst, shortfallOf(one));
    }
    return worst;
}

std::optional<CheckVerdict> fitAsked(const std::vector<CheckedRequirement>& after) {
    std::optional<CheckVerdict> worst;
    for (const CheckedRequirement& one : after) {
        if (one.requirement.metric == Metric::Fits) {
            worst = std::max(worst.value_or(CheckVerdict::Holds), one.verdict);
        }
    }
    return worst;
}

Result<Judgement> FixJudge::judge(const Question& changed) {
    FABRICAST_ASSIGN(ComparedSide side, answeredSide(changed, bench_, "", ""));
    std::vector<CheckedRequirement> after = judgedAgain(report_.requirements, side, baseline_);
    const Verdict fit = side.memory.verdict;
    const Verdict now = report_.side.memory.verdict;
    const bool fits = fitsEnough(fit, now, after);
    if (!fits && fit > now) {
        return fail(Error::Code::Unsupported, "memory", "fits less surely than it did");
    }
    const bool holds = std::ranges::none_of(
        after, [](const CheckedRequirement& one) { return one.verdict == CheckVerdict::Fails; });
    Judgement judgement{.distance = worstShortfall(after), .reaches = holds && fits};
    judgement.plan.scenario = std::move(side.scenario);
    judged_[typed(changed)] = {.after = std::move(after), .verdict = fit};
    return judgement;
}

JudgedFix FixJudge::of(const Question& changed) const {
    JudgedFix shown;
    const auto found = judged_.find(typed(changed));
    std::size_t place = 0;
    for (const CheckedRequirement& before : report_.requirements) {
        if (before.isWarning()) {
            continue;
        }
        if (found != judged_.end() && isFailed(before)) {
            shown.after.push_back(found->second.after[place]);
        }
        ++place;
    }
    shown.verdict = found == judged_.end() ? Verdict::Fits : found->second.verdict;
    return shown;
}

}  // namespace fabricast
