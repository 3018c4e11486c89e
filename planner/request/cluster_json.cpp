#include "planner/request/cluster_json.h"

#include "planner/base/quantity_text.h"

#include <array>
#include <charconv>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 14> kClusterKeys = {"name",
                                                           "gpu",
                                                           "fabric",
                                                           "gpus_per_node",
                                                           "nodes",
                                                           "gpus",
                                                           "host_memory",
                                                           "nvme",
                                                           "nvme_read",
                                                           "nvme_write",
                                                           "sites",
                                                           "wan",
                                                           "wan_latency",
                                                           "reserve"};
// Beyond these is a slip of the finger, and below them no product of theirs leaves 64 bits.
constexpr std::int64_t kMostNodes = 1'000'000;
constexpr std::int64_t kMostGpusPerNode = 4096;
constexpr std::int64_t kMostGpus = 16'777'216;
constexpr std::int64_t kMostSites = 1024;
constexpr BytesPerSecond kFastestWan(1e15);
constexpr Seconds kLongestWan(3600.0);

/// "512 GB", "25 GB/s", or nothing.
template <class Quantity>
Result<std::optional<Quantity>> amountIn(const JsonValue& cluster,
                                         std::string_view key,
                                         const std::string& example) {
    const JsonValue* value = cluster.find(key);
    if (value == nullptr) {
        return std::optional<Quantity>();
    }
    const std::string text = value->text().value_or(value->shown());
    FABRICAST_ASSIGN(const Quantity amount, parseQuantity<Quantity>(text, value->where()));
    if (amount.count() < 1) {
        return tl::unexpected(
            value->problem("must be at least " + shortText(Quantity(1)), example));
    }
    return std::optional(amount);
}

/// "10%" or 0.1, or nothing. A smaller share than the least, some MiB of any GPU, is a slip: it
/// would not change an answer.
Result<std::optional<double>> reserveIn(const JsonValue& cluster) {
    constexpr double kMostReserve = 0.9;
    constexpr double kLeastReserve = 1e-4;
    const JsonValue* value = cluster.find("reserve");
    if (value == nullptr) {
        return std::optional<double>();
    }
    const auto taken = [](double share) {
        return share == 0.0 || (share >= kLeastReserve && share <= kMostReserve);
    };
    if (const Result<double> share = value->number(0.0, kMostReserve); share && taken(*share)) {
        return std::optional(*share);
    }
    const std::string text = value->text().value_or("");
    const std::string_view digits = std::string_view(text).substr(0, text.find('%'));
    double percent = 0.0;
    const auto [stop, trouble] =
        std::from_chars(digits.data(), digits.data() + digits.size(), percent);
    const bool isShare = trouble == std::errc() && stop == digits.data() + digits.size() &&
                         text.size() == digits.size() + 1 && text.ends_with('%');
    if (!isShare || !taken(percent / 100.0)) {
        return tl::unexpected(value->problem(
            "must be 0, or a share of a GPU's memory from 0.01 to 90 %, not " + value->shown(),
            "\"10%\""));
    }
    return std::optional(percent / 100.0);
}

/// "10 ms", or nothing.
Result<std::optional<Seconds>> wanLatencyIn(const JsonValue& cluster) {
    const JsonValue* value = cluster.find("wan_latency");
    if (value == nullptr) {
        return std::optional<Seconds>();
    }
    const std::string text = value->text().value_or(value->shown());
    FABRICAST_ASSIGN(const Seconds latency, parseQuantity<Seconds>(text, value->where()));
    if (!(latency >= Seconds() && latency <= kLongestWan)) {
        return tl::unexpected(value->problem("must be from 0 to 1 h", "\"10 ms\""));
    }
    return std::optional(latency);
}

/// Where the nodes stand.
Result<void> readSites(const JsonValue& json, ClusterRequest& cluster) {
    FABRICAST_ASSIGN(cluster.sites, countIn(json, "sites", kMostSites));
    FABRICAST_ASSIGN(cluster.wan, amountIn<BytesPerSecond>(json, "wan", "\"100 Gbps\""));
    if (cluster.wan && *cluster.wan > kFastestWan) {
        return tl::unexpected(json.find("wan")->problem("must be at most 1 PB/s", "\"100 Gbps\""));
    }
    FABRICAST_ASSIGN(cluster.wanLatency, wanLatencyIn(json));
    return {};
}

}  // namespace

Result<ClusterRequest> readCluster(const JsonValue& json) {
    ClusterRequest cluster;
    cluster.where = json.where();
    if (json.is(JsonValue::Kind::String)) {
        cluster.name = json.text().value_or("");
        cluster.typed = json.line() == 0;
        return cluster;
    }
    FABRICAST_TRY(json.onlyKeys(kClusterKeys));
    FABRICAST_ASSIGN(cluster.name, json.textOr("name", ""));
    FABRICAST_ASSIGN(cluster.gpu, json.textOr("gpu", ""));
    FABRICAST_ASSIGN(cluster.fabric, json.textOr("fabric", ""));
    FABRICAST_ASSIGN(cluster.gpusPerNode, countIn(json, "gpus_per_node", kMostGpusPerNode));
    FABRICAST_ASSIGN(cluster.nodes, countIn(json, "nodes", kMostNodes));
    FABRICAST_ASSIGN(cluster.gpus, countIn(json, "gpus", kMostGpus));
    FABRICAST_ASSIGN(cluster.hostMemory, amountIn<Bytes>(json, "host_memory", "\"512 GB\""));
    FABRICAST_ASSIGN(cluster.nvme, amountIn<Bytes>(json, "nvme", "\"30 TB\""));
    FABRICAST_ASSIGN(cluster.nvmeRead, amountIn<BytesPerSecond>(json, "nvme_read", "\"50 GB/s\""));
    FABRICAST_ASSIGN(cluster.nvmeWrite,
                     amountIn<BytesPerSecond>(json, "nvme_write", "\"25 GB/s\""));
    FABRICAST_TRY(readSites(json, cluster));
    FABRICAST_ASSIGN(cluster.reserve, reserveIn(json));
    cluster.where = whereOf(json, cluster.name.empty() ? "gpu" : "name");
    cluster.fabricWhere = whereOf(json, "fabric");
    cluster.gpusWhere = whereOf(json, "gpus");
    cluster.nodesWhere = whereOf(json, "nodes");
    const JsonValue* name = json.find("name");
    cluster.typed = name != nullptr && name->line() == 0;
    return cluster;
}

std::span<const std::string_view> clusterKeys() {
    return kClusterKeys;
}

Result<std::optional<std::int64_t>> countIn(const JsonValue& object,
                                            std::string_view key,
                                            std::int64_t most) {
    const JsonValue* value = object.find(key);
    if (value == nullptr) {
        return std::optional<std::int64_t>();
    }
    FABRICAST_ASSIGN(const std::int64_t count, value->integer({1, most}));
    return std::optional(count);
}

std::string whereOf(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    return value == nullptr ? object.where() : value->where();
}

}  // namespace fabricast
