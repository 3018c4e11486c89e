#include "planner/launch/import_settings.h"

#include <string>

namespace fabricast {

Result<void> importSaving(ScenarioDraft& draft, std::string_view steps, bool background) {
    constexpr double kMostSteps = 999'999'999.0;  // as a scenario has them
    FABRICAST_ASSIGN(const auto count, draft.keys().number(steps));
    const bool counts = count && *count >= 1.0 && *count <= kMostSteps;
    if (!counts) {
        return {};  // a share of the run, or never
    }
    FABRICAST_ASSIGN(const auto whole, draft.keys().whole(steps));
    draft.set("operation.checkpoint", background ? "async" : "sync", steps);
    draft.set("operation.checkpoint_interval", std::to_string(*whole) + " steps", steps);
    return {};
}

namespace {

/// What was read before: DeepSpeed's file has a writer beside the training.
bool savesInBackground(const JsonValue& scenario) {
    const JsonValue* const operation = scenario.find("operation");
    const JsonValue* const how = operation == nullptr ? nullptr : operation->find("checkpoint");
    return how != nullptr && how->text() == "async";
}

}  // namespace

Result<void> importTrainerSaving(ScenarioDraft& draft, std::string_view before) {
    const std::string dashes(before);
    const std::string strategy = draft.keys().text(dashes + "save_strategy").value_or("steps");
    const bool background = savesInBackground(draft.scenario());
    return strategy == "steps" ? importSaving(draft, dashes + "save_steps", background)
                               : Result<void>();
}

}  // namespace fabricast
