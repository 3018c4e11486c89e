#include "planner/report/backtest_report.h"

#include "planner/report/memory_report.h"
#include "planner/report/plain_number.h"
#include "planner/report/table.h"
#include "planner/result/answer_names.h"
#include "planner/result/memory_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

namespace {

constexpr std::size_t kMostReasons = 8;

std::string percent(std::size_t n, double share) {
    return n == 0 ? "" : fmt::format("{:.1f}", 100 * share);
}

std::string signedPercent(std::size_t n, double share) {
    return n == 0 ? "" : fmt::format("{:+.1f}", 100 * share);
}

std::string unlessNone(std::size_t n) {
    return n == 0 ? "" : std::to_string(n);
}

std::vector<std::string> lineOf(const BacktestGroup& group) {
    const std::size_t sweeps = group.sweeps.sweeps;
    const ErrorSpread& memory = group.memory.front();  // of tensors
    return {group.name,
            std::to_string(group.rows),
            unlessNone(group.rows - group.forecast),
            signedPercent(group.step.n, group.step.bias),
            percent(group.step.n, group.step.median),
            percent(group.step.n, group.step.mean),
            percent(group.step.n, group.step.p90),
            percent(group.step.n, group.step.max),
            percent(group.constantRate.n, group.constantRate.median),
            percent(group.coverage.n, group.coverage.share()),
            percent(group.loose.n, group.loose.share()),
            unlessNone(memory.n),
            signedPercent(memory.n, memory.bias),
            percent(memory.n, memory.mean),
            unlessNone(sweeps),
            sweeps == 0 ? "" : fmt::format("{:.2f}", group.sweeps.rank),
            percent(sweeps, group.sweeps.regret)};
}

Table backtestTable(const Backtest& backtest) {
    Table table{{{std::string(nameOf(backtest.groupBy))}}, {}};
    for (const char* title : {"n",
                              "refused",
                              "bias",
                              "median",
                              "mean",
                              "P90",
                              "max",
                              "constant rate",
                              "inside",
                              "out of source",
                              "memory n",
                              "bias",
                              "mean",
                              "sweeps",
                              "rank",
                              "regret"}) {
        table.columns.push_back({title, Align::Right});
    }
    for (const BacktestGroup& group : backtest.groups) {
        table.rows.push_back(lineOf(group));
    }
    table.rows.push_back(lineOf(backtest.all));
    return table;
}

/// Why no row is compared; empty where one is.
std::string whyNothing(const Backtest& backtest) {
    const BacktestGroup& all = backtest.all;
    if (backtest.compares()) {
        return {};
    }
    if (all.rows == 0) {
        return "no row has \"y\" as core and A or B as tier; --all takes every row";
    }
    if (all.forecast == 0 && !all.refused.empty()) {
        const auto most = std::max_element(
            all.refused.begin(), all.refused.end(), [](const auto& a, const auto& b) {
                return a.second < b.second;
            });
        return "no row is forecast: " + most->first;
    }
    std::string text =
        "no row that is forecast has measured_step_s, measured_tokens_s_gpu or measured_mem_gib";
    for (const std::string& one : backtest.unread) {
        text += "; " + one;
    }
    return text;
}

std::string backtestHead(const Backtest& backtest) {
    const BacktestGroup& all = backtest.all;
    std::string text = fmt::format("{}: {} of {} {}rows forecast",
                                   backtest.file,
                                   all.forecast,
                                   all.rows,
                                   backtest.everyRow ? "" : "counted ");
    if (all.step.n > 0) {
        text += fmt::format("; step time off by {:.1f} % (median), {:.1f} % (mean)",
                            100 * all.step.median,
                            100 * all.step.mean);
    }
    if (all.constantRate.n > 0) {
        text += fmt::format("; at a constant rate {:.1f} %", 100 * all.constantRate.median);
    }
    if (const std::string why = whyNothing(backtest); !why.empty()) {
        text += "; nothing is compared: " + why;
    }
    text += "\n";
    for (const std::string& note : backtest.notes) {
        text += note + "\n";
    }
    return text;
}

/// Rows that lack a forecast, and why.
struct Refusals {
    std::string_view title;
    const std::map<std::string, std::size_t>& reasons;
    bool (*isOne)(const BacktestRow& row, const std::string& reason);
};

bool lacksStep(const BacktestRow& row, const std::string& reason) {
    return !row.predictedStep && row.why == reason;
}

bool lacksMemory(const BacktestRow& row, const std::string& reason) {
    return row.measuredGib && !row.predictedGib && row.memoryWhy == reason;
}

/// " [a-1, a-2, a-3, …]" of the rows that a reason holds for.
std::string idsText(const std::vector<std::string>& ids, bool everyId) {
    constexpr std::size_t kMostIds = 3;
    std::string text;
    for (std::size_t i = 0; i < ids.size() && (everyId || i < kMostIds); ++i) {
        text += (i == 0 ? "" : ", ") + ids[i];
    }
    return " [" + text + (!everyId && ids.size() > kMostIds ? ", …]" : "]");
}

/// The most frequent reason first, each with its rows.
std::string reasonsText(const Backtest& backtest, const Refusals& refusals, bool everyReason) {
    const std::map<std::string, std::size_t>& reasons = refusals.reasons;
    if (reasons.empty()) {
        return {};
    }
    const auto idsOf = [&](const std::string& reason) {
        std::vector<std::string> ids;
        for (const BacktestRow& row : backtest.rows) {
            if (row.counted && refusals.isOne(row, reason)) {
                ids.push_back(row.id);
            }
        }
        return ids;
    };
    std::vector<std::pair<std::string, std::size_t>> sorted(reasons.begin(), reasons.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return a.second > b.second;
    });
    std::string text = fmt::format("\n{}\n", refusals.title);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (!everyReason && i == kMostReasons) {
            return text + fmt::format("  … {} more reasons: --verbose\n", sorted.size() - i);
        }
        text += fmt::format("  {} x {}{}\n",
                            sorted[i].second,
                            sorted[i].first,
                            idsText(idsOf(sorted[i].first), everyReason));
    }
    return text;
}

/// Of readings that are not of tensors alone.
std::string otherMemoryText(const BacktestGroup& group) {
    std::string text;
    for (const MemoryReading reading :
         {MemoryReading::Reserved, MemoryReading::Device, MemoryReading::Unsaid}) {
        const ErrorSpread& memory = group.memory[static_cast<std::size_t>(reading)];
        if (memory.n > 0) {
            text += fmt::format("{}{} n {}, bias {:+.1f}, mean {:.1f}",
                                text.empty() ? "\nmemory read as " : "; ",
                                nameOf(reading),
                                memory.n,
                                100 * memory.bias,
                                100 * memory.mean);
        }
    }
    return text.empty() ? text : text + "\n";
}

/// All these runs had room.
std::string verdictsText(const BacktestGroup& group) {
    std::size_t runs = 0;
    std::string text;
    for (std::size_t i = 0; i < kVerdicts; ++i) {
        runs += group.verdicts[i];
        text += fmt::format(
            "{}{} \"{}\"", i == 0 ? "" : ", ", group.verdicts[i], fitText(static_cast<Verdict>(i)));
    }
    return runs == 0
               ? std::string()
               : fmt::format(
                     "\nverdicts on the {} runs whose memory can be forecast: {}\n", runs, text);
}

/// Whether two layouts of one work were forecast in the order that was measured.
std::string pairsText(const PairScore& pairs) {
    std::string text;
    const std::pair<std::string_view, const PairKind*> kinds[] = {
        {"the same tp, pp, cp and ep", &pairs.sameSplit}, {"others", &pairs.otherSplit}};
    for (const auto& [name, kind] : kinds) {
        if (kind->pairs > 0) {
            text += fmt::format(
                "pairs of layouts with {}: {} of {} in the measured order; error of "
                "a comparison {:.1f} %{}\n",
                name,
                kind->right,
                kind->pairs,
                100 * kind->error,
                kind->sources > 1
                    ? fmt::format(
                          ", beyond that of other sources {} of {}", kind->clearRight, kind->clear)
                    : "");
        }
    }
    return text.empty() ? text : "\n" + text;
}

/// The rows that count: what was measured, and what is forecast.
PointChart measuredPoints(const Backtest& backtest) {
    PointChart chart{.title = "Step times, forecast against measured",
                     .xTitle = "measured, seconds",
                     .yTitle = "forecast, seconds",
                     .series = {"in the interval", "outside"},
                     .points = {},
                     .logarithmic = true,
                     .diagonal = true};
    for (const BacktestRow& row : backtest.rows) {
        if ((row.counted || backtest.everyRow) && row.measuredStep && row.predictedStep) {
            const bool inside =
                row.lo && row.hi && *row.lo <= *row.measuredStep && *row.measuredStep <= *row.hi;
            chart.points.push_back({.x = *row.measuredStep,
                                    .y = *row.predictedStep,
                                    .series = inside ? 0U : 1U,
                                    .name = fmt::format("{}: measured {} s, forecast {} s",
                                                        row.id,
                                                        roundedNumber(*row.measuredStep, 3),
                                                        roundedNumber(*row.predictedStep, 3))});
        }
    }
    return chart;
}

std::string cell(const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : std::string();
}

}  // namespace

Report backtestReport(const Backtest& backtest, bool everyReason) {
    Report report(backtestHead(backtest) +
                  "\npercent; errors are forecast over measured, minus one\n");
    report.add(backtestTable(backtest)).add(measuredPoints(backtest));
    const std::string fits = machineFitText(backtest.fits);
    return std::move(report.add(
        (fits.empty() ? fits : "\n" + fits) + otherMemoryText(backtest.all) +
        verdictsText(backtest.all) + pairsText(backtest.all.pairs) +
        reasonsText(
            backtest, {"no step time forecast:", backtest.all.refused, &lacksStep}, everyReason) +
        reasonsText(
            backtest,
            {"no memory forecast for a measured run:", backtest.all.memoryRefused, &lacksMemory},
            everyReason)));
}

std::string backtestMarkdown(const Backtest& backtest) {
    return backtestHead(backtest) + "\n" + markdownText(backtestTable(backtest));
}

std::string backtestCsv(const Backtest& backtest) {
    Table table{{{"id"},
                 {"status"},
                 {"why"},
                 {"counted"},
                 {"measured_step_s"},
                 {"predicted_step_s"},
                 {"lo"},
                 {"hi"},
                 {"error"},
                 {"constant_rate_step_s"},
                 {"measured_mem_gib"},
                 {"predicted_mem_gib"},
                 {"memory_kind"},
                 {"verdict"},
                 {"memory_why"}},
                {}};
    for (const BacktestRow& row : backtest.rows) {
        table.rows.push_back({row.id,
                              row.predictedStep ? "ok" : "refused",
                              row.why,
                              row.counted ? "y" : "n",
                              cell(row.measuredStep),
                              cell(row.predictedStep),
                              cell(row.lo),
                              cell(row.hi),
                              cell(row.stepError()),
                              cell(row.constantRateStep),
                              cell(row.measuredGib),
                              cell(row.predictedGib),
                              std::string(nameOf(row.memoryReading)),
                              row.verdict ? std::string(nameOf(*row.verdict)) : "",
                              row.memoryWhy});
    }
    return csvText(table);
}

}  // namespace fabricast
