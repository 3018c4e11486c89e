#pragma once
#include "planner/base/result.h"
#include "planner/budget/budget_facts.h"
#include "planner/load/load_scenario.h"
#include "planner/profiles/profile_store.h"
#include "planner/text/json_document.h"

namespace fabricast {

/// The scenario's data about money and failures, with the default prices and site
/// for what is missing. A name with a "/" or ".json" is a file.
///     FABRICAST_ASSIGN(const BudgetFacts facts, loadBudget(root, profiles, folders));
Result<BudgetFacts> loadBudget(const JsonValue& root,
                               const ProfileStore& profiles,
                               const Folders& folders);

}  // namespace fabricast
