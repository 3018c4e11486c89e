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

}  // namespace fabricast
