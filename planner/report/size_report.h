#pragma once
#include "planner/report/report.h"
#include "planner/result/size_answer.h"

#include <string>
#include <string_view>

namespace fabricast {

/// How much hardware: the pick, what is next to it, how it scales, and what it costs to have.
Report sizeReport(const SizeAnswer& answer);
std::string sizeMarkdown(const SizeAnswer& answer);
/// The clusters that no other beats, a row each.
std::string sizeCsv(const SizeAnswer& answer);
/// "fabricast.size/1".
std::string sizeJson(const SizeAnswer& answer, std::string_view version);

/// "4 x dgx-h100 (32 GPUs): the cheapest that reaches 10 days", or that there is none.
std::string sizePickText(const SizeAnswer& answer);

}  // namespace fabricast
