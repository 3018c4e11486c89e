#pragma once
#include "planner/text/json_document.h"

namespace fabricast {

/// Whether rotary embedding's cos and sin are multiplied by a factor that is not 1: YaRN's
/// attention_factor, or what it makes of its factor, as `rope_parameters` or `rope_scaling` say.
/// `absent`: what neither of them means.
bool scalesRotary(const JsonValue& config, bool absent);

}  // namespace fabricast
