#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A price of a GPU-hour as people write it: "$2.10", "2.1/h", "2.10 USD per hour",
/// "$2.1/GPU-hour". Nothing for the name of a profile or of a file. Another currency, another unit
/// than an hour of one GPU, and a decimal comma are refused with what to type.
Result<std::optional<UsdPerHour>> readTypedPrice(std::string_view text, std::string_view where);

/// The price of an hour of one GPU among several.
struct PricedGpu {
    std::string gpu;  ///< as it was typed
    UsdPerHour price;
};

/// "h100=$2.10/h,h200=3.50": the prices of several GPUs. None where the text has no "=".
Result<std::vector<PricedGpu>> readGpuPrices(std::string_view text, std::string_view where);

}  // namespace fabricast
