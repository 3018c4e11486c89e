#pragma once
#include "planner/budget/budget_facts.h"
#include "planner/result/size_answer.h"

#include <optional>

namespace fabricast {

/// A cluster that runs such a plan, rented for the share of the time in which it is used, or
/// bought. What a bought one is worth afterwards is not counted.
///     rent = GPUs · $ per GPU-hour · hours · utilisation
///     buy  = GPUs · purchase · whole_over_gpu + watts · $ per kWh · hours · utilisation
RentOrBuy rentOrBuy(const Plan& plan, const BudgetFacts& asked);

/// Nodes that fail and are repaired at random: so many are in repair at a time (Poisson), and so
/// many spares are enough nearly always. Nothing where nothing fails, or no site says how often.
std::optional<Spares> sparesOf(std::int64_t gpus, const BudgetFacts& facts);

}  // namespace fabricast
