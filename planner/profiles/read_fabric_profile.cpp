#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_profile.h"
#include "planner/profiles/sourced_json.h"

#include <array>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 21> kFabricKeys = {"schema",
                                                          "name",
                                                          "aliases",
                                                          "title",
                                                          "extends",
                                                          "kind",
                                                          "topology",
                                                          "per",
                                                          "in_network_reduction",
                                                          "link_bandwidth",
                                                          "achieved_bandwidth",
                                                          "pair_bandwidth",
                                                          "ring_bus_bandwidth",
                                                          "in_switch_bus_bandwidth",
                                                          "all_reduce_gain",
                                                          "efficiency",
                                                          "latency",
                                                          "nodes_per_leaf",
                                                          "full_bisection_gpus",
                                                          "oversubscription",
                                                          "notes"};
constexpr std::array<std::string_view, 13> kKinds = {"infiniband",
                                                     "roce",
                                                     "tcp",
                                                     "efa",
                                                     "gpudirect-tcpx",
                                                     "omni-path",
                                                     "slingshot",
                                                     "wan",
                                                     "nvlink",
                                                     "nvls",
                                                     "xgmi",
                                                     "pcie",
                                                     "c2c"};
constexpr std::array<std::string_view, 2> kOwners = {"nic", "node"};

/// Replaces the base's number if the file has one.
template <class T>
Result<void> replaceNumber(const JsonValue& root, std::string_view key, Sourced<T>& number) {
    const JsonValue* value = root.find(key);
    if (value == nullptr) {
        return {};
    }
    FABRICAST_ASSIGN(number, readSourced<T>(*value));
    return {};
}

Result<void> readKind(const JsonValue& root, FabricSpec& fabric) {
    if (fabric.kind.empty()) {
        FABRICAST_ASSIGN(const JsonValue* const kind, root.require("kind"));
        FABRICAST_ASSIGN(fabric.kind, readWord(*kind, kKinds));
    } else {
        FABRICAST_ASSIGN(fabric.kind, readWordOr(root, "kind", fabric.kind, kKinds));
    }
    FABRICAST_ASSIGN(fabric.topology, readWordOr(root, "topology", fabric.topology, kTopologies));
    FABRICAST_ASSIGN(const std::string owner,
                     readWordOr(root, "per", fabric.perNode ? "node" : "nic", kOwners));
    fabric.perNode = owner == "node";
    FABRICAST_ASSIGN(fabric.inNetworkReduction,
                     root.booleanOr("in_network_reduction", fabric.inNetworkReduction));
    return {};
}

Result<void> readRates(const JsonValue& root, FabricSpec& fabric) {
    FABRICAST_TRY(replaceNumber(root, "link_bandwidth", fabric.linkBandwidth));
    FABRICAST_TRY(replaceNumber(root, "achieved_bandwidth", fabric.achievedBandwidth));
    FABRICAST_TRY(replaceNumber(root, "pair_bandwidth", fabric.pairBandwidth));
    FABRICAST_TRY(replaceNumber(root, "ring_bus_bandwidth", fabric.ringBusBandwidth));
    FABRICAST_TRY(replaceNumber(root, "in_switch_bus_bandwidth", fabric.inSwitchBusBandwidth));
    FABRICAST_TRY(replaceNumber(root, "all_reduce_gain", fabric.allReduceGain));
    FABRICAST_TRY(replaceNumber(root, "efficiency", fabric.efficiency));
    FABRICAST_TRY(replaceNumber(root, "latency", fabric.latency));
    return {};
}

Result<void> readTree(const JsonValue& root, FabricSpec& fabric) {
    FABRICAST_TRY(replaceNumber(root, "nodes_per_leaf", fabric.nodesPerLeaf));
    FABRICAST_TRY(replaceNumber(root, "full_bisection_gpus", fabric.fullBisectionGpus));
    FABRICAST_TRY(replaceNumber(root, "oversubscription", fabric.oversubscription));
    if (fabric.oversubscription.value.value_or(1) < 1) {
        return tl::unexpected(
            root.find("oversubscription")
                ->problem("must be the ratio of down-links to up-links, 1 or more",
                          "write 2 for a tree tapered 2:1"));
    }
    return {};
}

}  // namespace

Result<std::optional<ProfileReference>> readExtends(const JsonValue& root) {
    return readReferenceOr(root, "extends");
}

Result<FabricSpec> readFabricProfile(const JsonValue& root, FabricSpec base) {
    FABRICAST_TRY(root.onlyKeys(kFabricKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "fabric"));
    base.name = header.name;
    base.title = header.title;
    FABRICAST_TRY(readKind(root, base));
    FABRICAST_TRY(readRates(root, base));
    FABRICAST_TRY(readTree(root, base));
    FABRICAST_ASSIGN(base.notes, root.textOr("notes", base.notes));
    return base;
}

}  // namespace fabricast
