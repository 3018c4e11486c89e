#pragma once
#include "planner/base/result.h"
#include "planner/load/input_text.h"
#include "planner/profiles/profile_store.h"
#include "planner/spec/scenario.h"
#include "planner/text/json_document.h"

#include <string>
#include <vector>

namespace fabricast {

/// A scenario with its names looked up and its gaps filled, and what was assumed for them.
struct LoadedScenario {
    Scenario scenario;
    std::vector<std::string> assumed;
    std::vector<std::string> measured;  ///< the user's own measurements behind its step time
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

}  // namespace fabricast
