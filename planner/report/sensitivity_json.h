#pragma once
#include "planner/result/sensitivity.h"
#include "planner/text/json_text.h"

namespace fabricast {

/// The member "sensitivity" of an answer.
///     .sensitivity.knobs[].{knob,elasticity}   .sensitivity.knobs[].twice.{step_s,verdict}
///     .sensitivity.knobs[].searched.{step_s,layout}, of plan
void writeSensitivity(JsonText& json, const Sensitivity& sensitivity);

}  // namespace fabricast
