#pragma once
#include "planner/base/result.h"
#include "probes/fit/profile_text.h"

#include <string>
#include <string_view>

namespace fabricast {

/// Refuses what is in the place of a file of a measured profile and is no file that could be
/// replaced: a folder, a pipe, a device, a link to one of these or to nothing.
Result<void> checkProfilePlace(const std::string& path, const std::string& folder);

/// Refuses what checkOlderProfile would, whatever takes its place: that is no file, or is damaged.
Result<void> checkReadableProfile(const std::string& path, const std::string& folder);

/// Refuses to let a file of a measured profile take the place of one that is there and would be
/// lost: one that cannot be read, one of another title or kind, one of whose measurements the new
/// one has far fewer (lost_measurements.h), or a machine's own profile that says something else
/// than the new one of what was not measured. `measured` is the name of the measurement: a file of
/// that name was made by one. What is dated after `today` is not of a later day.
Result<void> checkOlderProfile(const ProfileText& file,
                               const std::string& folder,
                               const std::string& measured,
                               std::string_view today);

}  // namespace fabricast
