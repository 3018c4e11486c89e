#pragma once
#include "planner/estimate/estimate_step.h"
#include "planner/io/json_document.h"
#include "planner/io/profile_store.h"
#include "planner/load/load_scenario.h"
#include "planner/result/explanation.h"

#include <optional>

namespace fabricast {

/// What a scenario was read from, to read it again with one key changed.
struct ScenarioSource {
    const JsonValue& root;
    const ProfileStore& profiles;
    Folders folders;
};

/// Of the changes of one key that cost nothing (the same model, batch and GPUs) and that the stack
/// takes, the one with the shortest step that does not overfill the GPUs; nothing where none of the
/// three fastest does or none is faster by a fiftieth.
std::optional<FasterChange> fasterChange(const ScenarioSource& source,
                                         const TimingProfiles& timing,
                                         const Scenario& scenario,
                                         const StepEstimate& step);

}  // namespace fabricast
