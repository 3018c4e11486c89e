#pragma once
#include "planner/base/result.h"
#include "planner/spec/edit.h"
#include "planner/text/json_document.h"

namespace fabricast {

/// Refuses an edit of the model that nothing would read: of a model that is named, whose shape is
/// that of its profile or file, and of a key that no config.json has.
///     checkModelEdit(root, {"model.layers", "16", "--set"})
///         →  --set model.layers: … try: did you mean "num_hidden_layers"?
Result<void> checkModelEdit(const JsonValue& root, const Edit& edit);

}  // namespace fabricast
