#include "planner/report/comparison_report.h"

#include "planner/base/quantity_text.h"
#include "planner/report/memory_report.h"
#include "planner/report/note_line.h"
#include "planner/report/plan_views.h"
#include "planner/report/subject_words.h"
#include "planner/report/table.h"
#include "planner/result/memory_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// A table with its title.
struct Titled {
    std::string title;
    Table table;
    bool falls = false;  ///< from one number to another
};

constexpr double kSame = 0.0005;  ///< printed as 0.0 %

/// "B is 28.9 % slower than A, mostly recomputed kernels".
std::string verdictLine(const Comparison& comparison, const SideDifference& difference) {
    const std::string& side = comparison.sides[difference.side].name;
    const std::string& base = comparison.sides[comparison.baseline].name;
    const double more = std::abs(difference.ratio - 1.0);
    switch (difference.verdict) {
        case SpeedVerdict::Equal:
            if (more < kSame) {
                return fmt::format("{} and {} take the same time", base, side);
            }
            return fmt::format(
                "{} and {} cannot be told apart: they differ by {}, and the order of forecasts "
                "within {} of "
                "each other is not reliable",
                base,
                side,
                percentText(more),
                percentText(difference.band));
        case SpeedVerdict::Faster:
        case SpeedVerdict::Slower: {
            const std::string_view cause = mainPart(*difference.time);
            return fmt::format("{} takes {} {} time than {} for the same tokens{}",
                               side,
                               percentText(more),
                               difference.ratio < 1.0 ? "less" : "more",
                               base,
                               cause.empty() ? "" : ", mostly for " + std::string(cause));
        }
        case SpeedVerdict::Unknown:
            break;
    }
    std::string text;
    for (const std::size_t at : {comparison.baseline, difference.side}) {
        const ComparedSide& one = comparison.sides[at];
        if (!one.step) {
            text += fmt::format(
                "{}{} has no time forecast: {}", text.empty() ? "" : "\n", one.name, one.whyNoStep);
        }
    }
    return text;
}

/// What a comparison of times is worth nothing without.
std::string fitLines(const Comparison& comparison) {
    std::string text;
    for (const ComparedSide& side : comparison.sides) {
        const MemoryBreakdown& memory = side.memory;
        if (memory.verdict == Verdict::Fits) {
            continue;
        }
        const bool surely = memory.verdict == Verdict::DoesNotFit;
        const std::string outcome = (memory.verdict == Verdict::Unlikely ? "is " : "") +
                                    std::string(fitText(memory.verdict));
        if (memory.ofNode().verdict() > memory.onDevice) {
            text += fmt::format("{} {}: {}\n", side.name, outcome, hostNeedText(memory.ofNode()));
            continue;
        }
        text += fmt::format("{} {}: {}{} of {} GiB\n",
                            side.name,
                            outcome,
                            surely ? "" : "up to ",
                            gibText(surely ? memory.peak.value : memory.peak.hi),
                            gibText(memory.capacity));
    }
    return text;
}

/// ", on 16 GPUs instead of 8"
std::string gpusText(const Comparison& comparison, const SideDifference& difference) {
    const std::int64_t here = comparison.sides[difference.side].scenario.cluster.gpus();
    const std::int64_t there = comparison.sides[comparison.baseline].scenario.cluster.gpus();
    return here == there ? "" : fmt::format(", on {} GPUs instead of {}", here, there);
}

std::string sideLine(const ComparedSide& side) {
    return fmt::format("{}  {}  {}: {}",
                       side.name,
                       verdictWord(side.memory.verdict),
                       side.source,
                       subjectText(side.scenario));
}

std::vector<Titled> tablesOf(const Comparison& comparison, const ComparisonView& view) {
    std::vector<Titled> tables;
    if (!comparison.inputs.empty()) {
        tables.push_back({.title = "", .table = inputTable(comparison)});
    }
    tables.push_back({.title = "", .table = numberTable(comparison, view)});
    for (const SideDifference& difference : comparison.differences) {
        const std::string names = comparison.sides[comparison.baseline].name + " to " +
                                  comparison.sides[difference.side].name;
        if (difference.time) {
            tables.push_back({fmt::format("from {}, {}", names, timeUnit(comparison, difference)),
                              timeTable(comparison, difference, view),
                              true});
        }
        tables.push_back({fmt::format("from {}, {} of the most loaded GPU", names, "GiB"),
                          memoryPartTable(comparison, difference, view),
                          true});
    }
    std::erase_if(tables, [](const Titled& one) { return one.table.rows.empty(); });
    return tables;
}

/// What was assumed for a side, where it was not for all of them; what was measured once.
std::string assumedLines(const Comparison& comparison) {
    std::string text;
    const std::vector<ComparedSide>& sides = comparison.sides;
    for (const ComparedSide& side : sides) {
        for (const std::string& note : side.assumed) {
            const bool everywhere = std::ranges::all_of(sides, [&note](const ComparedSide& other) {
                return std::ranges::find(other.assumed, note) != other.assumed.end();
            });
            const bool isMeasured = noteLine(note) == note;
            if (!everywhere) {
                text += side.name + " " + noteLine(note) + "\n";
            } else if (isMeasured && &side == sides.data()) {
                text += note + "\n";
            }
        }
    }
    return text;
}

std::string noDifference(const Comparison& comparison) {
    return comparison.inputs.empty() ? "the inputs are the same\n" : "";
}

/// What differs and is left out of the table of inputs.
std::string withoutEffect(const Comparison& comparison) {
    std::string keys;
    for (const InputDifference& input : comparison.inputs) {
        if (!input.hasEffect) {
            keys += (keys.empty() ? "" : ", ") + input.key;
        }
    }
    return keys.empty() ? "" : "differ without effect here: " + keys + "\n";
}

}  // namespace

Report comparisonReport(const Comparison& comparison, const ComparisonView& view) {
    std::string text;
    for (const ComparedSide& side : comparison.sides) {
        text += sideLine(side) + "\n";
    }
    text += "\n" + fitLines(comparison) + noDifference(comparison);
    for (const SideDifference& difference : comparison.differences) {
        text += verdictLine(comparison, difference) + gpusText(comparison, difference) + "\n";
    }
    Report report(text + withoutEffect(comparison) + assumedLines(comparison));
    for (const Titled& one : tablesOf(comparison, view)) {
        report.add("\n" + (one.title.empty() ? "" : one.title + "\n")).add(one.table);
        if (one.falls) {
            BarChart fall = waterfallOf(one.table, "sum");
            fall.title = one.title;
            report.add(std::move(fall));
        }
    }
    return report;
}

std::string comparisonText(const Comparison& comparison, const ComparisonView& view) {
    return reportText(comparisonReport(comparison, view));
}

std::string comparisonMarkdown(const Comparison& comparison, const ComparisonView& view) {
    std::string text;
    for (const ComparedSide& side : comparison.sides) {
        text += "* " + sideLine(side) + "\n";
    }
    text += "\n" + fitLines(comparison) + noDifference(comparison);
    for (const SideDifference& difference : comparison.differences) {
        text +=
            "**" + verdictLine(comparison, difference) + gpusText(comparison, difference) + "**\n";
    }
    text += withoutEffect(comparison);
    for (const Titled& one : tablesOf(comparison, view)) {
        text += "\n" + (one.title.empty() ? "" : one.title + "\n\n") + markdownText(one.table);
    }
    return text;
}

std::string comparisonCsv(const Comparison& comparison) {
    Table table{{{"kind"}, {"key"}, {"side"}, {"value"}, {"baseline"}, {"change"}}, {}};
    const auto number = [](std::optional<double> value) {
        return value ? fmt::format("{:.9g}", *value) : std::string();
    };
    for (const SideDifference& difference : comparison.differences) {
        const std::string& side = comparison.sides[difference.side].name;
        for (const InputDifference& input : comparison.inputs) {
            table.rows.push_back({"input",
                                  input.key,
                                  side,
                                  input.values[difference.side],
                                  input.values[comparison.baseline],
                                  ""});
        }
        for (const ComparedNumber& one : comparison.numbers) {
            const auto value = one.values[difference.side];
            const auto base = one.values[comparison.baseline];
            table.rows.push_back(
                {"number",
                 std::string(one.key),
                 side,
                 number(value),
                 number(base),
                 number(value && base ? std::optional(*value - *base) : std::nullopt)});
        }
        const auto addParts = [&](const char* kind, const Waterfall& fall) {
            for (const DifferencePart& part : fall.parts) {
                table.rows.push_back(
                    {kind, std::string(part.key), side, "", "", number(part.change)});
            }
        };
        if (difference.time) {
            addParts("time", *difference.time);
        }
        addParts("memory", difference.memory);
    }
    return csvText(table);
}

}  // namespace fabricast
