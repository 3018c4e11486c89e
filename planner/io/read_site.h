#pragma once
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/spec/site_profile.h"

namespace fabricast {

/// A file of hardware_profiles/sites, or one that somebody names with --site. `base` is what the
/// file extends, or an empty SiteProfile.
Result<SiteProfile> readSite(const JsonValue& root, SiteProfile base);

}  // namespace fabricast
