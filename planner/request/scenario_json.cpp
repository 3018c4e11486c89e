#include "planner/request/scenario_json.h"

#include "planner/base/nearest_name.h"
#include "planner/base/quantity_text.h"
#include "planner/request/cluster_json.h"
#include "planner/request/layout_json.h"
#include "planner/request/settings_json.h"
#include "planner/spec/setting_names.h"
#include "planner/spec/trainer_optimizers.h"
#include "planner/text/enum_json.h"

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
constexpr std::array<std::string_view, 5> kWorkloadKeys = {
    "sequence", "global_batch", "precision", "optimizer", "tokens"};

constexpr std::int64_t kLongestSequence = 16'777'216;

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

/// transformers' name for it is another word: the error says ours.
Result<OptimizerKind> readOptimizer(const JsonValue& value) {
    Result<OptimizerKind> kind = readEnum<OptimizerKind>(value);
    const auto* const named =
        std::ranges::find(kTrainerNames, value.text().value_or(""), &TrainerName::typed);
    if (!kind && named != kTrainerNames.end()) {
        kind.error().hint = "--optimizer " + std::string(named->kind);
        if (!named->detail.empty()) {
            kind.error().hint += " --set settings.optimizer." + std::string(named->detail);
        }
    }
    return kind;
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
        FABRICAST_ASSIGN(workload.optimizer, readOptimizer(*optimizer));
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
    static const std::vector<SettingHelp> settings = describeSettings();
    const std::string end = "." + typed;
    std::string meant;
    for (const SettingHelp& setting : settings) {
        if (setting.path.ends_with(end)) {
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
        {"workload.", kWorkloadKeys}, {"cluster.", clusterKeys()}};
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
    FABRICAST_TRY(readImported(root, request));
    return request;
}

}  // namespace fabricast
