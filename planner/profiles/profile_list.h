#pragma once
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// One profile in a listing.
struct ProfileRow {
    ProfileKind kind = ProfileKind::Gpu;
    std::string name;
    std::string title;
    std::string summary;  ///< the few numbers one compares: "80 GB, 3.35 TB/s, bf16 989 TFLOP/s"
    bool builtIn = true;
};

/// All profiles, or those of one kind, sorted by kind and name.
Result<std::vector<ProfileRow>> listProfiles(const ProfileStore& store,
                                             std::optional<ProfileKind> kind = {});

}  // namespace fabricast
