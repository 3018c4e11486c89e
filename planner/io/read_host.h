#pragma once
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/spec/host_profile.h"

namespace fabricast {

/// A file of hardware_profiles/hosts.
Result<HostProfile> readHostProfile(const JsonValue& root);

}  // namespace fabricast
