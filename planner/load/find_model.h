#pragma once
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/io/model_file.h"
#include "planner/io/profile_store.h"

#include <string>

namespace fabricast {

/// A model as people name it: a built-in name, a config.json, or a folder that holds one. What has
/// a '/' or ends in ".json" is a path. `where` is what an error about the name points at.
///     FABRICAST_ASSIGN(const ModelProfile model, findModel("llama-3.1-8b", "-m", profiles));
Result<ModelProfile> findModel(const std::string& nameOrPath,
                               const std::string& where,
                               const ProfileStore& profiles);

/// Whether a name is a path: such names are seen from the folder of whoever said them.
bool isModelPath(const std::string& nameOrPath);

}  // namespace fabricast
