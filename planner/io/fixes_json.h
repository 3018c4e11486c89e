#pragma once
#include "planner/io/json_text.h"
#include "planner/result/plan_fix.h"

namespace fabricast {

/// The members "targets" and "fixes" of a plan.
///     .targets[].{metric,wanted,reached,met}
///     .fixes[].{group,change,reaches,side_effect,step_s,tokens_per_s,mfu,peak_bytes,gpus,layout}
void writeFixes(JsonText& json, const PlanFixes& fixes);

}  // namespace fabricast
