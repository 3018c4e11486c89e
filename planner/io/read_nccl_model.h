#pragma once
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/spec/nccl_model.h"

namespace fabricast {

/// A file of hardware_profiles/collectives that describes a library: "library" and its tables.
///     FABRICAST_ASSIGN(const NcclModel model, readNcclModel(root));
Result<NcclModel> readNcclModel(const JsonValue& root);

}  // namespace fabricast
