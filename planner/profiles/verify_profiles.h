#pragma once
#include "planner/profiles/profile_store.h"

#include <cstddef>
#include <string>
#include <vector>

namespace fabricast {

/// A finding for the author of a profile.
struct ProfileFinding {
    enum class Severity { Error, Warning };

    Severity severity = Severity::Error;
    std::string where;
    std::string why;
    std::string hint;
};

/// The number of profiles, their problems, and the share of unpublished numbers.
struct ProfileVerification {
    struct Unknown {
        std::string file;
        std::vector<std::string> keys;  ///< whose value is null
    };

    std::array<std::size_t, kProfileKinds.size()> count{};  ///< by kind
    std::vector<ProfileFinding> findings;                   ///< in the order of kinds and names
    std::vector<Unknown> unknown;

    [[nodiscard]] bool sound() const;  ///< without an error
};

/// Reads every profile, follows every name in it, and compares what should agree: names and
/// aliases with each other, memory sizes, a node's links with its GPU's, sources with their table.
ProfileVerification verifyProfiles(const ProfileStore& store);

/// Reads every profile of the user's folders with all it names, whether anything asks for it or
/// not; the first that cannot be read is the error.
Result<void> checkOwnProfiles(const ProfileStore& store);

}  // namespace fabricast
