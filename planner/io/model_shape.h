#pragma once
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/spec/model_spec.h"

namespace fabricast {

/// A ModelSpec said directly, for models that no config.json describes: the "shape" of a
/// "fabricast.model/1" file. Unknown keys are errors.
///     {"layers": 96, "hidden": 12288, "vocab": 51200, "attention": {"heads": 96},
///      "mlp": {"kind": "plain", "width": 49152}}
Result<ModelSpec> readModelShape(const JsonValue& shape);

// The three parts of it, in files of their own.
Result<AttentionSpec> readAttentionShape(const JsonValue& attention, std::int64_t hidden);
Result<MoeSpec> readMoeShape(const JsonValue& moe);
Result<std::vector<bool>> readSparseLayers(const JsonValue& moe, std::int64_t layers);

}  // namespace fabricast
