#pragma once
#include "planner/spec/model_spec.h"

namespace fabricast {

/// The share of each head that its position rotates: half of GLM's, a quarter of GPT-NeoX's, all of
/// most (partial_rotary_factor of transformers' configuration classes).
double rotatedShare(const ModelSpec& model);

}  // namespace fabricast
