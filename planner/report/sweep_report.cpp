#include "planner/report/sweep_report.h"

#include "planner/text/json_document.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 10> kOfBest = {"verdict",
                                                      "gpus",
                                                      "step_s",
                                                      "tokens_per_s",
                                                      "mfu",
                                                      "peak_bytes",
                                                      "usd_per_mtok",
                                                      "stack",
                                                      "layout",
                                                      "why"};

std::string sweepCell(const JsonValue* value) {
    if (value == nullptr) {
        return "";
    }
    if (value->is(JsonValue::Kind::Number)) {
        return fmt::format("{:.9g}", value->number(-1e300, 1e300).value_or(0.0));
    }
    return value->is(JsonValue::Kind::String) ? value->text().value_or("") : value->shown();
}

}  // namespace

Result<Table> sweepTable(std::span<const std::string> lines) {
    Table table;
    for (const std::string& line : lines) {
        if (line.empty()) {
            continue;
        }
        FABRICAST_ASSIGN(const JsonValue root, parseJson(line, "sweep"));
        FABRICAST_ASSIGN(const JsonValue* point, root.require("point"));
        if (table.columns.empty()) {
            for (const JsonValue& member : point->members()) {
                table.columns.push_back({member.name()});
            }
            for (const std::string_view key : kOfBest) {
                table.columns.push_back({std::string(key)});
            }
        }
        std::vector<std::string> row;
        for (const JsonValue& member : point->members()) {
            row.push_back(sweepCell(&member));
        }
        for (const std::string_view key : kOfBest) {
            row.push_back(sweepCell(root.find(key)));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace fabricast
