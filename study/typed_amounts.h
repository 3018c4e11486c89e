#pragma once
#include "planner/base/result.h"

#include <string>
#include <string_view>

namespace fabricast {

// Numbers with the words that people write beside them, wherever one is asked for: of a target, of
// a requirement. `where` is what an error points at.

/// "$17k", "$17,000", "6000 USD", "$1.5 million".
Result<double> typedDollars(std::string_view typed, const std::string& where);
/// "1.2M", "100k tok/s", "125,000 tokens/s".
Result<double> typedTokenRate(std::string_view typed, const std::string& where);
/// "30", "30 d", "48h", "2 weeks"; a number alone is of days.
Result<double> typedDays(std::string_view typed, const std::string& where);
/// "24", "90 min", "2 d"; a number alone is of hours. The answer is in days.
Result<double> typedHours(std::string_view typed, const std::string& where);

}  // namespace fabricast
