#pragma once
#include "planner/base/result.h"
#include "planner/spec/model_spec.h"
#include "planner/text/json_document.h"

#include <string>
#include <vector>

namespace fabricast {

/// Keys of a config.json that change no shape, but that transformers would not build a model with:
/// an activation that there is not, a rope_theta of 0.
Result<void> checkUnshaping(const JsonValue& config);

/// What of a config.json the model leaves out or takes by default: a quantised checkpoint, experts
/// of a family that has none, a hidden size that is not given.
std::vector<std::string> leftOutOf(const JsonValue& config, const ModelSpec& model);

}  // namespace fabricast
