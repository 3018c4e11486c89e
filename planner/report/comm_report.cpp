#include "planner/base/quantity_text.h"
#include "planner/report/scales.h"
#include "planner/report/subject_words.h"
#include "planner/report/table.h"
#include "planner/report/time_report.h"
#include "planner/result/answer_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostRows = 20;

std::string_view reachOf(const CommLine& line) {
    if (line.sites > 1) {
        return "between sites";
    }
    return line.betweenNodes ? "between nodes" : "inside the node";
}

/// "4", or "1 in 500" steps.
std::string callsOf(const CommLine& line) {
    return line.every > 1 ? fmt::format("{} in {}", line.count, grouped(line.every))
                          : grouped(line.count);
}

double secondsOf(std::span<const CommLine> lines) {
    double sum = 0.0;
    for (const CommLine& line : lines) {
        sum += line.seconds;
    }
    return sum;
}

double exposedOf(std::span<const CommLine> lines) {
    double sum = 0.0;
    for (const CommLine& line : lines) {
        sum += line.exposed;
    }
    return sum;
}

std::string commHead(const StepEstimate& step) {
    if (step.comm.empty()) {
        return "no communication";
    }
    const TimeScale scale = timeScaleFor(step.step.value.count());
    const double exposed = exposedOf(step.comm);
    return fmt::format("{} of calls, which add {} to the step: {:.1f} % of it",
                       scale.withUnit(secondsOf(step.comm)),
                       scale.withUnit(exposed),
                       100.0 * exposed / step.step.value.count());
}

Table lineTable(const Scenario& scenario, const StepEstimate& step, std::size_t rows) {
    const TimeScale scale = timeScaleFor(step.step.value.count());
    Table table{{{"axis"},
                 {"moves"},
                 {"fabric"},
                 {"collective"},
                 {"ranks", Align::Right},
                 {"per call", Align::Right},
                 {"calls", Align::Right},
                 {std::string(scale.unit), Align::Right},
                 {"exposed", Align::Right}},
                {}};
    for (const CommLine& line : std::span(step.comm).first(rows)) {
        table.rows.push_back(
            {std::string(axisWords(line.axis)),
             std::string(line.use),
             fmt::format("{}, {}", reachOf(line), fabricOf(scenario.cluster, line)),
             std::string(line.collective),
             grouped(line.groupSize),
             shortText(line.bytes),
             callsOf(line),
             scale.text(line.seconds),
             scale.text(line.exposed)});
    }
    return table;
}

/// Pipelines add more than a rank's own transfers: it stands while those between others come
/// before its turn.
std::string_view chainNote(std::span<const CommLine> lines) {
    const bool isMore = std::ranges::any_of(lines, [](const CommLine& line) {
        return line.part == TimePart::Stage && line.exposed > line.seconds;
    });
    return isMore ? "\npipeline: exposed includes waiting for transfers between other stages, "
                    "which come before this one's turn\n"
                  : "";
}

}  // namespace

Report commReport(const Scenario& scenario,
                  const StepEstimate& step,
                  bool everyRow,
                  Subject subject) {
    const std::size_t rows = everyRow ? step.comm.size() : std::min(step.comm.size(), kMostRows);
    Report report(
        fmt::format("COMMUNICATION  {}\n{}", commHead(step), subjectLine(scenario, subject)));
    if (rows > 0) {
        report.add("\n").add(lineTable(scenario, step, rows));
    }
    if (rows < step.comm.size()) {
        const auto rest = std::span(step.comm).subspan(rows);
        const TimeScale scale = timeScaleFor(step.step.value.count());
        report.add(fmt::format("… {} more rows, {} of which {} exposed: --verbose shows them\n",
                               rest.size(),
                               scale.withUnit(secondsOf(rest)),
                               scale.text(exposedOf(rest))));
    }
    report.add(std::string(chainNote(step.comm)));
    return report;
}

std::string commMarkdown(const Scenario& scenario, const StepEstimate& step) {
    return fmt::format("**COMMUNICATION** {}\n\n{}\n\n{}",
                       commHead(step),
                       subjectText(scenario),
                       markdownText(lineTable(scenario, step, step.comm.size())));
}

std::string commCsv(const Scenario& scenario, const StepEstimate& step) {
    Table table{{{"axis"},
                 {"use"},
                 {"fabric"},
                 {"between_nodes"},
                 {"collective"},
                 {"group_size"},
                 {"bytes"},
                 {"count"},
                 {"seconds"},
                 {"exposed_seconds"},
                 {"part"},
                 {"stage"}},
                {}};
    for (const CommLine& line : step.comm) {
        table.rows.push_back({std::string(line.axis),
                              std::string(line.use),
                              std::string(fabricOf(scenario.cluster, line)),
                              line.betweenNodes ? "1" : "0",
                              std::string(line.collective),
                              std::to_string(line.groupSize),
                              std::to_string(line.bytes.count()),
                              std::to_string(line.count),
                              fmt::format("{:.9g}", line.seconds),
                              fmt::format("{:.9g}", line.exposed),
                              std::string(nameOf(line.part)),
                              std::to_string(line.stage)});
    }
    return csvText(table);
}

}  // namespace fabricast
