#pragma once
#include "planner/report/table.h"
#include "planner/result/collective_answer.h"

#include <string>
#include <string_view>

namespace fabricast {

/// A collective's time and rates, one line a size; with `why` what they rest on.
std::string collectiveText(const CollectiveAnswer& answer, bool why);
std::string collectiveMarkdown(const CollectiveAnswer& answer);
std::string collectiveCsv(const CollectiveAnswer& answer);
/// "fabricast.collective/1".
std::string collectiveJson(const CollectiveAnswer& answer, std::string_view version);

}  // namespace fabricast
