#pragma once
#include "planner/report/report.h"
#include "planner/report/subject_text.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// The communication of a step for people: a row per kind of call, what adds most first.
///     COMMUNICATION  2.310 s, of which 0.840 s exposed: 9.0 % of the step
/// Of more than 20 rows the last are summed unless `everyRow`.
Report commReport(const Scenario& scenario,
                  const StepEstimate& step,
                  bool everyRow,
                  Subject subject = Subject::Said);
std::string commMarkdown(const Scenario& scenario, const StepEstimate& step);
/// Every row, in bytes and seconds, with the keys that JSON has.
std::string commCsv(const Scenario& scenario, const StepEstimate& step);

}  // namespace fabricast
