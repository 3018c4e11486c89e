#pragma once
#include "planner/base/result.h"
#include "planner/evidence/nccl_model.h"
#include "planner/text/json_document.h"

namespace fabricast {

/// A file of hardware_profiles/collectives that describes a library: "library" and its tables.
///     FABRICAST_ASSIGN(const NcclModel model, readNcclModel(root));
Result<NcclModel> readNcclModel(const JsonValue& root);

}  // namespace fabricast
