#include "study/typed_plan.h"

#include "planner/report/plan_views.h"
#include "planner/spec/layout_fields.h"
#include "study/recipes.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// What layouts of any stack are told apart by.
constexpr std::array<std::string_view, 8> kSearchedKeys = {
    "tp", "pp", "vpp", "cp", "ep", "shard", "micro_batch", "offload"};

}  // namespace

std::string typedLayout(const Scenario& scenario) {
    return planLayoutText(scenario);
}

std::string typedPlan(const Plan& plan) {
    return plan.scenario.stack + " " + planLayoutText(plan.scenario);
}

Result<std::vector<Edit>> heldLayoutEdits(const Scenario& scenario) {
    FABRICAST_ASSIGN(std::vector<Edit> edits, layoutEdits(typedLayout(scenario), "--fix"));
    const PartialLayout whole{
        .layout = scenario.layout, .said = {}, .recompute = scenario.settings.recompute};
    for (const std::string_view key : kSearchedKeys) {
        const std::string path = "layout." + std::string(key);
        if (std::ranges::find(edits, path, &Edit::path) == edits.end()) {
            edits.push_back({path, whole.text(key), "--fix"});
        }
    }
    return edits;
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
