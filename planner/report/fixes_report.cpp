#include "planner/report/fixes_report.h"

#include "planner/base/quantity_text.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/memory_report.h"
#include "planner/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

std::string_view groupWords(FixGroup group) {
    switch (group) {
        case FixGroup::Free:
            return "free";
        case FixGroup::Workload:
            return "other training";
        case FixGroup::Buy:
            return "buy";
    }
    return "";
}

/// With so many more digits than usual.
std::string numberText(TargetMetric metric, double value, int more = 0) {
    switch (metric) {
        case TargetMetric::TokensPerSecond:
            return (more == 0 ? grouped(std::llround(value))
                              : fmt::format("{:.{}f}", value, more)) +
                   " tokens/s";
        case TargetMetric::StepSeconds:
            return fmt::format("a step of {:.{}f} s", value, 3 + more);
        case TargetMetric::Mfu:
            return fmt::format("MFU {:.{}f} %", 100.0 * value, 1 + more);
        case TargetMetric::Days:
            return more == 0 ? runText(Seconds(value * kDay))
                             : fmt::format("{:.{}f} days", value, 3 + more);
    }
    return "";
}

/// The digits beyond the usual ones that tell two different numbers apart.
int digitsBetween(TargetMetric metric, double a, double b) {
    constexpr int kMost = 6;
    int more = 0;
    while (a != b && more < kMost && numberText(metric, a, more) == numberText(metric, b, more)) {
        ++more;
    }
    return more;
}

/// "1.05", and "1.0003" where two digits would say that nothing is missing.
std::string factorText(double factor) {
    constexpr int kMost = 8;
    int digits = 2;
    while (factor > 1.0 && digits < kMost &&
           fmt::format("{:.{}f}", factor, digits) == fmt::format("{:.{}f}", 1.0, digits)) {
        ++digits;
    }
    return fmt::format("{:.{}f}", factor, digits);
}

/// "MISSED  64,423 tokens/s, wanted 200,000 tokens/s: 3.10 times as much".
std::string targetLine(const TargetVerdict& verdict) {
    const PlanTarget& target = verdict.target;
    if (!verdict.reached) {
        return fmt::format("MISSED  no layout fits; wanted {}\n",
                           numberText(target.metric, target.wanted));
    }
    const int more = digitsBetween(target.metric, *verdict.reached, target.wanted);
    const std::string wanted = numberText(target.metric, target.wanted, more);
    const std::string reached = numberText(target.metric, *verdict.reached, more) +
                                (verdict.of.empty() ? "" : " of " + verdict.of);
    if (verdict.isMet) {
        return fmt::format("REACHED  {}, wanted {}\n", reached, wanted);
    }
    const bool less =
        target.metric == TargetMetric::StepSeconds || target.metric == TargetMetric::Days;
    const double factor =
        less ? *verdict.reached / target.wanted : target.wanted / *verdict.reached;
    return fmt::format(
        "MISSED  {}, wanted {}, {} times as fast\n", reached, wanted, factorText(factor));
}

/// Where only to fit was wanted, how surely it does.
std::string whether(const PlanFix& fix, bool hasTargets) {
    if (fix.reaches) {
        return "yes";
    }
    const bool fits = fix.outcome.verdict != Verdict::DoesNotFit;
    return fits && hasTargets ? "closer" : std::string(fitText(fix.outcome.verdict));
}

/// With the digits that show on which side of a wanted MFU it is.
std::string mfuOfFix(double mfu, const PlanFixes& fixes) {
    int more = 0;
    for (const TargetVerdict& verdict : fixes.targets) {
        if (verdict.target.metric == TargetMetric::Mfu) {
            more = std::max(more, digitsBetween(TargetMetric::Mfu, mfu, verdict.target.wanted));
        }
    }
    return fmt::format("{:.{}f} %", 100.0 * mfu, 1 + more);
}

Table fixTable(const PlanFixes& fixes) {
    constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
    Table table{{{"cost"},
                 {"change"},
                 {"enough"},
                 {"step s", Align::Right},
                 {"tokens/s", Align::Right},
                 {"MFU", Align::Right},
                 {"GiB", Align::Right},
                 {"GPUs", Align::Right},
                 {"$/Mtok", Align::Right},
                 {"side effect"}},
                {}};
    std::string_view before;
    for (const PlanFix& fix : fixes.fixes) {
        const bool fits = fix.outcome.verdict != Verdict::DoesNotFit;
        const std::string_view group = groupWords(fix.group);
        table.rows.push_back({std::string(group == before ? "" : group),
                              fix.behind,
                              whether(fix, !fixes.targets.empty()),
                              fits ? fmt::format("{:.3f}", fix.outcome.step.count()) : "",
                              fits ? grouped(std::llround(fix.tokensPerSecond)) : "",
                              fits && fix.mfu ? mfuOfFix(*fix.mfu, fixes) : "",
                              fmt::format("{:.1f}{}",
                                          static_cast<double>(fix.outcome.peak.count()) / kGib,
                                          doubtMark(fix.outcome.verdict)),
                              grouped(fix.gpus),
                              fix.usdPerMtok ? fmt::format("{:.3f}", *fix.usdPerMtok) : "",
                              fix.sideEffect});
        before = group;
    }
    return table;
}

std::string targetLines(const PlanFixes& fixes) {
    std::string text;
    for (const TargetVerdict& verdict : fixes.targets) {
        text += targetLine(verdict);
    }
    return text;
}

std::string summary(const PlanFixes& fixes) {
    if (fixes.tried == 0) {
        return "";
    }
    return fixes.fixes.empty() ? fmt::format("none of the {} changes tried helps\n", fixes.tried)
                               : fmt::format(
                                     "what would help, each with its best layout "
                                     "({} tried)\n",
                                     fixes.tried);
}

}  // namespace

Report fixesReport(const PlanFixes& fixes) {
    Report report(targetLines(fixes) + summary(fixes));
    return fixes.fixes.empty() ? report : std::move(report.add(fixTable(fixes)));
}

std::string fixesText(const PlanFixes& fixes) {
    return reportText(fixesReport(fixes));
}

std::string fixesMarkdown(const PlanFixes& fixes) {
    return targetLines(fixes) + "\n" + summary(fixes) + "\n" +
           (fixes.fixes.empty() ? "" : markdownText(fixTable(fixes)));
}

}  // namespace fabricast
