#pragma once
#include "planner/profiles/profile_store.h"
#include "planner/spec/sourced.h"

#include <span>
#include <string>

namespace fabricast {

/// A number that a profile is to have.
struct ProfileNumber {
    std::string path;  ///< "pcie.host_bandwidth"
    Sourced<BytesPerSecond> number;
};

/// The text of a profile with these numbers in place of those that it had; all else is as before,
/// except for comments and formatting.
Result<std::string> withNumbers(const ProfileFile& file, std::span<const ProfileNumber> numbers);

}  // namespace fabricast
