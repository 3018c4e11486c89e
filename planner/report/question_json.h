#pragma once
#include "planner/spec/scenario.h"
#include "planner/text/json_document.h"
#include "planner/text/json_text.h"

namespace fabricast {

/// "scenario": what a search was asked, with stack and layout open.
void writeQuestion(JsonText& json, const Scenario& question);

/// "asked": the question as it was asked, with whole paths, so that the answer can be asked again.
/// Nothing where that is not known.
void writeAsked(JsonText& json, const JsonValue* asked);

}  // namespace fabricast
