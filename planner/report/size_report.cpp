#include "planner/report/size_report.h"

#include "planner/base/quantity_text.h"
#include "planner/report/check_words.h"
#include "planner/report/compared_words.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/memory_report.h"
#include "planner/report/note_line.h"
#include "planner/report/plan_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace fabricast {
namespace {

std::string leastWord(SizeAim aim) {
    switch (aim) {
        case SizeAim::Cost:
            return "the cheapest";
        case SizeAim::Time:
            return "the fastest";
        case SizeAim::Power:
            return "the least power";
        case SizeAim::Gpus:
            return "the fewest GPUs";
    }
    return "";
}

/// "that reaches 30 days", "that stays within $20,000".
std::string reachesText(const SizeAnswer& answer, bool isSure) {
    const bool isBudget = std::ranges::all_of(answer.targets, [](const SizeTarget& target) {
        return target.metric == SizeMetric::Budget;
    });
    const bool isMany = answer.aim == SizeAim::Gpus;  // "the fewest GPUs that reach"
    if (isBudget) {
        return isSure ? (isMany ? "that stay within " : "that stays within ")
                      : "that may stay within ";
    }
    return isSure ? (isMany ? "that reach " : "that reaches ") : "that may reach ";
}

/// What is judged by the middle of a forecast is not promised.
std::string ofWhatText(const SizeAnswer& answer) {
    const auto fits = [](const Plan& plan) { return plan.memory.verdict == Verdict::Fits; };
    const bool isSure =
        !answer.pick || (answer.pick->isSure() && std::ranges::all_of(answer.pick->plans, fits));
    return answer.targets.empty() ? (isSure ? "on which it fits" : "on which it may fit")
                                  : reachesText(answer, isSure) + sizeTargetsText(answer.targets);
}

/// Why nothing is left to compare, of the first box.
std::string leftOutText(const std::vector<LeftOut>& leftOut) {
    const LeftOut& first = leftOut.front();
    return fmt::format(
        "{}: {}{}",
        first.what,
        first.why,
        leftOut.size() == 1 ? "" : fmt::format(", and {} more are left out", leftOut.size() - 1));
}

}  // namespace

std::string sizePickText(const SizeAnswer& answer) {
    if (!answer.pick && answer.stopped) {
        return "stopped before a cluster was found " + ofWhatText(answer);
    }
    if (!answer.pick && answer.clusters == 0 && !answer.leftOut.empty()) {
        return "no cluster was compared: " + leftOutText(answer.leftOut);
    }
    if (!answer.pick) {
        const std::string none =
            answer.cutShort ? "no cluster that was searched " : "no cluster of the catalogue ";
        return none + (answer.targets.empty() ? "can train it"
                                              : "reaches " + sizeTargetsText(answer.targets));
    }
    return fmt::format(
        "{}: {} {}", sizedClusterText(*answer.pick), leastWord(answer.aim), ofWhatText(answer));
}

namespace {

/// That a cluster is not needed, or what one node costs more.
std::string oneNodeLine(const SizeAnswer& answer) {
    if (answer.pick && answer.pick->nodes == 1) {
        return "one node is enough\n";
    }
    return answer.oneNode ? fmt::format("one node would do too: {}, {}\n",
                                        sizedClusterText(*answer.oneNode),
                                        sizedNumbersText(*answer.oneNode, answer))
                          : "";
}

/// What of the interval reaches a target, in the words of `check`.
std::string sizeVerdictLine(const SizeTarget& target, CheckVerdict verdict) {
    return fmt::format("{}  {}{}\n",
                       verdictWord(verdict),
                       sizeTargetText(target),
                       verdict == CheckVerdict::CannotTell
                           ? ": judged by the middle of the forecast, whose interval reaches beyond"
                           : "");
}

/// How sure the pick is, and what is surer.
std::string sureText(const SizeAnswer& answer) {
    std::string text;
    for (std::size_t i = 0; i < answer.targets.size(); ++i) {
        text += sizeVerdictLine(answer.targets[i], answer.pick->verdicts[i]);
    }
    for (const Plan& plan : answer.pick->plans) {
        if (plan.memory.verdict != Verdict::Fits) {
            text += fmt::format("{}  memory: {}\n",
                                verdictWord(CheckVerdict::CannotTell),
                                fitText(plan.memory.verdict));
        }
    }
    if (answer.pick->isSure() || answer.targets.empty()) {
        return text;
    }
    return text + (answer.surest
                       ? fmt::format("surely: {}, {}\n",
                                     sizedClusterText(*answer.surest),
                                     sizedIntervalsText(*answer.surest, answer))
                       : std::string("none that was searched surely reaches the targets\n"));
}

/// What an hour of a GPU costs, and where that is from.
std::string hourText(const SizeAnswer& answer) {
    const auto& cost = answer.pick->plans.front().cost;
    if (!cost || !answer.rentOrBuy || !cost->gpuHour.price) {
        return "";
    }
    return "price: " + priceText(cost->gpuHour, answer.rentOrBuy->basis(answer.priceKind)) + "\n";
}

std::string pickText(const SizeAnswer& answer) {
    std::string text;
    for (const std::string& job : answer.jobs) {
        text += "  " + job + "\n";
    }
    if (!answer.pick) {
        return text + sizeBeyondText(answer);
    }
    text += "\n" + sizedIntervalsText(*answer.pick, answer) + "\n" + hourText(answer);
    text += sizedPlansText(*answer.pick, "") + sureText(answer);
    return text + oneNodeLine(answer);
}

/// What the next tenth of speed costs.
std::string tenthText(const SizeAnswer& answer) {
    if (!answer.pick || answer.front.empty()) {
        return "";
    }
    if (!answer.tenthFaster) {
        const bool isWhole = !answer.stopped && !answer.cutShort;
        return isWhole ? "no cluster of the catalogue is at least 10 % faster\n"
                       : "none that was searched is at least 10 % faster\n";
    }
    std::string more;
    if (answer.pick->usd && answer.tenthFaster->usd) {
        const double share = *answer.tenthFaster->usd / *answer.pick->usd - 1.0;
        more = ", " + comparedText(share);
    }
    return fmt::format("at least 10 % faster: {}, {}{}\n",
                       sizedClusterText(*answer.tenthFaster),
                       sizedNumbersText(*answer.tenthFaster, answer),
                       more);
}

void sayScaling(const SizeAnswer& answer, Report& report) {
    if (answer.scaling.size() < 2) {
        return;
    }
    report.add("\nnodes of " + answer.pick->box + " against tokens/s" +
               (answer.jobs.size() > 1 ? " of the slowest job\n" : "\n"));
    const std::vector<ScalingPoint> shown = shownOfScaling(answer);
    report.add(scalingTable(shown));
    report.add(scalingPoints(shown, answer.pick->box), 3);
    if (answer.mostUseful) {
        report.add(fmt::format("more than {} {} no faster\n",
                               grouped(*answer.mostUseful),
                               *answer.mostUseful == 1 ? "node is" : "nodes are"));
    }
}

/// Where a price is from, or why there is none.
std::string priceSourceText(const CostBasis& basis) {
    if (!basis.why.empty()) {
        return "not known: " + basis.why;
    }
    const std::string profile = sourceText(basis);
    return basis.priceNote.empty() ? profile : basis.priceNote + "; " + profile;
}

/// Rounded up: in the years of a row of the table that are fewer it is not cheaper yet.
std::string yearsAfter(double years) {
    constexpr double kHundredths = 100.0;
    constexpr double kAsGood = 1e-6;
    return fmt::format("{:.2f}", std::ceil(years * kHundredths - kAsGood) / kHundredths);
}

void sayRentOrBuy(const RentOrBuy& both, Report& report) {
    report.add(both.years.empty() ? std::string("\nrent or buy: not compared\n")
                                  : fmt::format("\nrent or buy, used {} of the time\n",
                                                percentText(both.utilisation)));
    if (!both.years.empty()) {
        report.add(rentOrBuyTable(both));
        report.add(
            both.evenYears
                ? fmt::format("buying is cheaper after {} years of this use\n",
                              yearsAfter(*both.evenYears))
                : std::string("buying never is cheaper: its electricity costs more than rent\n"));
    }
    report.add("  rent: " + priceSourceText(both.rental) +
               "\n  buy: " + priceSourceText(both.purchase) + "\n");
}

std::string sparesText(const SizeAnswer& answer) {
    if (!answer.spares || !answer.pick) {
        return "";
    }
    const Spares& spares = *answer.spares;
    std::string text = fmt::format(
        "\ngoodput {}; {} nodes fail a month, {} in repair on average: {} spare "
        "node{} enough {} of the time\n",
        percentText(answer.pick->plans.front().cost->goodput.share.value),
        amountText(spares.failuresPerMonth),
        amountText(spares.inRepair),
        spares.nodes,
        spares.nodes == 1 ? " is" : "s are",
        percentText(spares.enough));
    if (spares.nodes > 0) {
        const double share =
            static_cast<double>(spares.nodes) / static_cast<double>(answer.pick->nodes);
        text += fmt::format("no sum above contains spare nodes: they add {}{}\n",
                            percentText(share),
                            spares.usd ? fmt::format(", {}{}",
                                                     dollarText(*spares.usd),
                                                     answer.hasTokens ? " to the run" : " an hour")
                                       : "");
    }
    return text;
}

/// What the limit of work left out: "57 clusters that may be better were not searched: …".
std::string sizeCutText(const SizeAnswer& answer) {
    if (!answer.cutShort) {
        return "";
    }
    std::int64_t clusters = 0;
    std::string boxes;
    for (const NotSearched& one : answer.notSearched) {
        clusters += one.clusters;
        boxes += fmt::format("{}{} of {}", boxes.empty() ? "" : ", ", one.clusters, one.box);
    }
    return clusters == 0
               ? std::string(
                     "cut short: not every layout of all clusters was looked at "
                     "(fabricast plan of one says how much better another may be)\n")
               : fmt::format(
                     "cut short: {} cluster{} that may be of use {} not searched: {} (--long "
                     "searches them; -c and -n ask about fewer)\n",
                     grouped(clusters),
                     clusters == 1 ? "" : "s",
                     clusters == 1 ? "was" : "were",
                     boxes);
}

std::string restText(const SizeAnswer& answer) {
    const std::string rest = answer.stopped ? "were not looked at, or cannot be better"
                             : answer.pick  ? "cannot be better"
                                            : "cannot be good enough";
    std::string text = "\n";
    if (answer.clusters > 0) {
        text += fmt::format("{} cluster{}: {} searched, {} {}\n",
                            grouped(answer.clusters),
                            answer.clusters == 1 ? "" : "s",
                            grouped(answer.searched),
                            grouped(answer.ruledOut),
                            rest);
    }
    for (const LeftOut& one : answer.leftOut) {
        text += "left out: " + one.what + ": " + one.why + "\n";
    }
    text += sizeCutText(answer);
    text += answer.stopped ? "stopped: what was not searched yet may be better\n" : "";
    for (const std::string& note : answer.notes) {
        text += noteLine(note) + "\n";
    }
    return text;
}

}  // namespace

Report sizeReport(const SizeAnswer& answer) {
    Report report("SIZE  " + sizePickText(answer) + "\n" + pickText(answer));
    if (answer.front.size() > 1) {
        report.add("\nclusters that no other beats in money, time and power, each box first\n");
        const std::vector<SizedCluster> shown = shownOfFront(answer);
        report.add(sizedTable(shown, answer));
        report.add(sizedPoints(shown, answer));
        report.add(largerText(answer));
    }
    report.add(beatenText(answer) + tenthText(answer));
    sayScaling(answer, report);
    if (answer.rentOrBuy) {
        sayRentOrBuy(*answer.rentOrBuy, report);
    }
    report.add(sparesText(answer) + restText(answer));
    return report;
}

std::string sizeMarkdown(const SizeAnswer& answer) {
    constexpr std::string_view kTitle = "SIZE  ";
    return "**SIZE** " + reportMarkdown(sizeReport(answer)).substr(kTitle.size());
}

}  // namespace fabricast
