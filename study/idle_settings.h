#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "study/question.h"
#include "study/workbench.h"

#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// The settings which a question states otherwise than its stack has them, and without which no
/// number of any of these forecasts would be another: the stacks have no such thing, or use it
/// nowhere in this run. Empty where there are none.
///     "settings.kernels.router_dtype=fp32"
/// What a framework's file says has the place of its key, which has an effect where anything that
/// follows from it has one: "settings.kernels.compile=true (run.yaml:9:1)"
/// Each is taken out alone, and the scenario forecast again. A switch that the stack refuses to
/// turn is named too: it was left as it is, not as it was stated.
Result<std::string> idleSettings(std::span<const Question> questions,
                                 const Workbench& bench,
                                 const Watch& watch);

/// Of what makes an hour of GPUs that are bought, where they are rented; or nothing.
Result<std::vector<std::string>> idlePricesNote(const Question& question, const Workbench& bench);

/// "no effect here: settings.kernels.router_dtype=fp32"
std::string idleNote(const std::string& names);
/// Of what `idleSettings` finds, or nothing.
Result<std::vector<std::string>> idleSettingsNote(std::span<const Question> questions,
                                                  const Workbench& bench,
                                                  const Watch& watch);

}  // namespace fabricast
