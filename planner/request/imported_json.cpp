#include "planner/request/scenario_json.h"
#include "planner/text/json_strings.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 11> kImportedKeys = {"from",
                                                            "notes",
                                                            "assumed",
                                                            "open",
                                                            "batch_ranks",
                                                            "one_process",
                                                            "device_map",
                                                            "alone",
                                                            "gpus",
                                                            "per_node",
                                                            "sizes"};
constexpr std::int64_t kMostBatchRanks = 16'777'216;

/// What was noted and assumed as the launch file was read.
Result<std::vector<std::string>> readImportNotes(const JsonValue& root) {
    std::vector<std::string> notes;
    const JsonValue* imported = root.find("imported");
    if (imported == nullptr) {
        return notes;
    }
    FABRICAST_TRY(imported->onlyKeys(kImportedKeys));
    FABRICAST_TRY(imported->textOr("from", ""));
    if (const JsonValue* all = imported->find("notes")) {
        FABRICAST_TRY(all->expect(JsonValue::Kind::Array));
        for (const JsonValue& one : all->items()) {
            FABRICAST_ASSIGN(std::string note, one.text());
            notes.push_back(std::move(note));
        }
    }
    if (const JsonValue* assumed = imported->find("assumed")) {
        FABRICAST_TRY(assumed->expect(JsonValue::Kind::Object));
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
    FABRICAST_ASSIGN(const std::int64_t count, ranks->integer({1, kMostBatchRanks}));
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
    FABRICAST_TRY(said->expect(JsonValue::Kind::Object));
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

/// What a launch file decides and was not read: nobody typed it either.
// NOLINTNEXTLINE(misc-no-recursion): JSON has a depth limit
Result<void> checkNothingIsOpen(const JsonValue& open) {
    FABRICAST_TRY(open.expect(JsonValue::Kind::Object));
    if (const JsonValue* const why = open.find("why")) {
        FABRICAST_ASSIGN(std::string text, why->text());
        FABRICAST_ASSIGN(std::string hint, open.textOr("hint", ""));
        return fail(Error::Code::Unsupported, why->where(), std::move(text), std::move(hint));
    }
    for (const JsonValue& one : open.members()) {
        FABRICAST_TRY(checkNothingIsOpen(one));
    }
    return {};
}

}  // namespace

Result<void> readImported(const JsonValue& root, ScenarioRequest& request) {
    FABRICAST_ASSIGN(request.importNotes, readImportNotes(root));
    if (const JsonValue* const imported = root.find("imported")) {
        if (const JsonValue* const open = imported->find("open")) {
            FABRICAST_TRY(checkNothingIsOpen(*open));
        }
        FABRICAST_ASSIGN(const std::string from,
                         imported->textOr("from", ""));  // "axolotl: a.yaml"
        request.madeOf =
            from.substr(from.find(": ") == std::string::npos ? 0 : from.find(": ") + 2);
    }
    FABRICAST_ASSIGN(request.batchRanks, readBatchRanks(root));
    FABRICAST_ASSIGN(request.importedSizes, readImportedSizes(root));
    FABRICAST_ASSIGN(request.oneProcess, readImportedSwitch(root, "one_process"));
    FABRICAST_ASSIGN(request.deviceMap, readImportedSwitch(root, "device_map"));
    return {};
}

}  // namespace fabricast
