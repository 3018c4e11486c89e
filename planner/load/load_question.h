#pragma once
#include "planner/base/result.h"
#include "planner/budget/budget_facts.h"
#include "planner/estimate/estimate_step.h"
#include "planner/load/input_text.h"
#include "planner/profiles/profile_store.h"
#include "planner/spec/layout_fields.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack.h"
#include "planner/text/json_document.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A scenario with its names looked up and its gaps filled, and what was assumed for them.
struct LoadedScenario {
    Scenario scenario;
    std::vector<std::string> assumed;
    std::vector<std::string> measured;  ///< what corrects its machine, and whose kernels it has
};

/// The first step: what the user typed becomes the one input of every question. Defaults come
/// from the stack, the scenario overrides them, and the stack's rules are checked.
///     FABRICAST_ASSIGN(const JsonValue root, parseJson(text, "run.json"));
///     FABRICAST_ASSIGN(const LoadedScenario loaded, loadScenario(root, profiles, {}));
Result<LoadedScenario> loadScenario(const JsonValue& root,
                                    const ProfileStore& profiles,
                                    const Folders& folders);

/// The error with the file:line:column of the key it names: "layout.tp" is the position of that
/// key.
Error located(Error error, const JsonValue& root);

/// The scenario's data about money and failures, with the default prices and site
/// for what is missing. A name with a "/" or ".json" is a file.
///     FABRICAST_ASSIGN(const BudgetFacts facts, loadBudget(root, profiles, folders));
Result<BudgetFacts> loadBudget(const JsonValue& root,
                               const ProfileStore& profiles,
                               const Folders& folders);

/// A scenario whose stack and layout are open: what a search starts from.
struct LoadedSearch {
    Scenario base;  ///< model, cluster and workload
    PartialLayout fixed;
    std::vector<StackSettings> stacks;
    std::vector<std::string> assumed;
};

/// The stacks that are searched where none is named.
std::span<const std::string_view> usualStacks();
/// The same where adapters are trained.
std::span<const std::string_view> adapterStacks();

/// The scenario may fix any keys of a layout. `stacks` are names; where there are
/// none the scenario's own, else those that most people choose among.
Result<LoadedSearch> loadSearch(const JsonValue& root,
                                const ProfileStore& profiles,
                                const Folders& folders,
                                const std::vector<std::string>& stacks);

/// The newest model of each collective library, with what was measured of it, and all software.
Result<TimingProfiles> loadTiming(const ProfileStore& profiles);

}  // namespace fabricast
