#include "planner/report/cost_report.h"

#include "planner/base/quantity_text.h"
#include "planner/report/durations.h"
#include "planner/report/plain_number.h"
#include "planner/report/table.h"
#include "planner/result/memory_names.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

std::string days(double value) {
    return runText(Seconds(value * kDay));
}

std::string energy(double kwh) {
    constexpr double kMwh = 1e3;
    return kwh < 10 * kMwh ? amountText(kwh) + " kWh" : amountText(kwh / kMwh) + " MWh";
}

template <class Q>
Headline<double> inUnit(const Headline<Q>& headline, double unit) {
    return {headline.value.count() / unit,
            headline.lo.count() / unit,
            headline.hi.count() / unit,
            headline.evidence};
}

}  // namespace

std::vector<CostNumber> costNumbers(const RunCost& cost) {
    std::vector<CostNumber> rows;
    if (cost.run) {
        rows.push_back({"time", "days", inUnit(cost.run->wall, kDay), &days});
        rows.push_back({"GPU-hours", "gpu_hours", inUnit(cost.run->gpuTime, kHour), &amountText});
        if (cost.run->price) {
            rows.push_back({"price", "usd_per_run", inUnit(*cost.run->price, 1.0), &dollarText});
        }
        if (cost.run->energy) {
            rows.push_back({"energy", "kwh", inUnit(*cost.run->energy, kKwh), &energy});
        }
    }
    if (cost.perMtok) {
        rows.push_back(
            {"price of 1M tokens", "usd_per_mtok", inUnit(*cost.perMtok, 1.0), &dollarText});
    }
    if (cost.energyPerMtok) {
        rows.push_back(
            {"energy of 1M tokens", "kwh_per_mtok", inUnit(*cost.energyPerMtok, kKwh), &energy});
    }
    rows.push_back({"goodput", "goodput", cost.goodput.share, &percentText});
    return rows;
}

namespace {

Table rowTable(const RunCost& cost) {
    Table table{{{""}, {"forecast", Align::Right}, {"interval"}}, {}};
    for (const CostNumber& row : costNumbers(cost)) {
        table.rows.push_back(
            {std::string(row.words),
             row.text(row.number.value),
             fmt::format("[{}..{}]", row.text(row.number.lo), row.text(row.number.hi))});
    }
    return table;
}

constexpr std::string_view kAsOftenAsCan =
    " (longer than asked: a step or a write to storage takes that long)";

std::string cycleText(const CheckpointCycle& cycle) {
    const bool fails = !std::isinf(cycle.mtbf.count());
    const std::string saved = std::isinf(cycle.interval.count())
                                  ? std::string("no checkpoints")
                                  : fmt::format("saved every {}{}, which stops the run for {}",
                                                durationText(cycle.interval),
                                                cycle.isLonger ? kAsOftenAsCan : "",
                                                durationText(cycle.blocking));
    return fails ? fmt::format("a failure every {}, {} to recover; {}",
                               durationText(cycle.mtbf),
                               durationText(cycle.recovery),
                               saved)
                 : "no failures; " + saved;
}

std::string goodputText(const Goodput& goodput, CheckpointMode mode) {
    std::string text;
    for (std::size_t level = 0; level < goodput.count; ++level) {
        const std::string_view where = goodput.count == 1 ? nameOf(mode)
                                       : level == 0       ? "in memory"
                                                          : "in storage";
        text += fmt::format("checkpoint ({}): {}\n", where, cycleText(goodput.cycles[level]));
    }
    return text;
}

std::string costHead(const RunCost& cost) {
    if (!cost.perMtok) {
        return "not known";
    }
    return fmt::format("{} per million tokens [{}..{}]",
                       dollarText(cost.perMtok->value.count()),
                       dollarText(cost.perMtok->lo.count()),
                       dollarText(cost.perMtok->hi.count()));
}

std::string powerText(const RunCost& cost) {
    if (!cost.power.perGpu) {
        return "power: the power of this GPU is not known\n";
    }
    return fmt::format(
        "power: {} per GPU including its share of node and building, busy {} of a step{}\n",
        shortText(cost.power.perGpu->value),
        percentText(cost.power.busy),
        cost.power.nodeEstimated      ? "; node power is estimated"
        : cost.power.nodeLike.empty() ? ""
                                      : "; node power as of " + cost.power.nodeLike);
}

/// What the numbers rest on, line by line.
std::string reasonText(const RunCost& cost, const CostBasis& basis) {
    std::string text = goodputText(cost.goodput, basis.checkpoint) + powerText(cost);
    text += noProgressText(cost.goodput);
    text += fmt::format("site: {}, {}\n", basis.site, basis.siteTitle);
    if (!basis.priceNote.empty()) {
        text += fmt::format("price: {}\n", basis.priceNote);
    }
    return text;
}

}  // namespace

bool savesTooSeldom(const CheckpointCycle& cycle) {
    return cycle.recovery < cycle.mtbf && cycle.interval > cycle.mtbf;
}

std::string noProgressText(const Goodput& goodput) {
    return noProgressText(goodput.share.value, goodput.cycles[goodput.count - 1]);
}

std::string noProgressText(double share, const CheckpointCycle& cycle) {
    constexpr double kHardlyAny = 0.01;
    if (share >= kHardlyAny) {
        return {};
    }
    const std::string_view progress = share > 0.0 ? "hardly any" : "no";
    if (savesTooSeldom(cycle)) {
        return fmt::format(
            "the run makes {} progress: it fails every {} and saves only every {} "
            "(--checkpoint-interval)\n",
            progress,
            durationText(cycle.mtbf),
            durationText(cycle.interval));
    }
    if (cycle.recovery < cycle.mtbf) {
        return fmt::format(
            "the run makes {} progress: it saves every {}, which stops it for {} "
            "(--checkpoint-interval)\n",
            progress,
            durationText(cycle.interval),
            durationText(cycle.blocking));
    }
    return fmt::format("the run makes {} progress: failures occur faster than it recovers\n",
                       progress);
}

std::string amountText(double amount) {
    constexpr int kDigits = 3;
    return forecastNumber(amount, kDigits);
}

std::string dollarText(double dollars) {
    std::string amount = amountText(dollars);
    if (dollars < 99.95 && dollars >= 1e-4) {  // "100." and "1.00e-05" else
        amount = fmt::format("{:#.3g}", dollars);
    }
    return "$" + amount;
}

std::string sourceText(const CostBasis& basis) {
    if (basis.priceProfile.empty()) {
        return "given price";
    }
    return basis.priceDate.empty() ? basis.priceProfile
                                   : fmt::format("{} ({})", basis.priceProfile, basis.priceDate);
}

std::string ownershipText(const CostBasis& basis) {
    return basis.ownedYears ? fmt::format(" over {:g} years, used {} of the time",
                                          *basis.ownedYears,
                                          percentText(basis.utilisation))
                            : std::string();
}

/// No price profile says how often a spot GPU is taken back: a site's failures are its hardware's.
std::string interruptionText(const CostBasis& basis) {
    return basis.kind == PriceKind::Spot && !basis.mtbfTyped
               ? " if it is never taken back (how often it is: --mtbf)"
               : "";
}

std::string priceOfHour(double dollars) {
    constexpr double kDigits = 1e4;
    const std::string exact =
        dollars < kDigits ? fmt::format("${:.4g}", dollars) : fmt::format("${:.0f}", dollars);
    const std::string rounded = dollarText(dollars);  // "$4.00" of a quote of 4
    return dollars < 100.0 && rounded.size() > exact.size() ? rounded : exact;
}

std::string priceText(const GpuHour& hour, const CostBasis& basis) {
    if (!hour.price) {
        return fmt::format("no price: {}; use {}", basis.why, basis.hint);
    }
    return fmt::format("{} {}/h a GPU{}{}, {}",
                       nameOf(basis.kind),
                       priceOfHour(hour.price->count()),
                       ownershipText(basis),
                       interruptionText(basis),
                       sourceText(basis));
}

Report costReport(const Scenario& scenario,
                  const RunCost& cost,
                  const CostBasis& basis,
                  Subject subject) {
    Report report(fmt::format("COST  {}  {}\n{}\n",
                              costHead(cost),
                              priceText(cost.gpuHour, basis),
                              subjectLine(scenario, subject)));
    return std::move(report.add(rowTable(cost)).add("\n" + reasonText(cost, basis)));
}

std::string costMarkdown(const Scenario& scenario, const RunCost& cost, const CostBasis& basis) {
    return fmt::format("**COST** {}, {}\n\n{}\n\n{}\n{}",
                       costHead(cost),
                       priceText(cost.gpuHour, basis),
                       subjectText(scenario),
                       markdownText(rowTable(cost)),
                       reasonText(cost, basis));
}

std::string costCsv(const RunCost& cost) {
    Table table{{{"key"}, {"value"}, {"lo"}, {"hi"}}, {}};
    for (const CostNumber& row : costNumbers(cost)) {
        table.rows.push_back({std::string(row.key),
                              fmt::format("{:.9g}", row.number.value),
                              fmt::format("{:.9g}", row.number.lo),
                              fmt::format("{:.9g}", row.number.hi)});
    }
    return csvText(table);
}

}  // namespace fabricast
