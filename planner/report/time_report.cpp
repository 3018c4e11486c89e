#include "planner/report/time_report.h"

#include "planner/base/quantity_text.h"
#include "planner/report/memory_report.h"
#include "planner/report/note_line.h"
#include "planner/report/scales.h"
#include "planner/report/table.h"
#include "planner/report/time_words.h"
#include "planner/result/answer_names.h"
#include "planner/result/memory_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

std::string mfuText(const Utilisation& use) {
    if (!use.mfu) {
        return "MFU not known: " + use.why;
    }
    return fmt::format("MFU {} of {} {}", percentText(*use.mfu), shortText(use.peak), use.peakType);
}

/// "9.310 s [7.758..11.637]".
std::string stepText(const StepEstimate& step) {
    const TimeScale scale = timeScaleFor(step.step.value.count());
    return fmt::format("{} {} [{}..{}]",
                       scale.text(step.step.value.count()),
                       scale.unit,
                       scale.text(step.step.lo.count()),
                       scale.text(step.step.hi.count()));
}

std::string rateText(const StepEstimate& step) {
    return fmt::format("{} tokens/s per GPU, {} in all, {}",
                       grouped(static_cast<long long>(step.tokensPerGpuSecond + 0.5)),
                       grouped(static_cast<long long>(step.tokensPerSecond + 0.5)),
                       mfuText(step.utilisation));
}

/// What takes most first; parts of no time are left out.
Table partTable(const StepEstimate& step) {
    const double all = step.parts.total();
    const TimeScale scale = timeScaleFor(all);
    std::vector<std::pair<double, TimePart>> parts;
    for (const auto& [part, name] : namesOf(TimePart{})) {
        parts.emplace_back(step.parts.of(part), part);
    }
    std::ranges::stable_sort(parts, [](const auto& a, const auto& b) { return a.first > b.first; });
    Table table{{{"part"}, {std::string(scale.unit), Align::Right}, {"share", Align::Right}}, {}};
    for (const auto& [seconds, part] : parts) {
        if (seconds > 1e-6 * all) {
            table.rows.push_back(
                {std::string(partWords(part)), scale.text(seconds), percentText(seconds / all)});
        }
    }
    table.rows.push_back({"step", scale.text(all), ""});
    return table;
}

/// Each part begins where the one above ends: together they are the step.
BarChart partBars(const StepEstimate& step) {
    const Table table = partTable(step);
    BarChart chart = barsOf(table, table.columns[0].title, table.columns[1].title);
    chart.title = "Where the step's time goes, " + table.columns[1].title;
    double sum = 0.0;
    for (BarChart::Bar& bar : chart.bars) {
        BarChart::Length& length = bar.lengths.front();
        if (&bar == &chart.bars.back()) {
            length.series = 1;
            continue;
        }
        length = {.series = 0, .from = sum, .to = sum + length.to};
        sum = length.to;
    }
    return chart;
}

std::string decidingText(const Scenario& scenario, const StepEstimate& step) {
    const StepTerms& terms = step.terms;
    const double forward = terms.forward.total();
    const double backward = terms.backward.total();
    const TimeScale scale = timeScaleFor(forward + backward);
    const std::string stage =
        scenario.layout.pp > 1
            ? fmt::format("slowest stage {} of {}: ", step.slowest, scenario.layout.pp)
            : "microbatch: ";
    return fmt::format("{}{} forward and {} backward, {:.0f} {} per step",
                       stage,
                       scale.withUnit(forward),
                       scale.withUnit(backward),
                       terms.microBatches,
                       terms.microBatches == 1.0 ? "time" : "times");
}

}  // namespace

Report timeReport(const Scenario& scenario, const StepEstimate& step, Subject subject) {
    Report report(fmt::format(
        "STEP  {}  {}\n{}\n", stepText(step), rateText(step), subjectLine(scenario, subject)));
    report.add(partTable(step)).add(partBars(step));
    std::string text = "\n" + decidingText(scenario, step) + "\n";
    for (const std::string& note : step.notes) {
        text += (&note == step.notes.data() ? "\n" : "") + noteLine(note) + "\n";
    }
    return std::move(report.add(text));
}

std::string fasterText(const StepEstimate& step, const FasterChange& faster) {
    const TimeScale scale = timeScaleFor(step.step.value.count());
    return fmt::format("--set {}: {}, {} less{}, {}",
                       faster.set,
                       scale.withUnit(faster.step.value.count()),
                       percentText(1.0 - faster.step.value / step.step.value),
                       faster.isClear ? "" : " (within the error of a comparison)",
                       fitText(faster.verdict));
}

std::string timeMarkdown(const Scenario& scenario, const StepEstimate& step) {
    std::string text = fmt::format("**STEP** {} ({}), {}\n\n{}\n\n{}\n{}\n",
                                   stepText(step),
                                   nameOf(step.step.evidence),
                                   rateText(step),
                                   subjectText(scenario),
                                   markdownText(partTable(step)),
                                   decidingText(scenario, step));
    for (const std::string& note : step.notes) {
        text += "\nAssumed: " + note + "\n";
    }
    return text;
}

std::string timeCsv(const StepEstimate& step) {
    const double all = step.parts.total();
    Table table{{{"part"}, {"seconds"}, {"share"}}, {}};
    const auto add = [&](std::string_view name, double seconds) {
        table.rows.push_back({std::string(name),
                              fmt::format("{:.9g}", seconds),
                              fmt::format("{:.6f}", all > 0 ? seconds / all : 0.0)});
    };
    for (const auto& [part, name] : namesOf(TimePart{})) {
        add(name, step.parts.of(part));
    }
    add("step", all);
    return csvText(table);
}

}  // namespace fabricast
