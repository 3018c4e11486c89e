#include "planner/launch/import_saving.h"

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

Result<void> importTrainerSaving(ScenarioDraft& draft, std::string_view before) {
    const std::string dashes(before);
    const std::string strategy = draft.keys().text(dashes + "save_strategy").value_or("steps");
    return strategy == "steps" ? importSaving(draft, dashes + "save_steps", false) : Result<void>();
}

}  // namespace fabricast
