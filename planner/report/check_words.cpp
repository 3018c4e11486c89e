#include "planner/report/check_words.h"

#include "planner/base/quantity_text.h"
#include "planner/base/units.h"
#include "planner/report/cost_report.h"
#include "planner/report/scales.h"
#include "planner/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

namespace fabricast {
namespace {

Bytes bytesOf(double value) {
    return Bytes(std::llround(value));
}

/// "a [b..c]"; of a number without an interval "a".
std::string intervalText(const Headline<double>& value, Metric metric) {
    const std::string middle = metricText(metric, value.value);
    return value.lo == value.hi ? middle
                                : fmt::format("{} [{}..{}]",
                                              middle,
                                              metricText(metric, value.lo),
                                              metricText(metric, value.hi));
}

std::string_view verbOf(const CheckedRequirement& checked) {
    switch (checked.verdict) {
        case CheckVerdict::Holds:
            return "holds";
        case CheckVerdict::CannotTell:
            return checked.value && checked.why.empty() ? "may not hold" : "cannot be judged";
        case CheckVerdict::Fails:
            break;
    }
    return "fails";
}

/// "tokens_per_s 54,537", "likely fits 19.52 GiB", "mem_peak 45.00 GiB (fails)".
std::string afterText(const CheckedRequirement& after) {
    const Metric metric = after.requirement.metric;
    const std::string value = after.value ? metricText(metric, after.value->value) : after.why;
    if (after.verdict == CheckVerdict::CannotTell && metric == Metric::Fits && after.value) {
        const bool isMore = after.value->value > after.bound;
        return (isMore ? "unlikely to fit " : "likely fits ") + value +
               (after.why.empty() ? "" : "; " + after.why);
    }
    if (!after.value) {
        return fmt::format("{} not known: {}", nameOf(metric).name, value);
    }
    if (after.verdict == CheckVerdict::Fails && metric == Metric::Fits) {
        return fmt::format("{}: {} of {}{}",
                           after.value->value > after.bound ? "does not fit" : "may not fit",
                           value,
                           metricText(metric, after.bound),
                           after.why.empty() ? "" : "; " + after.why);
    }
    return fmt::format("{} {}{}",
                       nameOf(metric).name,
                       value,
                       after.verdict == CheckVerdict::Holds        ? ""
                       : after.verdict == CheckVerdict::CannotTell ? " (unsure)"
                                                                   : " (fails)");
}

}  // namespace

std::string_view verdictWord(CheckVerdict verdict) {
    switch (verdict) {
        case CheckVerdict::Holds:
            return "pass";
        case CheckVerdict::CannotTell:
            return "unsure";
        case CheckVerdict::Fails:
            break;
    }
    return "FAIL";
}

std::string_view verdictWord(const CheckedRequirement& checked) {
    const bool warns = checked.isWarning() && checked.verdict != CheckVerdict::Holds;
    return warns ? "warn" : verdictWord(checked.verdict);
}

std::string_view nameOf(CheckVerdict verdict) {
    switch (verdict) {
        case CheckVerdict::Holds:
            return "holds";
        case CheckVerdict::CannotTell:
            return "cannot_tell";
        case CheckVerdict::Fails:
            break;
    }
    return "fails";
}

std::string metricText(Metric metric, double value) {
    switch (nameOf(metric).unit) {
        case NumberUnit::Duration:
            return timeScaleFor(value).withUnit(value);
        case NumberUnit::Size: {
            const ByteScale scale = byteScaleFor(bytesOf(std::max(1.0, value)));
            return fmt::format("{} {}", scale.text(bytesOf(value)), scale.unit);
        }
        case NumberUnit::Share:
            return percentText(value);
        case NumberUnit::Amount: {
            const bool isMoney = metric == Metric::UsdPerMtok || metric == Metric::UsdPerRun;
            return (isMoney ? "$" : "") + (std::isfinite(value) ? amountText(value) : "never");
        }
        case NumberUnit::TokenRate:
        case NumberUnit::Count:
            break;
    }
    return grouped(std::llround(value));
}

namespace {

/// By how much a value misses a bound that reads the same: "100.0 %" of 99.99 %.
std::string boundMissText(const CheckedRequirement& checked) {
    const double value = checked.value->value;
    const Metric metric = checked.requirement.metric;
    const bool readsTheSame = checked.verdict == CheckVerdict::Fails && checked.bound > 0.0 &&
                              value != checked.bound &&
                              metricText(metric, value) == metricText(metric, checked.bound);
    return readsTheSame ? fmt::format(", {:.2g} % {} the bound",
                                      100.0 * std::abs(value - checked.bound) / checked.bound,
                                      value < checked.bound ? "below" : "above")
                        : "";
}

}  // namespace

std::string valueText(const CheckedRequirement& checked) {
    const Requirement& asked = checked.requirement;
    if (!checked.value) {
        return checked.why;
    }
    std::string text = intervalText(*checked.value, asked.metric);
    text += asked.metric == Metric::Days ? " days" : "";  // they may have been asked for in hours
    if (asked.metric == Metric::Fits) {
        text += " of " + metricText(asked.metric, checked.bound);
    }
    if (!checked.why.empty()) {
        text += "; " + checked.why;
    } else if (asked.ofBaseline) {
        text += ", bound " + metricText(asked.metric, checked.bound);
    }
    text += asked.metric == Metric::Fits ? "" : boundMissText(checked);
    return text;
}

std::string changeText(const CheckedRequirement& checked) {
    if (!checked.baseline || !checked.value || *checked.baseline == 0.0) {
        return {};
    }
    return fmt::format("{:+.1f} %", 100.0 * (checked.value->value / *checked.baseline - 1.0));
}

std::string findingText(const CheckedRequirement& checked) {
    const std::string change = changeText(checked);
    return fmt::format("{} {}: {}{}",
                       checked.requirement.text,
                       verbOf(checked),
                       valueText(checked),
                       change.empty() ? "" : ", " + change + " against the baseline");
}

std::string changedText(const ChangedInput& change) {
    const std::string& where = change.whereAfter.empty() ? change.whereBefore : change.whereAfter;
    return fmt::format("{} {} -> {}{}",
                       change.key,
                       change.before,
                       change.after,
                       where.empty() ? "" : " (" + where + ")");
}

std::string weakerText(const WeakerRequirement& weaker) {
    const auto withPlace = [](const Requirement& one) {
        return one.where.empty() ? one.text : one.text + " (" + one.where + ")";
    };
    return withPlace(weaker.before) +
           (weaker.now ? " is now " + withPlace(*weaker.now) : std::string(" is gone"));
}

std::vector<std::string> sinceBaselineLines(const CheckReport& report) {
    std::vector<std::string> lines;
    if (report.isNew) {
        lines.emplace_back("new: the baseline does not have it, and nothing is compared with it");
    }
    for (const WeakerRequirement& one : report.weaker) {
        lines.push_back("weaker: " + weakerText(one));
    }
    return lines;
}

std::string explainedText(const CheckReport& report, const CheckedRequirement& checked) {
    std::string text = findingText(checked);
    if (checked.isWarning() || checked.verdict != CheckVerdict::Fails) {
        return text;
    }
    for (const ChangedInput& change : report.changes) {
        text += "; changed: " + changedText(change);
    }
    if (const std::string lock = sinceLockText(report); !lock.empty()) {
        text += "; since the lock: " + lock;
    }
    if (!report.fixes.empty() && report.fixes.front().mends) {
        const CheckFix& fix = report.fixes.front();
        text +=
            "; " + std::string(fixWord(fix)) + ": " + (fix.inFile.empty() ? fix.typed : fix.inFile);
    }
    return text;
}

namespace {

/// The first few of what changed in the tool.
std::string toolText(const std::vector<std::string>& changed) {
    constexpr std::size_t kShown = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(kShown, changed.size()); ++i) {
        text += (i == 0 ? "" : ", ") + changed[i];
    }
    const std::size_t more = changed.size() - std::min(kShown, changed.size());
    return more == 0 ? text : fmt::format("{} and {} more profiles", text, more);
}

std::string whoText(const LockDifference& lock) {
    if (lock.tool.empty()) {
        return lock.scenarioChanged ? "the scenario changed, the tool did not"
                                    : "neither the scenario nor the tool changed";
    }
    return fmt::format("{} ({})",
                       lock.scenarioChanged ? "the scenario changed, and the tool too"
                                            : "the scenario is the same, the tool changed",
                       toolText(lock.tool));
}

std::string lockedText(const LockedValue& value) {
    for (const MetricName& name : kMetrics) {
        if (name.name == value.metric) {
            return fmt::format(
                "{} {} -> {}{}",
                value.metric,
                metricText(name.metric, value.before),
                metricText(name.metric, value.now),
                value.before > 0.0
                    ? fmt::format(" ({:+.1f} %)", 100.0 * (value.now / value.before - 1.0))
                    : "");
        }
    }
    return fmt::format("{} {} -> {}", value.metric, value.before, value.now);
}

}  // namespace

std::string sinceLockText(const CheckReport& report) {
    if (!report.lock) {
        return {};
    }
    if (report.lock->isNew) {
        return "it is not in the lock; --update-lock writes one that has it";
    }
    std::string values;
    for (const LockedValue& value : report.lock->values) {
        values += (values.empty() ? "" : ", ") + lockedText(value);
    }
    return values.empty() ? "" : whoText(*report.lock) + ": " + values;
}

bool isNotJudged(const CheckedRequirement& checked) {
    return !checked.isWarning() && checked.verdict == CheckVerdict::CannotTell &&
           !checked.why.empty();
}

namespace {

/// Of several requirements on a metric the one that is kept least.
std::vector<CheckedRequirement> worstByMetric(const std::vector<CheckedRequirement>& all) {
    std::vector<CheckedRequirement> worst;
    for (const CheckedRequirement& one : all) {
        const auto had = std::ranges::find_if(worst, [&one](const CheckedRequirement& other) {
            return other.requirement.metric == one.requirement.metric;
        });
        if (had == worst.end()) {
            worst.push_back(one);
        } else if (one.verdict > had->verdict) {
            *had = one;
        }
    }
    return worst;
}

}  // namespace

std::string_view fixWord(const CheckFix& fix) {
    const bool isSure = std::ranges::all_of(fix.after, [](const CheckedRequirement& one) {
        return one.verdict == CheckVerdict::Holds;
    });
    return !fix.mends ? "nothing mends all; nearest" : isSure ? "fix" : "may mend";
}

std::string fixText(const CheckFix& fix) {
    std::string text = fix.typed + (fix.inFile.empty() ? "" : ", in the file " + fix.inFile) + ":";
    for (const CheckedRequirement& one : worstByMetric(fix.after)) {
        text += (text.ends_with(':') ? " " : ", ") + afterText(one);
    }
    return fix.sideEffect.empty() ? text : text + " (" + fix.sideEffect + ")";
}

CheckCount countOf(const std::vector<CheckOutcome>& outcomes) {
    CheckCount count;
    for (const CheckOutcome& one : outcomes) {
        ++count.scenarios;
        if (!one.report) {
            ++count.errors;
            continue;
        }
        const CheckVerdict verdict = one.report->verdict();
        count.failed += verdict == CheckVerdict::Fails ? 1 : 0;
        count.unsure += verdict == CheckVerdict::CannotTell ? 1 : 0;
        const bool lacks = std::ranges::any_of(one.report->requirements, &isNotJudged);
        count.notJudged += verdict == CheckVerdict::CannotTell && lacks ? 1 : 0;
    }
    return count;
}

}  // namespace fabricast
