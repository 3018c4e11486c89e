#pragma once
#include "gui/pages/key_control.h"
#include "planner/profiles/profile_store.h"
#include "planner/result/plan_report.h"

#include <map>
#include <string>
#include <vector>

namespace fabricast {

/// A group of controls under one title.
struct ControlGroup {
    QString title;
    std::vector<KeyControl*> controls;
};

/// All controls of a scenario, each for one key of the question; their parent takes them.
std::vector<ControlGroup> scenarioControls(const ProfileStore& profiles);

/// What the forecast takes for the keys that a question leaves open: of this plan, or of the
/// question as it was filled in.
std::map<std::string, std::string> automaticValues(const PlanReport& report, const Plan* plan);

}  // namespace fabricast
