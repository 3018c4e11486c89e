#include "planner/report/memory_table.h"

#include "planner/result/memory_names.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace fabricast {
namespace {

using BytesOf = std::function<Bytes(const StageMemory&)>;
struct ByteColumn {
    std::string title;
    BytesOf of;
};

std::vector<ByteColumn> kindColumns() {
    std::vector<ByteColumn> columns;
    for (const auto& [kind, name] : namesOf(MemoryKind{})) {
        columns.push_back({std::string(name), [kind = kind](const StageMemory& stage) {
                               return stage.atPeak.of(kind);
                           }});
    }
    return columns;
}

/// What is added to the tensors' own bytes until the device's peak is reached.
std::vector<ByteColumn> deviceColumns() {
    return {{"rounding", [](const StageMemory& s) { return s.allocated - s.requested; }},
            {"context", [](const StageMemory& s) { return s.context; }},
            {"collectives", [](const StageMemory& s) { return s.collectives; }},
            {"peak", &devicePeak},
            {"reserve", [](const StageMemory& s) { return s.reserved.value - s.allocated; }},
            {"host", [](const StageMemory& s) { return s.host; }},
            {"nvme", [](const StageMemory& s) { return s.nvme; }}};
}

bool anyStageHas(const MemoryBreakdown& memory, const ByteColumn& column) {
    return std::any_of(memory.stages.begin(), memory.stages.end(), [&](const StageMemory& stage) {
        return column.of(stage).count() != 0;
    });
}

std::vector<std::string> stageRow(const StageMemory& stage,
                                  const std::vector<ByteColumn>& columns,
                                  const ByteScale& scale) {
    std::vector<std::string> cells = {std::to_string(stage.stage), std::to_string(stage.inFlight)};
    for (const ByteColumn& column : columns) {
        cells.push_back(scale.text(column.of(stage)));
    }
    cells.push_back(stage.peakAt);
    return cells;
}

bool alike(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::equal(a.begin() + 1, a.end(), b.begin() + 1, b.end());
}

/// Runs of rows that differ only in their stage become one row.
std::vector<std::vector<std::string>> merged(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::vector<std::string>> shorter;
    std::string first;
    for (const auto& row : rows) {
        if (!shorter.empty() && alike(shorter.back(), row)) {
            shorter.back().front() = first + "-" + row.front();
        } else {
            first = row.front();
            shorter.push_back(row);
        }
    }
    return shorter;
}

}  // namespace

Table stageTable(const MemoryBreakdown& memory, const ByteScale& scale) {
    std::vector<ByteColumn> columns = kindColumns();
    for (ByteColumn& column : deviceColumns()) {
        columns.push_back(std::move(column));
    }
    std::erase_if(columns, [&](const ByteColumn& column) { return !anyStageHas(memory, column); });
    Table table{{{"stage"}, {"in flight", Align::Right}}, {}};
    for (const ByteColumn& column : columns) {
        table.columns.push_back({column.title, Align::Right});
    }
    table.columns.push_back({"peak at"});
    for (const StageMemory& stage : memory.stages) {
        table.rows.push_back(stageRow(stage, columns, scale));
    }
    table.rows = merged(table.rows);
    return table;
}

Table stageBytesTable(const MemoryBreakdown& memory) {
    std::vector<ByteColumn> columns = kindColumns();
    const std::vector<ByteColumn> more = {
        {"requested", [](const StageMemory& s) { return s.requested; }},
        {"allocated", [](const StageMemory& s) { return s.allocated; }},
        {"reserved", [](const StageMemory& s) { return s.reserved.value; }},
        {"reserved_lo", [](const StageMemory& s) { return s.reserved.lo; }},
        {"reserved_hi", [](const StageMemory& s) { return s.reserved.hi; }},
        {"saved_per_layer", [](const StageMemory& s) { return s.savedPerLayer; }},
        {"between_steps", [](const StageMemory& s) { return s.betweenSteps; }},
        {"context", [](const StageMemory& s) { return s.context; }},
        {"collectives", [](const StageMemory& s) { return s.collectives; }},
        {"peak", &devicePeak},
        {"host", [](const StageMemory& s) { return s.host; }},
        {"nvme", [](const StageMemory& s) { return s.nvme; }}};
    columns.insert(columns.end(), more.begin(), more.end());
    Table table{{{"stage"}, {"in_flight"}, {"local_parameters"}}, {}};
    for (const ByteColumn& column : columns) {
        table.columns.push_back({column.title + "_bytes"});
    }
    table.columns.push_back({"peak_at"});
    for (const StageMemory& stage : memory.stages) {
        std::vector<std::string> cells = {std::to_string(stage.stage),
                                          std::to_string(stage.inFlight),
                                          std::to_string(stage.localParameters)};
        for (const ByteColumn& column : columns) {
            cells.push_back(std::to_string(column.of(stage).count()));
        }
        cells.push_back(stage.peakAt);
        table.rows.push_back(std::move(cells));
    }
    return table;
}

}  // namespace fabricast
