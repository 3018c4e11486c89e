#pragma once
#include "planner/base/result.h"
#include "planner/evidence/price_profile.h"
#include "planner/text/json_document.h"

namespace fabricast {

/// A file of hardware_profiles/prices, or one given with --price.
Result<PriceProfile> readPrice(const JsonValue& root);

}  // namespace fabricast
