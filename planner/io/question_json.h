#pragma once
#include "planner/io/json_text.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// "scenario": what a search was asked, with stack and layout open.
void writeQuestion(JsonText& json, const Scenario& question);

}  // namespace fabricast
