#pragma once
#include "planner/schedule/framework_order.h"
#include "tests/support/case_table.h"

#include <string>
#include <vector>

namespace fabricast {

/// The differences between a folder of recorded schedules and the product, one line each.
struct Comparison {
    int rows = 0;
    std::vector<std::string> differences;
};

/// actions.jsonl: order, placement and in-flight peaks.
Comparison compareOrders(const std::string& file);
/// timing.csv: makespan, busy and end of each rank, in ticks and in seconds.
Comparison compareTimes(const std::string& file);
/// rejections.csv: the rows that no other setting caused.
Comparison compareRefusals(const std::string& file);

/// comms.jsonl: the calls of every rank, in order.
Comparison comparePrograms(const std::string& file);
/// comms.csv: the makespan where a transfer waits for both of its sides.
Comparison compareReplays(const std::string& file);

/// The request behind a row's framework, schedule, pp, v, m and n.
ScheduleRequest requestOf(const CsvTable& table, std::size_t row);
ScheduleRequest requestOf(const std::string& framework,
                          const std::string& schedule,
                          const PipelineShape& shape);

}  // namespace fabricast
