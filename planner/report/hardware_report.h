#pragma once
#include "planner/report/durations.h"
#include "planner/report/report.h"
#include "planner/result/hardware_answer.h"

#include <string>
#include <string_view>

namespace fabricast {

/// Which hardware: a line for each box, and where its prices are from.
Report hardwareReport(const HardwareAnswer& answer);
std::string hardwareMarkdown(const HardwareAnswer& answer);
std::string hardwareCsv(const HardwareAnswer& answer);
/// What the first run of them is read in, and with it all.
RunUnit runUnitOf(const HardwareAnswer& answer);
/// " with 1,152 GPUs" of a box where not all that are compared have as many; empty where they have.
std::string unlikeGpusText(const HardwareAnswer& answer, const BoxAnswer& box);
/// "fabricast.hardware/1".
std::string hardwareJson(const HardwareAnswer& answer, std::string_view version);

}  // namespace fabricast
