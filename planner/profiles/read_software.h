#pragma once
#include "planner/base/result.h"
#include "planner/evidence/software_timing.h"
#include "planner/text/json_document.h"

namespace fabricast {

/// A file of hardware_profiles/software.
Result<SoftwareTiming> readSoftware(const JsonValue& root);

}  // namespace fabricast
