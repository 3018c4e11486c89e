#pragma once
#include "planner/profiles/profile_store.h"
#include "planner/spec/cluster_spec.h"

#include <cstddef>
#include <string>
#include <string_view>
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
/// aliases with each other, memory sizes, a node's links with its GPU's, sources with their table,
/// the user's own measurements of one machine. `today` is the latest day that a profile of the user
/// may be of; empty: any.
ProfileVerification verifyProfiles(const ProfileStore& store, std::string_view today = {});

/// The user's own measurements that say of one machine what is more than a factor of two apart.
std::vector<ProfileFinding> contradictingMeasurements(const ProfileStore& store);

/// Reads every profile of the user's folders with all it names, whether anything asks for it or
/// not; the first that cannot be read, or is of a day after `today`, is the error.
Result<void> checkOwnProfiles(const ProfileStore& store, std::string_view today = {});

// What in a profile contradicts something else in it or in what it names; each a sentence. None of
// it stops a profile from being read: sources do contradict each other.

std::vector<std::string> contradictionsOf(const GpuSpec& gpu);
std::vector<std::string> contradictionsOf(const NodeSpec& node, const ProfileStore& store);
std::vector<std::string> contradictionsOf(const FabricSpec& fabric);
std::vector<std::string> contradictionsOf(const ClusterSpec& cluster);
/// The first time that no machine, or none with this one's GPUs, takes (possible_collective.h).
std::vector<std::string> contradictionsOf(const MeasuredCollectives& measured);

}  // namespace fabricast
