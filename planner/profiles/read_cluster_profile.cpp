#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_profile.h"
#include "planner/profiles/sourced_json.h"

#include <array>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 11> kClusterKeys = {"schema",
                                                           "name",
                                                           "aliases",
                                                           "title",
                                                           "node",
                                                           "nodes",
                                                           "fabric",
                                                           "topology",
                                                           "oversubscription",
                                                           "sold",
                                                           "notes"};

}  // namespace

Result<ClusterProfile> readClusterProfile(const JsonValue& root) {
    FABRICAST_TRY(root.onlyKeys(kClusterKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "cluster"));
    ClusterProfile profile;
    profile.name = header.name;
    profile.title = header.title;
    FABRICAST_ASSIGN(const JsonValue* const node, root.require("node"));
    FABRICAST_ASSIGN(profile.node, readReference(*node));
    FABRICAST_ASSIGN(profile.nodes, root.integerOr("nodes", 1, {1, kMostNodes}));
    FABRICAST_ASSIGN(profile.fabric, readReferenceOr(root, "fabric"));
    FABRICAST_TRY(root.booleanOr("sold", true));
    if (const JsonValue* topology = root.find("topology")) {
        FABRICAST_ASSIGN(profile.topology, readWord(*topology, kTopologies));
    }
    FABRICAST_ASSIGN(profile.oversubscription, readSourcedOr<double>(root, "oversubscription"));
    if (profile.oversubscription.value.value_or(1) < 1) {
        return tl::unexpected(
            root.find("oversubscription")
                ->problem("must be the ratio of down-links to up-links, 1 or more",
                          "write 2 for a tree tapered 2:1"));
    }
    FABRICAST_ASSIGN(profile.notes, root.textOr("notes", ""));
    return profile;
}

}  // namespace fabricast
