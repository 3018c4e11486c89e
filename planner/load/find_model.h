#pragma once
#include "planner/base/result.h"
#include "planner/load/input_text.h"
#include "planner/models/model_file.h"
#include "planner/profiles/profile_store.h"
#include "planner/text/json_document.h"

#include <string>

namespace fabricast {

/// A model as people name it: a built-in name, a config.json, or a folder that holds one. A plain
/// name is a built-in one before it is a folder; "org/name" is a folder first. Paths are seen from
/// `folder`; `where` is what an error about the name points at.
///     FABRICAST_ASSIGN(const ModelProfile model,
///                      findModel("llama-3.1-8b", profiles, {.folder = "", .where = "-m"}));
struct ModelPlace {
    std::string folder;
    std::string where;
    KnownTexts known{};
};
Result<ModelProfile> findModel(const std::string& nameOrPath,
                               const ProfileStore& profiles,
                               const ModelPlace& place);

}  // namespace fabricast
