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

/// Whether a fix fits as surely as what was checked, or as its requirements ask. What is unlikely
/// to fit mends nothing.
bool fitsEnough(Verdict changed, Verdict now, const std::vector<CheckedRequirement>& after) {
    const std::optional<CheckVerdict> asked = fitAsked(after);
    const bool isAsked =
        asked && (*asked == CheckVerdict::Holds ||
                  (now == Verdict::DoesNotFit && *asked == CheckVerdict::CannotTell &&
                   changed == Verdict::Likely));
    return isAsked || fitsAsSurely(changed, now);
}

/// Whether a number that is asked for was known before and is not any more.
bool isAnyUnknown(const std::vector<CheckedRequirement>& after,
                  const std::vector<CheckedRequirement>& before) {
    const auto unknown = [](const std::vector<CheckedRequirement>& all) {
        return std::ranges::count_if(
            all, [](const CheckedRequirement& one) { return !one.isWarning() && !one.value; });
    };
    return unknown(after) > unknown(before);
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

std::vector<double> shortfallsOf(const std::vector<CheckedRequirement>& requirements) {
    std::vector<double> shortfalls;
    for (const CheckedRequirement& one : requirements) {
        if (isFailed(one)) {
            shortfalls.push_back(shortfallOf(one));
        }
    }
    return shortfalls;
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
    if (isAnyUnknown(after, report_.requirements)) {
        return fail(Error::Code::Unsupported, "require", "what is asked for is not forecast");
    }
    const CheckVerdict worst =
        goal_ == FixGoal::Holds ? CheckVerdict::Holds : CheckVerdict::CannotTell;
    const bool holds = std::ranges::all_of(
        after, [worst](const CheckedRequirement& one) { return one.verdict <= worst; });
    Judgement judgement{.distance = worstShortfall(after), .reaches = holds && fits};
    for (const CheckedRequirement& one : failedBefore(after)) {
        judgement.parts.push_back(shortfallOf(one));
    }
    judgement.plan.scenario = std::move(side.scenario);
    judged_[typed(changed)] = {.after = std::move(after), .verdict = fit};
    return judgement;
}

std::vector<CheckedRequirement> FixJudge::failedBefore(
    const std::vector<CheckedRequirement>& after) const {
    std::vector<CheckedRequirement> failed;
    std::size_t place = 0;
    for (const CheckedRequirement& before : report_.requirements) {
        if (before.isWarning()) {
            continue;
        }
        if (isFailed(before)) {
            failed.push_back(after[place]);
        }
        ++place;
    }
    return failed;
}

JudgedFix FixJudge::of(const Question& changed) {
    auto found = judged_.find(typed(changed));
    if (found == judged_.end() && judge(changed)) {  // it was judged in another order of its edits
        found = judged_.find(typed(changed));
    }
    if (found == judged_.end()) {
        return {};
    }
    std::vector<CheckedRequirement> shown = failedBefore(found->second.after);
    for (const CheckedRequirement& one : found->second.after) {
        const bool isShown = std::ranges::any_of(shown, [&one](const CheckedRequirement& had) {
            return had.requirement.text == one.requirement.text;
        });
        if (isFailed(one) && !isShown) {
            shown.push_back(one);
        }
    }
    return {.after = std::move(shown), .verdict = found->second.verdict};
}

}  // namespace fabricast
