#pragma once
#include "planner/base/result.h"

#include <string>
#include <string_view>

namespace fabricast {

/// Releases of Megatron-Core whose arguments are known, the newest first.
inline constexpr std::string_view kMegatronVersions = "0.19, 0.18, 0.17, 0.16, 0.15, 0.14";
inline constexpr std::string_view kNewestMegatron = "0.19";

/// "0.19" and "v0.19.0" as 19.
Result<int> megatronRelease(const std::string& version);

/// The first release that has an argument; all known ones have most.
int firstReleaseOf(std::string_view flag, std::string_view value);

}  // namespace fabricast
