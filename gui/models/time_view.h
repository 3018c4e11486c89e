#pragma once
#include "gui/charts/tornado.h"
#include "gui/charts/waterfall.h"
#include "planner/report/table.h"
#include "planner/result/comparison.h"
#include "planner/result/sensitivity.h"
#include "planner/result/step_estimate.h"

#include <string>
#include <vector>

namespace fabricast {

/// A row per part of the step, what takes longest first, with the key of its formula.
struct TimeParts {
    Table table;
    std::vector<std::string> why;
};
TimeParts timeParts(const StepEstimate& step);

/// What a step goes to, in one sentence: "54 % of the step is arithmetic, 21 % waiting for the
/// network; the largest loss is …".
std::string timeHeadline(const StepEstimate& step);

/// How A's step becomes B's, part by part.
WaterfallValues stepWaterfall(const Waterfall& fall, bool perTokens);

/// What twice as much of each thing does to the speed, with the layout held and with the best one.
TornadoValues speedTornado(const Sensitivity& sensitivity);
/// The same as rows, with the best layout under the change where it was searched.
Table sensitivityRows(const Sensitivity& sensitivity);

}  // namespace fabricast
