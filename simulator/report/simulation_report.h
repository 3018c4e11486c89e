#pragma once
#include "planner/report/report.h"
#include "planner/text/json_text.h"
#include "simulator/report/simulation.h"

#include <string>
#include <string_view>

namespace fabricast {

/// The member "run" of a simulation:
///     .run.goodput.{mean,sd,standard_error,p5,p50,p95}   .run.wall_s.mean   .run.time_s.lost
///     .run.closed_form.{goodput,wall_s,standard_errors_off}
void writeRun(JsonText& json, const RunAnswer& run);

/// The duration of the runs and their goodput, compared with the closed form, and where the time
/// went.
Report runReport(const RunAnswer& run);

/// "fabricast.simulation/1"; "run" is there where runs were asked for. `wallSeconds` is what
/// answering took.
std::string simulationJson(const Simulation& simulation,
                           double wallSeconds,
                           std::string_view version);

/// A screen: the step compared with its forecast, what its critical path is made of, and what the
/// stages are busy with.
Report simulationReport(const Simulation& simulation);

}  // namespace fabricast
