#pragma once
#include "planner/profiles/profile_list.h"
#include "planner/profiles/profile_sheet.h"
#include "planner/profiles/verify_profiles.h"
#include "planner/report/format.h"

#include <map>
#include <string>
#include <vector>

namespace fabricast {

// What `fabricast profiles` prints, in each format.

std::string listText(const std::vector<ProfileRow>& rows, Format format);
/// `sources` gives the ids that the sheets mention their titles.
std::string sheetsText(const std::vector<ProfileSheet>& sheets,
                       const std::map<std::string, ProfileSource>& sources,
                       Format format);
/// With `everything`, every number that nobody has said is named.
std::string verificationText(const ProfileVerification& result, bool everything, Format format);

}  // namespace fabricast
