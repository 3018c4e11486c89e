#pragma once
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/io/profile_store.h"
#include "planner/spec/scenario.h"

#include <string>
#include <vector>

namespace fabricast {

/// A scenario with its names looked up and its gaps filled, and what was assumed for them.
struct LoadedScenario {
    Scenario scenario;
    std::vector<std::string> assumed;
};

/// Where the paths of model files start: those in the scenario's file, and those that were typed.
struct Folders {
    std::string file;
    std::string typed;
};

/// This is the first hop: what somebody said becomes the one input of every question. Defaults come
/// from the stack, what the scenario says goes over them, and the stack's rules are checked.
///     FABRICAST_ASSIGN(const JsonValue root, parseJson(text, "run.json"));
///     FABRICAST_ASSIGN(const LoadedScenario loaded, loadScenario(root, profiles, {}));
Result<LoadedScenario> loadScenario(const JsonValue& root,
                                    const ProfileStore& profiles,
                                    const Folders& folders);

/// The error with the file:line:column of the key it names: "layout.tp" is where that key stands.
Error located(Error error, const JsonValue& root);

}  // namespace fabricast
