#pragma once
#include "planner/base/result.h"
#include "planner/evidence/host_profile.h"
#include "planner/text/json_document.h"

namespace fabricast {

/// A file of hardware_profiles/hosts.
Result<HostProfile> readHostProfile(const JsonValue& root);

}  // namespace fabricast
