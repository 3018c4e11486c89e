#pragma once
#include "planner/result/run_cost.h"
#include "planner/text/json_text.h"

#include <optional>

namespace fabricast {

/// The member "cost" of an answer. Unknown numbers are null, with the reason.
///     .cost.usd_per_mtok.value   .cost.goodput.lo   .cost.price.{profile,date,kind}
/// and, with a number of tokens, .cost.{days,gpu_hours,usd_per_run,kwh}.
void writeCost(JsonText& json, const RunCost& cost, const CostBasis& basis);

/// The member "usd_per_mtok" as a number alone; null, with the reason, where there is none.
void writePerMtok(JsonText& json, const std::optional<RunCost>& cost);

}  // namespace fabricast
