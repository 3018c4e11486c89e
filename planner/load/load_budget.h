#pragma once
#include "planner/base/result.h"
#include "planner/budget/budget_facts.h"
#include "planner/io/json_document.h"
#include "planner/io/profile_store.h"
#include "planner/load/load_scenario.h"

namespace fabricast {

/// What a scenario says about money and failures, with the usual prices and site where it says
/// nothing. A name with a "/" or ".json" is a file.
///     FABRICAST_ASSIGN(const BudgetFacts facts, loadBudget(root, profiles, folders));
Result<BudgetFacts> loadBudget(const JsonValue& root,
                               const ProfileStore& profiles,
                               const Folders& folders);

}  // namespace fabricast
