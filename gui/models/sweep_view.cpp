#include "gui/models/sweep_view.h"

#include "gui/models/edit_words.h"
#include "gui/models/table_model.h"
#include "planner/report/sweep_report.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <utility>

namespace fabricast {
namespace {

std::optional<std::size_t> columnTitled(const Table& table, const std::string& title) {
    const auto found = std::ranges::find(table.columns, title, &Column::title);
    return found == table.columns.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - table.columns.begin()));
}

/// "8k" of a sequence is 8192.
std::optional<double> numberOf(const std::string& cell) {
    const std::optional<double> number = leadingNumber(cell);
    constexpr double kBinaryThousand = 1024.0;
    return number && cell.ends_with('k') ? std::optional(*number * kBinaryThousand) : number;
}

/// How many GPUs there are is a column of its own beside that of the key.
void dropColumnsTitled(const std::string& title, Table& table) {
    for (std::size_t column = table.columns.size() - 1; column > 0; --column) {
        if (table.columns[column].title == title) {
            const auto place = static_cast<std::ptrdiff_t>(column);
            table.columns.erase(table.columns.begin() + place);
            for (std::vector<std::string>& row : table.rows) {
                row.erase(row.begin() + place);
            }
        }
    }
}

}  // namespace

const std::vector<SweptKey>& sweptKeys() {
    static const std::vector<SweptKey> kKeys = {
        {"cluster.nodes", "Servers", {"1", "2", "4", "8", "16"}},
        {"cluster.gpus", "GPUs", {"1", "2", "4", "8", "16"}},
        {"workload.sequence", "Sequence length", {"2048", "4096", "8192", "16384", "32768"}},
        {"workload.global_batch", "Global batch", {"64", "128", "256", "512", "1024"}},
        {"layout.tp", "Tensor (tp)", {"1", "2", "4", "8"}},
        {"layout.pp", "Pipeline (pp)", {"1", "2", "4", "8"}},
        {"layout.micro_batch", "Micro-batch", {"1", "2", "4", "8"}},
        {"layout.recompute", "Recompute", {"none", "selective", "full"}},
        {"workload.precision", "Precision", {"bf16", "fp8_blockwise", "mxfp8"}},
        {"search.stacks", "Software", {"megatron", "torchtitan", "fsdp2", "deepspeed"}},
        {"cluster.name", "Hardware", {"dgx-h100", "dgx-h200", "dgx-b200"}}};
    return kKeys;
}

std::vector<std::string> valuesWith(std::vector<std::string> values, const std::string& asked) {
    if (asked.empty() || std::ranges::find(values, asked) != values.end()) {
        return values;
    }
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    std::int64_t number = 0;
    const char* const end = asked.data() + asked.size();
    const auto [stop, trouble] = std::from_chars(asked.data(), end, number);
    if (trouble != std::errc() || stop != end || number < 1 || number > kMost) {
        values.push_back(asked);
        return values;
    }
    const std::int64_t first = number % 4 == 0 ? number / 4 : number % 2 == 0 ? number / 2 : number;
    values.clear();
    for (std::int64_t value = first; value <= 4 * number; value *= 2) {
        values.push_back(std::to_string(value));
    }
    return values;
}

std::vector<std::string> typedValues(const std::string& typed) {
    std::vector<std::string> values;
    std::istringstream all(typed);
    for (std::string value; std::getline(all, value, ',');) {
        const std::size_t first = value.find_first_not_of(' ');
        const std::size_t last = value.find_last_not_of(' ');
        if (first != std::string::npos) {
            values.push_back(value.substr(first, last - first + 1));
        }
    }
    return values;
}

Result<Table> sweepRows(const SweepAnswer& answer) {
    FABRICAST_ASSIGN(Table table, sweepTable(answer.lines));
    if (!table.columns.empty() && table.columns.front().title == answer.axes.front().key) {
        const std::string& key = answer.axes.front().key;
        table.columns.front().title = keyWords(key);
        const auto known = std::ranges::find(sweptKeys(), key, &SweptKey::path);
        if (known != sweptKeys().end()) {
            dropColumnsTitled(known->title, table);
        }
    }
    return table;
}

Result<CurveValues> sweepCurve(const SweepAnswer& answer) {
    FABRICAST_ASSIGN(const Table numbers, sweepNumbers(answer.lines));
    CurveValues values{.title = {},
                       .x = {.title = keyWords(answer.axes.front().key), .unit = AxisUnit::Number},
                       .y = {.title = "tokens per second", .unit = AxisUnit::Count}};
    const auto across = columnTitled(numbers, answer.axes.front().key);
    const auto up = columnTitled(numbers, "tokens_per_s");
    CurveSeries series{.name = "best layout"};
    for (const std::vector<std::string>& row : numbers.rows) {
        const std::optional<double> x = across ? numberOf(row[*across]) : std::nullopt;
        const std::optional<double> y = up ? leadingNumber(row[*up]) : std::nullopt;
        if (x && y) {
            series.points.push_back({.x = *x, .y = *y, .interval = {}});
        }
    }
    std::ranges::stable_sort(series.points, {}, &CurvePoint::x);
    values.series.push_back(std::move(series));
    return values;
}

}  // namespace fabricast
