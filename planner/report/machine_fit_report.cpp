#include "planner/report/backtest_report.h"

#include <fmt/format.h>

#include <cmath>

namespace fabricast {

namespace {

Table factorTable(const MachineCorrection& correction) {
    Table table{{{"factor"},
                 {"speed", Align::Right},
                 {"error", Align::Right},
                 {"runs that feel it", Align::Right}},
                {}};
    for (const FittedFactor& fitted : correction.fitted) {
        table.rows.push_back({std::string(nameOf(fitted.factor)),
                              fmt::format("{:.3f}", fitted.speed),
                              fmt::format("{:.1f} %", 100.0 * fitted.error),
                              std::to_string(fitted.runs)});
    }
    return table;
}

/// "  steps like those of 25 runs: 0.93 to 1.08 times the forecast by speeds".
std::string likenessText(const OwnLikeness& like) {
    return like.runs.empty() ? ""
                             : fmt::format(
                                   "  steps like those of {} runs: {:.2f} to {:.2f} times "
                                   "the forecast by speeds\n",
                                   like.runs.size(),
                                   std::exp(like.least),
                                   std::exp(like.most));
}

std::string oneFit(const MachineFit& fit) {
    std::string text = "fit of " + fit.gpu + ": ";
    if (fit.correction) {
        const MachineCorrection& correction = *fit.correction;
        text += fmt::format(
            "{} runs in {} groups ({}); error of groups left out {:.1f} % before, {:.1f} % after "
            "(median)\n",
            correction.runs,
            correction.groups,
            "one " + fit.leftOut + " each",
            100.0 * correction.errorBefore,
            100.0 * correction.errorAfter);
        text += correction.fitted.empty() ? "" : alignedText(factorTable(correction));
        text += likenessText(correction.like);
        for (const OwnInterval& interval : correction.intervals) {
            text += fmt::format("  interval of {}: {:.2f} to {:.2f} times the forecast, {} runs\n",
                                interval.evidence,
                                interval.below,
                                interval.above,
                                interval.runs);
        }
    } else {
        text += "no correction: " + fit.why + "\n";
    }
    for (const std::string& one : fit.remarks) {
        text += "  " + one + "\n";
    }
    for (const std::string& one : fit.disagree) {
        text += "  disagree: " + one + "\n";
    }
    return text + (fit.next.empty() ? "" : "  measure next: " + fit.next + "\n");
}

}  // namespace

std::string machineFitText(const std::vector<MachineFit>& fits) {
    std::string text;
    for (const MachineFit& fit : fits) {
        text += (text.empty() ? "" : "\n") + oneFit(fit);
    }
    return text;
}

void addMachineFits(JsonText& json, const std::vector<MachineFit>& fits) {
    json.beginArray("fits");
    for (const MachineFit& fit : fits) {
        json.beginObject();
        json.add("gpu", fit.gpu);
        json.add("rows", fit.rows);
        json.add("runs", fit.runs);
        json.add("corrected", fit.correction.has_value());
        json.add("why", fit.why);
        json.add("left_out", fit.leftOut);
        json.beginArray("factors");
        for (const FittedFactor& fitted :
             fit.correction ? fit.correction->fitted : std::vector<FittedFactor>()) {
            json.beginObject();
            json.add("factor", nameOf(fitted.factor));
            json.add("speed", fitted.speed);
            json.add("error", fitted.error);
            json.add("runs", fitted.runs);
            json.end();
        }
        json.end();
        if (fit.correction) {
            json.add("like_runs", fit.correction->like.runs.size());
            json.add("median_before", fit.correction->errorBefore);
            json.add("median_after", fit.correction->errorAfter);
        }
        json.add("remarks", fit.remarks);
        json.add("disagree", fit.disagree);
        json.add("next", fit.next);
        json.end();
    }
    json.end();
}

}  // namespace fabricast
