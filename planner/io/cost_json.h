#pragma once
#include "planner/io/json_text.h"
#include "planner/result/run_cost.h"

namespace fabricast {

/// The member "cost" of an answer. What is not known is null, with the reason beside.
///     .cost.usd_per_mtok.value   .cost.goodput.lo   .cost.price.{profile,date,kind}
/// and where tokens were said .cost.{days,gpu_hours,usd_per_run,kwh}.
void writeCost(JsonText& json, const RunCost& cost, const CostBasis& basis);

}  // namespace fabricast
