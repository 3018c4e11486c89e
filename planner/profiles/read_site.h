#pragma once
#include "planner/base/result.h"
#include "planner/evidence/site_profile.h"
#include "planner/text/json_document.h"

namespace fabricast {

/// A file of hardware_profiles/sites, or one given with --site. `base` is what the
/// file extends, or an empty SiteProfile.
Result<SiteProfile> readSite(const JsonValue& root, SiteProfile base);

}  // namespace fabricast
