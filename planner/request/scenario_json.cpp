#include "planner/request/scenario_json.h"

#include "planner/base/nearest_name.h"
#include "planner/base/quantity_text.h"
#include "planner/request/layout_json.h"
#include "planner/request/settings_json.h"
#include "planner/spec/most_sites.h"
#include "planner/spec/setting_names.h"
#include "planner/text/enum_json.h"
#include "planner/text/json_strings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

using Kind = JsonValue::Kind;

constexpr std::array<std::string_view, 14> kKeys = {"schema",
                                                    "name",
                                                    "model",
                                                    "cluster",
                                                    "stack",
                                                    "workload",
                                                    "layout",
                                                    "settings",
                                                    "search",
                                                    "require",
                                                    "price",
                                                    "operation",
                                                    "imported",
                                                    "view"};
constexpr std::array<std::string_view, 9> kImportedKeys = {"from",
                                                           "notes",
                                                           "assumed",
                                                           "batch_ranks",
                                                           "one_process",
                                                           "device_map",
                                                           "gpus",
                                                           "per_node",
                                                           "sizes"};
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
constexpr std::array<std::string_view, 5> kWorkloadKeys = {
    "sequence", "global_batch", "precision", "optimizer", "tokens"};

// Beyond these is a slip of the finger, and below them no product of theirs leaves 64 bits.
constexpr std::int64_t kMostNodes = 1'000'000;
constexpr std::int64_t kMostGpusPerNode = 4096;
constexpr std::int64_t kMostGpus = 16'777'216;
constexpr std::int64_t kMostSites = 1024;
constexpr BytesPerSecond kFastestWan(1e15);
constexpr Seconds kLongestWan(3600.0);
constexpr std::int64_t kLongestSequence = 16'777'216;

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
        return tl::unexpected(value->problem("must be above 0", example));
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

Result<ClusterRequest> readCluster(const JsonValue& json) {
    ClusterRequest cluster;
    cluster.where = json.where();
    if (json.is(Kind::String)) {
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
    const JsonValue* name = json.find("name");
    cluster.typed = name != nullptr && name->line() == 0;
    return cluster;
}

/// "4M tokens", or "8 per rank". Without the word a number of samples could be meant.
Result<void> readBatchText(const JsonValue& batch, WorkloadRequest& workload) {
    constexpr std::string_view kTokens = " tokens";
    FABRICAST_ASSIGN(std::string text, batch.text());
    if (text.ends_with(kTokens)) {
        text.resize(text.size() - kTokens.size());
        FABRICAST_ASSIGN(workload.globalBatchTokens, parseQuantity<Tokens>(text, batch.where()));
        return {};
    }
    if (text.ends_with(kSamplesPerRank)) {
        std::int64_t count = 0;
        const char* const end = text.data() + text.size() - kSamplesPerRank.size();
        const auto [stop, trouble] = std::from_chars(text.data(), end, count);
        if (trouble == std::errc() && stop == end && count >= 1 && count <= kLargestBatch) {
            workload.globalBatchPerRank = count;
            return {};
        }
    }
    return tl::unexpected(batch.problem(
        "must be a number of samples, of tokens with their unit, or of samples per rank, not " +
            batch.shown(),
        "512, \"4M tokens\" or \"8 per rank\""));
}

/// 8192, or as context lengths are named: "8k" is 8 x 1024.
Result<void> readSequence(const JsonValue& json, WorkloadRequest& workload) {
    const JsonValue* value = json.find("sequence");
    const std::string text =
        value != nullptr && value->is(Kind::String) ? value->text().value_or("") : "";
    const bool inK = text.ends_with('k') || text.ends_with('K');
    const bool inM = text.ends_with('m') || text.ends_with('M');
    if (!inK && !inM) {
        FABRICAST_ASSIGN(workload.sequence, countIn(json, "sequence", kLongestSequence));
        return {};
    }
    const std::int64_t unit = inK ? 1024 : 1024 * 1024;
    std::int64_t count = 0;
    const char* end = text.data() + text.size() - 1;
    const auto [stop, trouble] = std::from_chars(text.data(), end, count);
    if (trouble != std::errc() || stop != end || count < 1 || count > kLongestSequence / unit) {
        return tl::unexpected(value->problem("must be a whole number from 1 to " +
                                                 std::to_string(kLongestSequence) + ", not " +
                                                 value->shown(),
                                             "8192, 8k or 128k"));
    }
    workload.sequence = count * unit;
    workload.sequenceTyped = text;
    return {};
}

Result<WorkloadRequest> readWorkload(const JsonValue& json) {
    WorkloadRequest workload;
    FABRICAST_TRY(json.onlyKeys(kWorkloadKeys));
    FABRICAST_TRY(readSequence(json, workload));
    const JsonValue* batch = json.find("global_batch");
    if (batch != nullptr && batch->is(Kind::String)) {
        FABRICAST_TRY(readBatchText(*batch, workload));
    } else {
        FABRICAST_ASSIGN(workload.globalBatch, countIn(json, "global_batch", kLargestBatch));
    }
    workload.globalBatchWhere = whereOf(json, "global_batch");
    FABRICAST_ASSIGN(workload.precision, json.textOr("precision", ""));
    workload.precisionWhere = whereOf(json, "precision");
    if (const JsonValue* optimizer = json.find("optimizer")) {
        FABRICAST_ASSIGN(workload.optimizer, readEnum<OptimizerKind>(*optimizer));
    }
    return workload;
}

Result<void> checkSchema(const JsonValue& root) {
    const JsonValue* schema = root.find("schema");
    if (schema == nullptr || schema->text() == "fabricast.scenario/1") {
        return {};
    }
    return tl::unexpected(schema->problem("is " + schema->shown() + ", which is not a scenario",
                                          R"("schema": "fabricast.scenario/1")"));
}

/// What later questions read: its form only.
Result<void> checkOtherQuestions(const JsonValue& root) {
    if (const JsonValue* search = root.find("search")) {
        FABRICAST_TRY(search->expect(Kind::Object));
    }
    if (const JsonValue* view = root.find("view")) {  // how a window shows it
        FABRICAST_TRY(view->expect(Kind::Object));
    }
    if (const JsonValue* require = root.find("require")) {
        FABRICAST_TRY(require->expect(Kind::Array));
        for (const JsonValue& condition : require->items()) {
            FABRICAST_TRY(condition.expect(Kind::String));
        }
    }
    return {};
}

/// Of a scenario that was made of a launch file.
Result<std::vector<std::string>> readImported(const JsonValue& root) {
    std::vector<std::string> notes;
    const JsonValue* imported = root.find("imported");
    if (imported == nullptr) {
        return notes;
    }
    FABRICAST_TRY(imported->onlyKeys(kImportedKeys));
    FABRICAST_TRY(imported->textOr("from", ""));
    if (const JsonValue* all = imported->find("notes")) {
        FABRICAST_TRY(all->expect(Kind::Array));
        for (const JsonValue& one : all->items()) {
            FABRICAST_ASSIGN(std::string note, one.text());
            notes.push_back(std::move(note));
        }
    }
    if (const JsonValue* assumed = imported->find("assumed")) {
        FABRICAST_TRY(assumed->expect(Kind::Object));
        const std::vector<std::string> all = stringsIn(assumed);
        notes.insert(notes.end(), all.begin(), all.end());
    }
    return notes;
}

Result<BatchRanks> readBatchRanks(const JsonValue& root) {
    const JsonValue* imported = root.find("imported");
    const JsonValue* ranks = imported == nullptr ? nullptr : imported->find("batch_ranks");
    if (ranks == nullptr) {
        return BatchRanks();
    }
    FABRICAST_ASSIGN(const std::int64_t count, ranks->integer({1, kMostGpus}));
    return BatchRanks{count, ranks->where()};
}

/// Sizes that a launch file says of the model that it trains.
Result<std::vector<ImportedSize>> readImportedSizes(const JsonValue& root) {
    std::vector<ImportedSize> sizes;
    const JsonValue* imported = root.find("imported");
    const JsonValue* said = imported == nullptr ? nullptr : imported->find("sizes");
    if (said == nullptr) {
        return sizes;
    }
    FABRICAST_TRY(said->expect(Kind::Object));
    for (const JsonValue& one : said->members()) {
        FABRICAST_ASSIGN(const std::int64_t value, one.integer({}));
        sizes.push_back({.name = one.name(), .value = value, .where = one.where()});
    }
    return sizes;
}

/// Where a switch of a launch file stands; empty where it is off.
Result<std::string> readImportedSwitch(const JsonValue& root, const char* key) {
    const JsonValue* imported = root.find("imported");
    const JsonValue* said = imported == nullptr ? nullptr : imported->find(key);
    if (said == nullptr) {
        return std::string();
    }
    FABRICAST_ASSIGN(const bool isOne, said->boolean());
    return isOne ? said->where() : std::string();
}

/// Placement was a setting of Megatron's before it was a key of the layout.
Result<void> readOlderPlacement(ScenarioRequest& request) {
    const JsonValue* megatron = request.settings.find("megatron");
    const JsonValue* inside = megatron == nullptr ? nullptr : megatron->find("pipeline_inside");
    if (inside == nullptr) {
        return {};
    }
    FABRICAST_ASSIGN(const bool isInside, inside->boolean());
    const RankPlacement placement = isInside ? RankPlacement::PpInside : RankPlacement::DpInside;
    if (request.layout.says("placement") && request.layout.layout.placement != placement) {
        return tl::unexpected(inside->problem("contradicts layout.placement", "leave it out"));
    }
    request.layout.layout.placement = placement;
    request.layout.said.emplace("placement");
    return {};
}

/// "settings.tuning" of "tuning", and "layout.recompute" of "recompute"; empty where neither has
/// such a key, or the settings have several.
std::string keyOfSettings(const std::string& typed) {
    for (const SettingHelp& key : describeLayout()) {
        if (key.path == typed) {
            return "layout." + typed;
        }
    }
    std::string meant;
    for (const SettingHelp& setting : describeSettings()) {
        if (setting.path.ends_with("." + typed)) {
            if (!meant.empty()) {
                return "";
            }
            meant = setting.path;
        }
    }
    return meant;
}

/// "workload.sequence" of "sequence" or "seq"; empty where no part has such a key.
std::string keyOfPart(std::string typed) {
    constexpr std::size_t kShortest = 3;
    std::ranges::replace(typed, '-', '_');
    const bool isShort = typed.size() >= kShortest && nearestName(typed, kKeys).empty();
    const auto isMeant = [&typed, isShort](std::string_view key) {
        return key == typed || (isShort && key.starts_with(typed));
    };
    const std::pair<std::string, std::span<const std::string_view>> parts[] = {
        {"workload.", kWorkloadKeys}, {"cluster.", kClusterKeys}};
    for (const auto& [part, keys] : parts) {
        const auto found = std::ranges::find_if(keys, isMeant);
        if (found != keys.end()) {
            return part + std::string(*found);
        }
    }
    return keyOfSettings(typed);
}

/// A key of a part that stands beside the parts names the part it belongs to.
Result<void> checkPartsOf(const JsonValue& root) {
    FABRICAST_TRY(root.expect(Kind::Object));
    for (const JsonValue& member : root.members()) {
        const bool isKnown = std::ranges::find(kKeys, member.name()) != kKeys.end();
        const std::string meant = isKnown ? "" : keyOfPart(member.name());
        if (!meant.empty()) {
            return fail(Error::Code::BadInput,
                        member.whereKey(),
                        "unknown key \"" + member.name() + "\"",
                        "did you mean \"" + meant + "\"?");
        }
    }
    return {};
}

}  // namespace

Result<ScenarioRequest> readScenario(const JsonValue& root) {
    FABRICAST_TRY(checkPartsOf(root));
    FABRICAST_TRY(root.onlyKeys(kKeys));
    FABRICAST_TRY(checkSchema(root));
    FABRICAST_TRY(root.textOr("name", ""));
    ScenarioRequest request;
    if (const JsonValue* model = root.find("model")) {
        request.model = *model;
    }
    if (const JsonValue* cluster = root.find("cluster")) {
        FABRICAST_ASSIGN(request.cluster, readCluster(*cluster));
    }
    FABRICAST_ASSIGN(request.stack, root.textOr("stack", ""));
    request.stackWhere = whereOf(root, "stack");
    if (const JsonValue* workload = root.find("workload")) {
        FABRICAST_ASSIGN(request.workload, readWorkload(*workload));
    }
    if (const JsonValue* layout = root.find("layout")) {
        FABRICAST_ASSIGN(request.layout, readLayout(*layout));
    }
    if (const JsonValue* settings = root.find("settings")) {
        FABRICAST_TRY(settings->expect(Kind::Object));
        request.settings = *settings;
        FABRICAST_TRY(readOlderPlacement(request));
    }
    FABRICAST_ASSIGN(request.budget, readBudgetRequest(root));
    FABRICAST_TRY(checkOtherQuestions(root));
    FABRICAST_ASSIGN(request.importNotes, readImported(root));
    if (const JsonValue* const imported = root.find("imported")) {
        FABRICAST_ASSIGN(const std::string from,
                         imported->textOr("from", ""));  // "axolotl: a.yaml"
        request.madeOf =
            from.substr(from.find(": ") == std::string::npos ? 0 : from.find(": ") + 2);
    }
    FABRICAST_ASSIGN(request.batchRanks, readBatchRanks(root));
    FABRICAST_ASSIGN(request.importedSizes, readImportedSizes(root));
    FABRICAST_ASSIGN(request.oneProcess, readImportedSwitch(root, "one_process"));
    FABRICAST_ASSIGN(request.deviceMap, readImportedSwitch(root, "device_map"));
    return request;
}

}  // namespace fabricast
