#include "planner/report/sweep_report.h"

#include "planner/base/quantity_text.h"
#include "planner/text/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

/// The lines that there are.
struct SweepLines {
    std::string schema;
    std::vector<JsonValue> lines;
};

Result<SweepLines> readSweepLines(std::span<const std::string> texts) {
    SweepLines read;
    for (const std::string& text : texts) {
        if (text.empty()) {
            continue;
        }
        FABRICAST_ASSIGN(JsonValue line, parseJson(text, "sweep"));
        FABRICAST_TRY(line.require("point"));
        FABRICAST_ASSIGN(read.schema, line.textOr("schema", ""));
        read.lines.push_back(std::move(line));
    }
    return read;
}

std::string sweepNumber(const JsonValue* value) {
    if (value == nullptr) {
        return "";
    }
    if (value->is(JsonValue::Kind::Number)) {
        return fmt::format("{:.9g}", value->number(-1e300, 1e300).value_or(0.0));
    }
    return value->is(JsonValue::Kind::String) ? value->text().value_or("") : value->shown();
}

/// The columns of what each point sets, and what it sets.
Table tableOfPoints(const SweepLines& read) {
    Table table;
    for (const JsonValue& line : read.lines) {
        const JsonValue& point = *line.find("point");
        std::vector<std::string> row;
        for (const JsonValue& member : point.members()) {
            if (table.rows.empty()) {
                table.columns.push_back({member.name()});
            }
            row.push_back(sweepNumber(&member));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// Whether all lines that have a number there have the same, or the points set it themselves.
bool isTheSame(const SweepColumn& column, const SweepLines& read) {
    std::string first;
    for (const JsonValue& line : read.lines) {
        const std::string here = sweepNumber(line.find(column.key));
        if (!first.empty() && !here.empty() && here != first) {
            return std::ranges::any_of(
                line.find("point")->members(), [&column](const JsonValue& set) {
                    return set.name().ends_with("." + std::string(column.key));
                });
        }
        first = here.empty() ? first : here;
    }
    return true;
}

bool isInAnyLine(const SweepColumn& column, const SweepLines& read) {
    return std::ranges::any_of(
        read.lines, [&](const JsonValue& line) { return line.find(column.key) != nullptr; });
}

/// Whether any line has something to show there that the points do not say.
bool isUsed(const SweepColumn& column, const SweepLines& read) {
    return !(column.isSaidByPoint && isTheSame(column, read)) && isInAnyLine(column, read);
}

Table tableForPeople(const SweepLines& read) {
    Table table = tableOfPoints(read);
    for (const SweepColumn& column : sweepColumns(read.schema)) {
        if (column.text == nullptr || !isUsed(column, read)) {
            continue;
        }
        table.columns.push_back({std::string(column.title), column.align});
        for (std::size_t i = 0; i < read.lines.size(); ++i) {
            const JsonValue& line = read.lines[i];
            table.rows[i].push_back(column.text(line.find(column.key), line));
        }
    }
    return table;
}

/// "1024", "4M", "1.5T"; nothing where a value is a name.
std::optional<double> axisNumber(const std::string& value) {
    if (const std::optional<double> number = numberIn(value);
        number && fmt::format("{}", *number) == value) {
        return number;
    }
    const Result<Tokens> count = parseQuantity<Tokens>(value, "");
    return count ? std::optional(static_cast<double>(count->count())) : std::nullopt;
}

/// What a point sets besides the first axis: "workload.global_batch=64".
std::string seriesOf(const JsonValue& point) {
    std::string text;
    for (const JsonValue& member : point.members().subspan(1)) {
        text += (text.empty() ? "" : ", ") + member.name() + "=" + sweepNumber(&member);
    }
    return text;
}

PointChart chartOfNumbers(const SweepLines& read, const SweepColumn& shown) {
    const JsonValue& first = read.lines.front().find("point")->members().front();
    PointChart chart{.title = first.name() + " against " + std::string(shown.title),
                     .xTitle = first.name(),
                     .yTitle = std::string(shown.title)};
    for (const JsonValue& line : read.lines) {
        const JsonValue& point = *line.find("point");
        const JsonValue* value = line.find(shown.key);
        if (value == nullptr) {
            continue;
        }
        const std::string series = seriesOf(point);
        auto place = std::ranges::find(chart.series, series);
        if (place == chart.series.end()) {
            chart.series.push_back(series);
            place = chart.series.end() - 1;
        }
        chart.points.push_back(
            {.x = *axisNumber(sweepNumber(&point.members().front())),
             .y = value->number(-1e300, 1e300).value_or(0.0),
             .series = static_cast<std::size_t>(place - chart.series.begin()),
             .name = sweepNumber(&point.members().front()) + ": " + shown.text(value, line)});
    }
    if (chart.series.size() == 1) {
        chart.series.clear();
    }
    return chart;
}

BarChart chartOfNames(const SweepLines& read, const SweepColumn& shown) {
    BarChart chart{.title = std::string(shown.title) + " of each point"};
    for (const JsonValue& line : read.lines) {
        const JsonValue& point = *line.find("point");
        const JsonValue* value = line.find(shown.key);
        if (value == nullptr) {
            continue;
        }
        const std::string more = seriesOf(point);
        chart.bars.push_back(
            {.label = sweepNumber(&point.members().front()) + (more.empty() ? "" : ", " + more),
             .lengths = {{.series = 0,
                          .from = 0.0,
                          .to = value->number(-1e300, 1e300).value_or(0.0)}},
             .text = shown.text(value, line)});
    }
    return chart;
}

/// Points where the first axis is numbers, else bars.
void addPicture(const SweepLines& read, Report& report) {
    constexpr std::size_t kMostBars = 60;
    const auto answered = std::ranges::find_if(
        read.lines, [](const JsonValue& line) { return line.find("why") == nullptr; });
    if (answered == read.lines.end() || answered->find("point")->members().empty()) {
        return;
    }
    const SweepColumn& shown = picturedColumn(read.schema, *answered);
    const bool isNumeric = std::ranges::all_of(read.lines, [](const JsonValue& line) {
        return axisNumber(sweepNumber(&line.find("point")->members().front())).has_value();
    });
    if (isNumeric) {
        report.add(chartOfNumbers(read, shown));
    } else if (read.lines.size() <= kMostBars) {
        report.add(chartOfNames(read, shown), 2);
    }
}

}  // namespace

Result<Table> sweepNumbers(std::span<const std::string> lines) {
    FABRICAST_ASSIGN(const SweepLines read, readSweepLines(lines));
    Table table = tableOfPoints(read);
    for (const SweepColumn& column : sweepColumns(read.schema)) {
        if (read.lines.empty()) {
            break;
        }
        if (column.isRare && !isInAnyLine(column, read)) {
            continue;
        }
        table.columns.push_back({std::string(column.key)});
        for (std::size_t i = 0; i < read.lines.size(); ++i) {
            table.rows[i].push_back(sweepNumber(read.lines[i].find(column.key)));
        }
    }
    return table;
}

Result<Table> sweepTable(std::span<const std::string> lines) {
    FABRICAST_ASSIGN(const SweepLines read, readSweepLines(lines));
    return tableForPeople(read);
}

Result<Report> sweepReport(std::span<const std::string> lines) {
    FABRICAST_ASSIGN(const SweepLines read, readSweepLines(lines));
    Report report;
    report.add(tableForPeople(read));
    addPicture(read, report);
    return report;
}

Result<std::size_t> answeredPoints(std::span<const std::string> lines) {
    FABRICAST_ASSIGN(const SweepLines read, readSweepLines(lines));
    return static_cast<std::size_t>(std::ranges::count_if(
        read.lines, [](const JsonValue& line) { return line.find("why") == nullptr; }));
}

}  // namespace fabricast
