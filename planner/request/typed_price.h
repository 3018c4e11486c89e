#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"

#include <optional>
#include <string_view>

namespace fabricast {

/// A price of a GPU-hour as people write it: "$2.10", "2.1/h", "2.10 USD per hour",
/// "$2.1/GPU-hour". Nothing for the name of a profile or of a file. Another currency, another unit
/// than an hour of one GPU, and a decimal comma are refused with what to type.
Result<std::optional<UsdPerHour>> readTypedPrice(std::string_view text, std::string_view where);

}  // namespace fabricast
