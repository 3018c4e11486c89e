#pragma once
#include "planner/base/result.h"
#include "planner/spec/model_spec.h"
#include "planner/text/json_document.h"

#include <string>
#include <vector>

namespace fabricast {

/// Rotary positions turn the columns of a head in pairs: an odd number of them is an error.
Result<void> checkTurning(const JsonValue& config, const ModelSpec& model);

/// What of a config.json the model leaves out or takes by default: a quantised checkpoint, experts
/// of a family that has none, a hidden size that is not given.
std::vector<std::string> leftOutOf(const JsonValue& config, const ModelSpec& model);

/// Whether rotary embedding's cos and sin are multiplied by a factor that is not 1: YaRN's
/// attention_factor, or what it makes of its factor, as `rope_parameters` or `rope_scaling` say.
/// `absent`: what neither of them means.
bool scalesRotary(const JsonValue& config, bool absent);

}  // namespace fabricast
