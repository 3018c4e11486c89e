#pragma once
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/spec/price_profile.h"

namespace fabricast {

/// A file of hardware_profiles/prices, or one that somebody names with --price.
Result<PriceProfile> readPrice(const JsonValue& root);

}  // namespace fabricast
