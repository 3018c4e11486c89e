#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_records.h"
#include "planner/text/json_numbers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>

namespace fabricast {
namespace {

constexpr NumberRange kMicroseconds = {0.0, 1e6};
constexpr NumberRange kGigabytes = {0.0, 1e5};
constexpr NumberRange kNcclShare = {0.0, 10.0};
constexpr std::size_t kMostRows = 64;

constexpr std::array<std::string_view, 25> kNcclKeys = {"schema",
                                                        "name",
                                                        "aliases",
                                                        "title",
                                                        "library",
                                                        "version",
                                                        "base_latency_us",
                                                        "step_latency_us",
                                                        "ring_share",
                                                        "tree_protocol_share",
                                                        "tree_share",
                                                        "pat_share",
                                                        "ll_network_GBps",
                                                        "net_overhead_us",
                                                        "tree_correction",
                                                        "generations",
                                                        "networks",
                                                        "pair_latency_us",
                                                        "pair_ll_GBps",
                                                        "peer_latency_us",
                                                        "pci_peer_share",
                                                        "pci_host_share",
                                                        "most_channels",
                                                        "sources",
                                                        "notes"};
constexpr std::array<std::string_view, 3> kLibraries = {"nccl", "rccl", "mpi"};
constexpr std::array<std::string_view, 3> kLinks = {"nvlink", "pci", "network"};
constexpr std::array<std::string_view, 2> kReaches = {"node", "network"};
constexpr std::array<std::string_view, 2> kCpus = {"intel", "amd"};
constexpr std::array<std::string_view, 16> kGenerationKeys = {"name",
                                                              "architectures",
                                                              "link_GBps",
                                                              "ll_node_GBps",
                                                              "ring_ll128_GBps",
                                                              "tree_ll128_GBps",
                                                              "tree_GBps",
                                                              "nvls_tree_GBps",
                                                              "nvls_share",
                                                              "nvls_channels",
                                                              "speeds_GBps",
                                                              "long_ring_factor",
                                                              "ll128",
                                                              "pair_share",
                                                              "pair_spread",
                                                              "note"};
constexpr std::array<std::string_view, 5> kNetworkKeys = {
    "kind", "efficiency", "latency_us", "scale", "note"};
constexpr std::array<std::string_view, 2> kScaleKeys = {"nodes", "share"};
constexpr std::array<std::string_view, 4> kNcclSourceKeys = {"keys", "source", "from", "note"};

Seconds microseconds(double value) {
    return Seconds(value * 1e-6);
}
BytesPerSecond gigabytes(double value) {
    return BytesPerSecond(value * 1e9);
}

template <class Q, std::size_t N, class Unit>
std::array<Q, N> inUnit(const std::array<double, N>& numbers, Unit unit) {
    std::array<Q, N> result{};
    std::transform(numbers.begin(), numbers.end(), result.begin(), unit);
    return result;
}

/// A member object with exactly these keys.
Result<const JsonValue*> requireObject(const JsonValue& object,
                                       std::string_view key,
                                       std::span<const std::string_view> keys) {
    FABRICAST_ASSIGN(const JsonValue* const value, object.require(key));
    FABRICAST_TRY(value->onlyKeys(keys));
    return value;
}

using LatencyTable = NcclModel::ByAlgorithm<NcclModel::ByProtocol<Seconds>>;

Result<LatencyTable> readLatencies(const JsonValue& object) {
    FABRICAST_TRY(object.onlyKeys(std::span(kAlgorithmNames).first(kAlgorithms)));
    LatencyTable table{};
    for (std::size_t i = 0; i < kAlgorithms; ++i) {
        FABRICAST_ASSIGN(const auto row,
                         requireNumbers<kProtocols>(object, kAlgorithmNames[i], kMicroseconds));
        table[i] = inUnit<Seconds>(row, microseconds);
    }
    return table;
}

Result<void> readNcclShares(const JsonValue& root, NcclModel& model) {
    FABRICAST_ASSIGN(const JsonValue* const ring, requireObject(root, "ring_share", kReaches));
    FABRICAST_ASSIGN(const JsonValue* const tree,
                     requireObject(root, "tree_protocol_share", kReaches));
    for (std::size_t i = 0; i < kReaches.size(); ++i) {
        FABRICAST_ASSIGN(model.ringShare[i],
                         requireNumbers<kProtocols>(*ring, kReaches[i], kNcclShare));
        FABRICAST_ASSIGN(model.treeProtocolShare[i],
                         requireNumbers<kProtocols>(*tree, kReaches[i], kNcclShare));
    }
    FABRICAST_ASSIGN(model.treeShare, requireNumber(root, "tree_share", kNcclShare));
    FABRICAST_ASSIGN(model.patShare, requireNumber(root, "pat_share", kNcclShare));
    FABRICAST_ASSIGN(const JsonValue* const correction,
                     requireObject(root, "tree_correction", kProtocolNames));
    for (std::size_t i = 0; i < kProtocols; ++i) {
        FABRICAST_ASSIGN(const JsonValue* const row, correction->require(kProtocolNames[i]));
        FABRICAST_ASSIGN(model.treeCorrection[i], readNumberList(*row, {0.01, 10.0}, kMostRows));
    }
    return {};
}

Result<void> readCpus(const JsonValue& root, NcclModel& model) {
    FABRICAST_ASSIGN(const JsonValue* const ll, requireObject(root, "ll_network_GBps", kCpus));
    FABRICAST_ASSIGN(const auto intel, requireNumbers<2>(*ll, "intel", kGigabytes));
    FABRICAST_ASSIGN(const auto amd, requireNumbers<2>(*ll, "amd", kGigabytes));
    model.llIntelMost = inUnit<BytesPerSecond>(intel, gigabytes);
    model.llAmdMost = inUnit<BytesPerSecond>(amd, gigabytes);
    FABRICAST_ASSIGN(const JsonValue* const net, requireObject(root, "net_overhead_us", kCpus));
    FABRICAST_ASSIGN(const double intelNet, requireNumber(*net, "intel", kMicroseconds));
    FABRICAST_ASSIGN(const double amdNet, requireNumber(*net, "amd", kMicroseconds));
    model.intelNetOverhead = microseconds(intelNet);
    model.amdNetOverhead = microseconds(amdNet);
    return {};
}

Result<NcclGeneration::ByNodes> readByNodes(const JsonValue& row, std::string_view key) {
    FABRICAST_ASSIGN(const auto numbers, requireNumbers<3>(row, key, kGigabytes));
    return inUnit<BytesPerSecond>(numbers, gigabytes);
}

Result<void> readSwitch(const JsonValue& row, NcclGeneration& generation) {
    FABRICAST_ASSIGN(generation.nvlsShare, requireNumber(row, "nvls_share", kNcclShare));
    FABRICAST_ASSIGN(const auto channels, requireNumbers<2>(row, "nvls_channels", {0, 1024}));
    generation.nvlsChannels = {static_cast<std::int64_t>(channels[0]),
                               static_cast<std::int64_t>(channels[1])};
    FABRICAST_ASSIGN(generation.nvlsTreeMost, readByNodes(row, "nvls_tree_GBps"));
    return {};
}

Result<NcclGeneration> readGeneration(const JsonValue& row) {
    FABRICAST_TRY(row.onlyKeys(kGenerationKeys));
    NcclGeneration generation;
    FABRICAST_ASSIGN(generation.name, requireText(row, "name"));
    FABRICAST_ASSIGN(const JsonValue* const names, row.require("architectures"));
    FABRICAST_TRY(names->expect(JsonValue::Kind::Array));
    for (const JsonValue& name : names->items()) {
        FABRICAST_ASSIGN(std::string text, name.text());
        generation.architectures.push_back(std::move(text));
    }
    FABRICAST_ASSIGN(const double link, requireNumber(row, "link_GBps", {0.1, 1e5}));
    FABRICAST_ASSIGN(const double ll, requireNumber(row, "ll_node_GBps", {0.1, 1e5}));
    generation.linkBandwidth = gigabytes(link);
    generation.llNodeMost = gigabytes(ll);
    FABRICAST_ASSIGN(generation.ringLl128Most, readByNodes(row, "ring_ll128_GBps"));
    FABRICAST_ASSIGN(generation.treeLl128Most, readByNodes(row, "tree_ll128_GBps"));
    FABRICAST_ASSIGN(generation.treeMost, readByNodes(row, "tree_GBps"));
    FABRICAST_TRY(readSwitch(row, generation));
    FABRICAST_ASSIGN(const JsonValue* const speeds, row.require("speeds_GBps"));
    FABRICAST_ASSIGN(const std::vector<double> list,
                     readNumberList(*speeds, {0.01, 1e5}, kMostRows));
    if (list.empty() || !std::ranges::is_sorted(list, std::greater<>())) {
        return tl::unexpected(speeds->problem("must be in descending order"));
    }
    std::ranges::transform(list, std::back_inserter(generation.speeds), gigabytes);
    FABRICAST_ASSIGN(generation.longRingFactor, requireNumber(row, "long_ring_factor", {1, 10}));
    FABRICAST_ASSIGN(generation.ll128, row.booleanOr("ll128", true));
    FABRICAST_ASSIGN(generation.pairShare, requireNumber(row, "pair_share", {0.01, 1.5}));
    FABRICAST_ASSIGN(generation.pairSpread, requireNumber(row, "pair_spread", kNcclShare));
    return generation;
}

Result<NcclNetwork> readNetwork(const JsonValue& row) {
    FABRICAST_TRY(row.onlyKeys(kNetworkKeys));
    NcclNetwork network;
    FABRICAST_ASSIGN(network.kind, requireText(row, "kind"));
    FABRICAST_ASSIGN(network.efficiency, requireNumber(row, "efficiency", {0.01, 1.0}));
    FABRICAST_ASSIGN(const double latency, requireNumber(row, "latency_us", kMicroseconds));
    network.latency = microseconds(latency);
    const JsonValue* scale = row.find("scale");
    if (scale == nullptr) {
        return network;
    }
    FABRICAST_TRY(scale->expect(JsonValue::Kind::Array));
    for (const JsonValue& item : scale->items()) {
        FABRICAST_TRY(item.onlyKeys(kScaleKeys));
        NcclNetwork::Scale point;
        FABRICAST_ASSIGN(point.nodes, requireNumber(item, "nodes", {1, 1e7}));
        FABRICAST_ASSIGN(point.share, requireNumber(item, "share", {0.01, 1.0}));
        if (!network.scale.empty() && (point.nodes <= network.scale.back().nodes ||
                                       point.share > network.scale.back().share)) {
            return tl::unexpected(item.problem("must have more nodes and at most the same share"));
        }
        network.scale.push_back(point);
    }
    return network;
}

Result<void> readRows(const JsonValue& root, NcclModel& model) {
    FABRICAST_ASSIGN(const JsonValue* const generations, root.require("generations"));
    FABRICAST_TRY(generations->expect(JsonValue::Kind::Array));
    for (const JsonValue& row : generations->items()) {
        FABRICAST_ASSIGN(NcclGeneration generation, readGeneration(row));
        model.generations.push_back(std::move(generation));
    }
    FABRICAST_ASSIGN(const JsonValue* const networks, root.require("networks"));
    FABRICAST_TRY(networks->expect(JsonValue::Kind::Array));
    for (const JsonValue& row : networks->items()) {
        FABRICAST_ASSIGN(NcclNetwork network, readNetwork(row));
        model.networks.push_back(std::move(network));
    }
    FABRICAST_ASSIGN(const JsonValue* const sources, root.require("sources"));
    FABRICAST_TRY(sources->expect(JsonValue::Kind::Array));
    for (const JsonValue& row : sources->items()) {
        FABRICAST_TRY(row.onlyKeys(kNcclSourceKeys));
    }
    return {};
}

Result<void> readPairs(const JsonValue& root, NcclModel& model) {
    FABRICAST_ASSIGN(const JsonValue* const base, requireObject(root, "pair_latency_us", kLinks));
    FABRICAST_ASSIGN(const JsonValue* const peer, requireObject(root, "peer_latency_us", kLinks));
    for (std::size_t i = 0; i < kLinks.size(); ++i) {
        FABRICAST_ASSIGN(const auto first, requireNumbers<2>(*base, kLinks[i], kMicroseconds));
        FABRICAST_ASSIGN(const double further, requireNumber(*peer, kLinks[i], kMicroseconds));
        model.pairLatency[i] = inUnit<Seconds>(first, microseconds);
        model.peerLatency[i] = microseconds(further);
    }
    FABRICAST_ASSIGN(const double ll, requireNumber(root, "pair_ll_GBps", {0.01, 1e5}));
    model.pairLlBandwidth = gigabytes(ll);
    FABRICAST_ASSIGN(model.pciPeerShare, requireNumber(root, "pci_peer_share", {0.01, 1.0}));
    FABRICAST_ASSIGN(model.pciHostShare, requireNumber(root, "pci_host_share", {0.01, 1.0}));
    FABRICAST_ASSIGN(const JsonValue* const channels, root.require("most_channels"));
    FABRICAST_ASSIGN(model.mostChannels, channels->integer({1, 1024}));
    return {};
}

}  // namespace

Result<NcclModel> readNcclModel(const JsonValue& root) {
    FABRICAST_TRY(root.onlyKeys(kNcclKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "collective"));
    NcclModel model;
    model.name = header.name;
    model.title = header.title;
    FABRICAST_ASSIGN(const JsonValue* const library, root.require("library"));
    FABRICAST_ASSIGN(model.library, readWord(*library, kLibraries));
    FABRICAST_ASSIGN(model.version, requireText(root, "version"));
    FABRICAST_ASSIGN(const JsonValue* const base, root.require("base_latency_us"));
    FABRICAST_ASSIGN(model.baseLatency, readLatencies(*base));
    FABRICAST_ASSIGN(const JsonValue* const steps, requireObject(root, "step_latency_us", kLinks));
    for (std::size_t i = 0; i < kLinks.size(); ++i) {
        FABRICAST_ASSIGN(const JsonValue* const link, steps->require(kLinks[i]));
        FABRICAST_ASSIGN(model.stepLatency[i], readLatencies(*link));
    }
    FABRICAST_TRY(readNcclShares(root, model));
    FABRICAST_TRY(readCpus(root, model));
    FABRICAST_TRY(readRows(root, model));
    FABRICAST_TRY(readPairs(root, model));
    return model;
}

}  // namespace fabricast
