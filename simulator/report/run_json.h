#pragma once
#include "planner/text/json_text.h"
#include "simulator/report/simulation.h"

namespace fabricast {

/// The member "run" of a simulation:
///     .run.goodput.{mean,sd,standard_error,p5,p50,p95}   .run.wall_s.mean   .run.time_s.lost
///     .run.closed_form.{goodput,wall_s,standard_errors_off}
void writeRun(JsonText& json, const RunAnswer& run);

}  // namespace fabricast
