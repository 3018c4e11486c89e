#pragma once
#include "planner/spec/scenario.h"
#include "planner/text/json_text.h"

namespace fabricast {

/// "scenario": what a search was asked, with stack and layout open.
void writeQuestion(JsonText& json, const Scenario& question);

}  // namespace fabricast
