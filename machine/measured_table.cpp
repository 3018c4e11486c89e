#include "machine/measured_table.h"

#include "planner/base/median.h"
#include "planner/report/plain_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// The settings that distinguish kinds of points.
constexpr std::array<const char*, 8> kKinds = {
    "of", "op", "kind", "pass", "form", "dtype", "ranks", "nodes"};

struct Rows : MeasuredKind {
    bool isRate = false;  ///< the best of them
    std::vector<double> spreads;
};

std::string kindOf(const RecordedPoint& point) {
    std::string kind = point.what;
    for (const char* const name : kKinds) {
        const std::string value = point.setting(name, "");
        const bool count = std::string_view(name) == "ranks" || std::string_view(name) == "nodes";
        kind += value.empty() ? "" : " " + (count ? std::string(name) + "=" : "") + value;
    }
    return kind;
}

/// The highest rate counts; only where there is none the least time or size.
void keepRate(double value, const char* unit, Rows& rows) {
    const bool isFirst = !rows.isRate || rows.unit != unit;
    rows.best = isFirst ? value : std::max(rows.best, value);
    rows.unit = unit;
    rows.isRate = true;
}

void keepLeast(double value, const char* unit, Rows& rows) {
    if (!rows.isRate) {
        rows.best = rows.unit.empty() ? value : std::min(rows.best, value);
        rows.unit = unit;
    }
}

void keepBest(const RecordedPoint& point, Rows& rows) {
    constexpr double kTera = 1e-12;
    constexpr double kGiga = 1e-9;
    constexpr double kMicro = 1e6;
    constexpr double kMebi = 1024.0 * 1024.0;
    const double busbw = point.fact("busbw", 0.0);
    const double flop = point.fact("flop", 0.0);
    const double bytes = point.fact("bytes", 0.0);
    if (point.unit == "B") {
        keepLeast(point.median / kMebi, "MiB", rows);
    } else if (point.unit != "s") {
        return;
    } else if (busbw > 0) {
        keepRate(busbw, "GB/s (bus)", rows);
    } else if (flop > 0) {
        keepRate(flop / point.median * kTera, "TFLOP/s", rows);
    } else if (bytes > 0) {
        keepRate(bytes / point.median * kGiga, "GB/s", rows);
    } else {
        keepLeast(point.median * kMicro, "us", rows);
    }
}

void add(const RecordedPoint& point, Rows& rows) {
    ++rows.points;
    if (!point.refused.empty() || point.samples.empty() || point.median == 0.0) {
        rows.refused += point.refused.empty() ? 0U : 1U;
        return;
    }
    rows.wrong += point.fact("wrong", 0.0) != 0.0 ? 1U : 0U;
    rows.samples += point.samples.size();
    if (point.samples.size() > 1) {
        rows.spreads.push_back(point.deviation / point.median);
    }
    keepBest(point, rows);
}

std::string noteText(const MeasuredKind& rows) {
    std::string note = rows.refused > 0 ? fmt::format("{} not possible here", rows.refused) : "";
    if (rows.wrong > 0) {
        note += (note.empty() ? "" : ", ") + fmt::format("{} WRONG", rows.wrong);
    }
    return note;
}

}  // namespace

std::vector<MeasuredKind> measuredKinds(const MergedMeasurements& record) {
    std::map<std::string, Rows> kinds;
    for (const RecordedPoint& point : record.points) {
        add(point, kinds[kindOf(point)]);
    }
    std::vector<MeasuredKind> all;
    for (auto& [name, rows] : kinds) {
        rows.name = name;
        rows.timed = rows.spreads.size();
        rows.spread = median(rows.spreads);
        all.push_back(rows);
    }
    return all;
}

Table measuredTable(const MergedMeasurements& record) {
    Table table{{{"measured"},
                 {"points", Align::Right},
                 {"samples", Align::Right},
                 {"best", Align::Right},
                 {""},
                 {"spread", Align::Right},
                 {""}},
                {}};
    for (const MeasuredKind& rows : measuredKinds(record)) {
        table.rows.push_back({rows.name,
                              std::to_string(rows.points),
                              std::to_string(rows.samples),
                              rows.best > 0 ? plainNumber(rows.best, 4) : "",
                              rows.unit,
                              rows.timed > 0 ? fmt::format("{:.1f} %", 100 * rows.spread) : "",
                              noteText(rows)});
    }
    return table;
}

}  // namespace fabricast
