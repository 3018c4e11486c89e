#pragma once
#include "planner/result/plan_fix.h"
#include "planner/text/json_text.h"

namespace fabricast {

/// The members "targets" and "fixes" of a plan.
///     .targets[].{metric,wanted,reached,met}
///     .fixes[].{group,change,typed,reaches,side_effect,step_s,tokens_per_s,mfu,peak_bytes,gpus,layout}
void writeFixes(JsonText& json, const PlanFixes& fixes);

}  // namespace fabricast
