#pragma once
#include "planner/base/result.h"
#include "planner/spec/model_spec.h"

#include <string>

namespace fabricast {

/// A module that adds the flavor of this model's name to llama3 of torchtitan 0.2.2, which imports
/// it by `experimental.custom_import`: for sizes of Llama that it has none of. An error where its
/// code would make another model.
Result<std::string> titanFlavorModule(const ModelSpec& model);

/// What the module is called, as its key names it.
inline constexpr const char* kTitanFlavorModule = "titan_model";

}  // namespace fabricast
