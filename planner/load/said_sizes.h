#pragma once
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"
#include "planner/request/scenario_json.h"
#include "planner/spec/model_spec.h"

#include <optional>
#include <vector>

namespace fabricast {

/// Refuses a model that is named beside a file that trains another one, at the first of the sizes
/// that differ:
///     pretrain.sh:19:5: the file trains 80 layers, and llama-3.1-8b has 32
Result<void> checkSaidSizes(const std::vector<ImportedSize>& said, const ModelSpec& model);

/// The known model that has all sizes of a file, whose arguments say them whole; nothing where it
/// leaves some out, and where none or several have them.
std::optional<ModelSpec> modelOfSizes(const std::vector<ImportedSize>& said,
                                      const ProfileStore& profiles);

}  // namespace fabricast
