#pragma once
#include "cli/global_options.h"
#include "planner/base/result.h"
#include "planner/io/profile_store.h"

namespace fabricast {

/// The built-in profiles, under those of every --profile-dir.
Result<ProfileStore> openProfiles(const GlobalOptions& options);

}  // namespace fabricast
