#pragma once
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One line of a profile as in its file.
struct ProfileFact {
    std::string key;     ///< "pcie.bandwidth"
    std::string value;   ///< "63 GB/s", "8", "yes"; empty: not published
    std::string range;   ///< "52 GB/s to 56.5 GB/s", "up to 16 GB"; empty where sources agree
    std::string source;  ///< "measured", ...; empty where the value is a name or our own count
    std::string from;    ///< an id of the sources
    std::string note;
    /// The value in the base unit, and that unit as a JSON key has it ("bytes_per_second"); empty
    /// if the value is not a quantity.
    std::optional<double> number{};
    std::string unit{};
};

/// A profile with everything in it, for people to read.
struct ProfileSheet {
    ProfileKind kind = ProfileKind::Gpu;
    std::string name;
    std::string title;
    std::string file;
    std::vector<std::string> aliases;
    std::vector<ProfileFact> facts;
};

/// The sheet of one profile alone.
Result<ProfileSheet> profileSheet(const ProfileFile& file);

/// The sheet of a profile and of all it names, each once: a cluster, its node, GPU and fabrics.
/// Without a kind, the first that has the name: cluster, node, gpu, fabric, model.
///     FABRICAST_ASSIGN(const auto sheets, profileSheets(store, "dgx-h100"));
Result<std::vector<ProfileSheet>> profileSheets(const ProfileStore& store,
                                                std::string_view name,
                                                std::optional<ProfileKind> kind = {});

}  // namespace fabricast
