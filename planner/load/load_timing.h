#pragma once
#include "planner/base/result.h"
#include "planner/estimate/estimate_step.h"
#include "planner/profiles/profile_store.h"

namespace fabricast {

/// The newest model of each collective library, with what was measured of it, and all software.
Result<TimingProfiles> loadTiming(const ProfileStore& profiles);

}  // namespace fabricast
