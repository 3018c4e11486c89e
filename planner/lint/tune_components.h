#pragma once
#include "planner/lint/lint_rule.h"

namespace fabricast {

/// Arguments of a torchtune config's sections that what they name by _component_ does not take:
/// "model.lora_rnk".
LintHits unknownParameters(const LintView& view);

/// A _component_ that torchtune does not have, where all of its package are known.
LintHits unknownComponents(const LintView& view);

}  // namespace fabricast
