#pragma once
#include "planner/result/comparison.h"
#include "planner/spec/scenario.h"

#include <string>
#include <vector>

namespace fabricast {

/// One key of a question and its value, as they are typed: "layout.tp" and "8".
struct ScenarioInput {
    std::string key;
    std::string value;
};

/// The complete scenario, filled in: model, cluster, workload, layout and settings,
/// always in the same order with the same keys.
std::vector<ScenarioInput> scenarioInputs(const Scenario& scenario);

/// The keys whose values are not the same on all sides.
std::vector<InputDifference> inputDifferences(const std::vector<ComparedSide>& sides);

}  // namespace fabricast
