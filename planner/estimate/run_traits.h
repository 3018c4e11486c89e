#pragma once
#include "planner/result/step_estimate.h"
#include "planner/spec/like_runs.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// What makes this run like another; `parts` are of its forecast step.
RunTraits traitsOf(const Scenario& scenario, const TimeByPart& parts);

/// What a machine's own runs stretch this step by: 1 without such runs.
double ownStretch(const Scenario& scenario, const TimeByPart& parts);

/// "own runs like it took 6 % longer than speeds say (ours)".
std::string stretchNote(double stretch, const std::string& correction);

/// Every time of the step that was summed up so far, this many times as long.
void stretchTimes(StepEstimate& step, double stretch);

}  // namespace fabricast
