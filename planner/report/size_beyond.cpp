#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/size_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace fabricast {
namespace {

/// Why nothing was searched: what no cluster can be.
std::string boundsLine(const SizeAnswer& answer) {
    std::string text = "\nwith every kernel at its best rate and nothing waiting it would still be";
    text += fmt::format(" {} tokens/s at most", grouped(std::llround(answer.mostTokensPerSecond)));
    if (answer.hasTokens) {
        text += ", " + durationText(Seconds(answer.leastSeconds)) + " at least";
    }
    if (answer.leastUsd) {
        text += ", " + dollarText(*answer.leastUsd) + (answer.hasTokens ? "" : " an hour") +
                " at least";
    }
    return text + "\n";
}

/// "1.37 times as long", or "0.0012 % longer" where that says more.
std::string missedText(SizeMetric metric, double ratio) {
    struct Words {
        const char* times;
        const char* percent;
    };
    const Words by = metric == SizeMetric::TokensPerSecond ? Words{"too slow", "too slow"}
                     : metric == SizeMetric::Days          ? Words{"as long", "longer"}
                                                           : Words{"as much", "more"};
    constexpr double kSmall = 1.1;
    constexpr double kLeastShown = 0.001;
    constexpr double kMostShown = 1e6;
    if (ratio > kMostShown) {
        return fmt::format("more than {} times {}", amountText(kMostShown), by.times);
    }
    if (ratio >= kSmall) {
        return fmt::format("{} times {}", amountText(ratio), by.times);
    }
    const double percent = (ratio - 1.0) * 100.0;
    return percent < kLeastShown ? fmt::format("less than {} % {}", kLeastShown, by.percent)
                                 : fmt::format("{:.2g} % {}", percent, by.percent);
}

/// "nearest to 30 days: 4 x dgx-h100 (32 GPUs), 41.2 days, 1.37 times as long".
std::string nearestText(const NearestCluster& nearest) {
    const SizeMetric metric = nearest.target.metric;
    return fmt::format("nearest to {}: {}, {}{}\n",
                       sizeTargetText(nearest.target),
                       sizedClusterText(nearest.cluster),
                       sizeValueText(metric, nearest.value),
                       nearest.ratio > 1.0 ? ", " + missedText(metric, nearest.ratio)
                                           : std::string(": reached, but not with the others"));
}

}  // namespace

std::string sizeBeyondText(const SizeAnswer& answer) {
    const bool isNone = answer.nearest.empty() && answer.misfits.empty();
    const bool isKnown =
        answer.clusters > 0 && !answer.stopped && !answer.cutShort && !answer.waysCutShort;
    std::string text = isNone && isKnown ? boundsLine(answer) : "\n";
    for (const NearestCluster& nearest : answer.nearest) {
        text += nearestText(nearest);
        text += "  " + sizedIntervalsText(nearest.cluster, answer) + "\n";
        text += sizedPlansText(nearest.cluster, "  ");
    }
    for (const SizeMisfit& misfit : answer.misfits) {
        text += fmt::format("{} x {}: {}\n", grouped(misfit.nodes), misfit.box, misfit.why);
    }
    for (const SizeWay& way : answer.ways) {
        text += fmt::format("{}: {}, {}\n  {}\n",
                            way.what,
                            sizedClusterText(way.cluster),
                            sizedNumbersText(way.cluster, answer),
                            way.typed);
    }
    if (answer.ways.empty() && answer.cutShort) {
        text += "others may: fewer boxes (-c) or counts (-n) leave more work for each\n";
    } else if (answer.ways.empty() && answer.waysCutShort) {
        text += "more nodes or another box may: not all were searched (-n and -c name them)\n";
    } else if (answer.ways.empty() && answer.clusters > 0 && !answer.stopped) {
        text += fmt::format("neither more nodes{} nor another box with a price would do\n",
                            answer.isCapped ? " within the limits" : " (up to 4096)");
    }
    if (!answer.counts.empty()) {
        text += fmt::format("numbers of nodes compared: {} (-n: others)\n",
                            fmt::join(answer.counts, ", "));
    }
    return text == "\n" ? std::string() : text;
}

}  // namespace fabricast
