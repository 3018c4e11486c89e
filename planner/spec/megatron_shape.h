#pragma once
#include "planner/base/result.h"
#include "planner/spec/model_spec.h"

namespace fabricast {

/// Whether megatron-core's layer can be a model's: its memory and time are those of one norm before
/// attention and one before the MLP, one after the other.
Result<void> checkMegatronShape(const ModelSpec& model);

}  // namespace fabricast
