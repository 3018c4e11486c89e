#include "study/typed_plan.h"

#include "planner/report/plan_text.h"
#include "study/recipes.h"

#include <string>
#include <utility>
#include <vector>

namespace fabricast {

std::string typedLayout(const Scenario& scenario) {
    return planLayoutText(scenario);
}

std::string typedPlan(const Plan& plan) {
    return plan.scenario.stack + " " + planLayoutText(plan.scenario);
}

Result<Question> questionAbout(const Question& search,
                               const Scenario& asked,
                               const Scenario& plan) {
    Question about = search;
    std::erase_if(about.edits, [](const Edit& edit) {
        return edit.path.starts_with("search.") || edit.path.starts_with("layout.");
    });
    FABRICAST_ASSIGN(std::vector<Edit> edits, layoutEdits(planLayoutText(plan), "--layout"));
    edits.push_back({"stack", plan.stack, "--stack"});
    // A batch that was not stated follows from the GPUs in a search, from the layout without one.
    const std::vector<Edit> batch = heldSamples(search, plan.workload.globalBatch);
    edits.insert(edits.end(), batch.begin(), batch.end());
    if (plan.cluster.gpus() != asked.cluster.gpus()) {  // some of them idle
        edits.push_back({"cluster.gpus", std::to_string(plan.cluster.gpus()), "--gpus"});
    }
    FABRICAST_ASSIGN(const bool tuned, isTuned(search));
    if (tuned) {
        const std::vector<Edit> recipe = recipeEdits(search, plan.stack, plan);
        edits.insert(edits.end(), recipe.begin(), recipe.end());
    }
    return with(std::move(about), edits);
}

}  // namespace fabricast
