#pragma once
#include "planner/base/result.h"
#include "planner/spec/cluster_spec.h"
#include "planner/text/json_document.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// This reads the files of hardware_profiles, strictly: an unknown key, a unit that is missing or
/// of another kind, a number without a source are errors with file:line:column. A profile names
/// others (a node its GPU); ProfileStore joins them (profile_store.h).
struct ProfileHeader {
    std::string name;
    std::string title;
    std::vector<std::string> aliases;
    int version = 1;  ///< of the schema
};

/// The name of another profile, and where it was given.
struct ProfileReference {
    std::string name;
    std::string where;
};

struct NodeProfile {
    NodeSpec node;  ///< without its GPU
    ProfileReference gpu;
    std::vector<ProfileReference> fabrics;  ///< every fabric the file names
};

struct FabricProfile {
    FabricSpec fabric;
    std::optional<ProfileReference> extends;
};

struct ClusterProfile {
    std::string name;
    std::string title;
    std::string notes;
    ProfileReference node;
    std::optional<ProfileReference> fabric;
    std::optional<std::string> topology;
    Sourced<double> oversubscription;
    std::int64_t nodes = 1;
};

/// Lower case, digits and hyphens: what a name is everywhere, on any file system.
bool isProfileName(std::string_view name);

/// "schema", "name", "title" and "aliases"; `kind` is "gpu", "node", "fabric" or "cluster". The
/// name must be that of the file, without its ending.
/// Of a file of this kind, in any version of its schema up to the newest.
Result<ProfileHeader> readHeader(const JsonValue& root, std::string_view kind, int newest = 1);

Result<GpuSpec> readGpuProfile(const JsonValue& root);
Result<NodeProfile> readNodeProfile(const JsonValue& root);
/// `base` is what the file extends, or an empty FabricSpec.
Result<FabricSpec> readFabricProfile(const JsonValue& root, FabricSpec base);
Result<std::optional<ProfileReference>> readExtends(const JsonValue& root);
Result<ClusterProfile> readClusterProfile(const JsonValue& root);

/// The GPUs one box may hold, and the boxes one cluster may: beyond them is a mistake in typing.
inline constexpr std::int64_t kMostGpusPerNode = 4096;
inline constexpr std::int64_t kMostNodes = 1'000'000;

/// A data sheet's GB may be GiB: 80 GB of an A100 are 80 GiB.
inline constexpr double kBinaryOverDecimal = 1.0738;

}  // namespace fabricast
