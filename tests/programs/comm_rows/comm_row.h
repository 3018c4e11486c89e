#pragma once
#include "planner/base/result.h"
#include "planner/comm/engine_calls.h"
#include "planner/spec/scenario.h"
#include "planner/stack/rank_groups.h"
#include "tests/support/case_table.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace fabricast {

/// The settings of one recorded step, as a scenario; `rank` is the global rank recorded.
struct CommRow {
    Scenario scenario;
    CommRank where;
    RankId rank;
};
Result<CommRow> commRow(const CsvTable& table, std::size_t row);

/// The frameworks' row forms, distinguished by the column `framework`.
Result<void> readTitan(const CsvTable& table, std::size_t row, CommRow& out);
Result<void> readMegatron(const CsvTable& table, std::size_t row, CommRow& out);
Result<void> readHuggingFace(const CsvTable& table, std::size_t row, CommRow& out);

/// The column, or what the recorder took where it was blank.
std::int64_t setting(const CsvTable& table, std::size_t row, const char* column);

/// Calls of one group, operator and type: as the records are summed.
struct CommTotal {
    std::int64_t count = 0;
    std::int64_t elements = 0;
    std::int64_t bytes = 0;
};
using CommKey = std::tuple<std::string, std::string, std::string>;
using CommTotals = std::map<CommKey, CommTotal>;

Result<CommTotals> forecastTotals(const CsvTable& table, std::size_t row);
/// By id: the steady step's rows of a summary.
std::map<std::string, CommTotals> recordedTotals(const CsvTable& summary);
/// The keys of at least `bytes` in which the two differ.
std::vector<CommKey> differences(const CommTotals& forecast,
                                 const CommTotals& recorded,
                                 std::int64_t bytes);

/// "0:8:4": first rank, stride, number; nested as "0:1:2*8:4"; otherwise a list.
std::string groupText(const RankGroup& group);

}  // namespace fabricast
