#pragma once
#include "planner/base/result.h"
#include "planner/spec/edit.h"
#include "planner/text/json_document.h"

#include <string>
#include <vector>

namespace fabricast {

/// The key itself, that of the flag which is called so, or of the layout: "seq" is
/// workload.sequence, "tp" is layout.tp.
std::string keyCalled(const std::string& typed);

/// Several changes in one text, as keys with values or as flags, as suggestions type them.
///     typedEdits("layout.tp=4 precision=fp8", "--with")
///     typedEdits("--stack megatron --layout tp=4,pp=2", "--with")
Result<std::vector<Edit>> typedEdits(const std::string& typed, const std::string& origin);

/// Refuses an edit of the model that nothing would read: of a model that is named, whose shape is
/// that of its profile or file, and of a key that no config.json has.
///     checkModelEdit(root, {"model.layers", "16", "--set"})
///         →  --set model.layers: … try: did you mean "num_hidden_layers"?
Result<void> checkModelEdit(const JsonValue& root, const Edit& edit);

}  // namespace fabricast
