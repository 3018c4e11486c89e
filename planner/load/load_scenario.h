#pragma once
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"
#include "planner/spec/scenario.h"
#include "planner/text/json_document.h"

#include <memory>
#include <string>
#include <vector>

namespace fabricast {

/// A scenario with its names looked up and its gaps filled, and what was assumed for them.
struct LoadedScenario {
    Scenario scenario;
    std::vector<std::string> assumed;
    std::vector<std::string> measured;  ///< the user's own measurements behind its step time
};

/// Where the paths of files that a scenario names start: those in the scenario's file, and those
/// that were typed.
struct Folders {
    std::string file;
    std::string typed;
    /// What "-" names, where it was read before.
    std::shared_ptr<const std::string> standardInput{};
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
