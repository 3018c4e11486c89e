#pragma once
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/spec/software_timing.h"

namespace fabricast {

/// A file of hardware_profiles/software.
Result<SoftwareTiming> readSoftware(const JsonValue& root);

}  // namespace fabricast
