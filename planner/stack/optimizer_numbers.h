#pragma once
#include "planner/base/result.h"
#include "planner/spec/settings.h"

namespace fabricast {

/// Refuses numbers that the engine's optimizers do not keep: a copy of the weights where there is
/// none or none of 16-bit weights where there always is one, moments narrower than theirs, a
/// remainder. Whoever types them would be answered as if they had not.
///     FABRICAST_TRY(checkOptimizerNumbers(scenario.settings));
Result<void> checkOptimizerNumbers(const Settings& settings);

/// Refuses products in narrow types of layers whose weights are stored in 4 or 8 bits: they are
/// made whole in 16 bits by kernels of their own.
Result<void> checkProductsOfBase(const Settings& settings);

}  // namespace fabricast
