#include "planner/base/nearest_name.h"
#include "planner/profiles/profile_list.h"
#include "planner/request/layout_json.h"
#include "planner/request/settings_json.h"
#include "planner/text/json_builder.h"
#include "planner/text/json_document.h"
#include "planner/text/json_text.h"
#include "study/reference_words.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kFolder = "schema/";
constexpr std::string_view kAnswers = "schema/answers/";
constexpr std::string_view kEnding = ".schema.json";

/// "plan" of "schema/answers/plan.schema.json". An answer is named like its command; where a file
/// has the same name ("model"), it is "model-answer".
std::map<std::string, std::string_view> allSchemas() {
    std::map<std::string, std::string_view> schemas;
    for (const bool answers : {false, true}) {
        const std::string_view folder = answers ? kAnswers : kFolder;
        for (const EmbeddedFile& file : embeddedProfiles()) {
            if (!file.path.starts_with(folder) || !file.path.ends_with(kEnding)) {
                continue;
            }
            std::string name(
                file.path.substr(folder.size(), file.path.size() - folder.size() - kEnding.size()));
            if (name.find('/') == std::string::npos) {
                name += schemas.contains(name) ? "-answer" : "";
                schemas.emplace(std::move(name), file.text);
            }
        }
    }
    return schemas;
}

/// What a key is and can be: "whose kernels run: torch|megatron".
void addMeaning(JsonText& json, const SettingHelp& key) {
    const bool isChoice = key.values.find('|') != std::string::npos && key.values != "true|false";
    json.add("description", std::string(meaningOf(key.path)) + (isChoice ? ": " + key.values : ""));
    if (key.values == "number") {
        json.add("type", "number");
    } else if (key.values == "true|false") {
        json.add("type", "boolean");
    }
}

/// Keys that are joined by dots, as objects within objects.
struct KeyTree {
    std::map<std::string, KeyTree> within;
    const SettingHelp* key = nullptr;
};

void addKey(KeyTree& tree, std::string_view path, const SettingHelp& key) {
    const std::size_t dot = path.find('.');
    KeyTree& next = tree.within[std::string(path.substr(0, dot))];
    if (dot == std::string_view::npos) {
        next.key = &key;
    } else {
        addKey(next, path.substr(dot + 1), key);
    }
}

void writeTree(JsonText& json, const KeyTree& tree) {
    if (tree.within.empty() && tree.key != nullptr) {
        addMeaning(json, *tree.key);
        return;
    }
    json.add("additionalProperties", false);
    json.beginObject("properties");
    for (const auto& [name, inner] : tree.within) {
        json.beginObject(name);
        writeTree(json, inner);
        json.end();
    }
    json.end();
}

/// The schema of an object with these keys; `prefix` is left out of them.
Result<JsonValue> schemaOfKeys(const std::vector<SettingHelp>& keys, std::string_view prefix) {
    KeyTree tree;
    for (const SettingHelp& key : keys) {
        const std::string_view path = key.path;
        addKey(tree, path.substr(path.starts_with(prefix) ? prefix.size() : 0), key);
    }
    JsonText json;
    json.beginObject();
    writeTree(json, tree);
    json.end();
    return parseJson(std::move(json).finish(), "schema");
}

Result<std::string> scenarioSchema(std::string_view frame) {
    FABRICAST_ASSIGN(JsonValue root, parseJson(frame, "schema"));
    FABRICAST_ASSIGN(const JsonValue layout, schemaOfKeys(describeLayout(), "layout."));
    FABRICAST_ASSIGN(const JsonValue settings, schemaOfKeys(describeSettings(), "settings."));
    const JsonBuilder builder("schema");
    FABRICAST_ASSIGN(root, builder.with(std::move(root), "properties.layout", layout));
    FABRICAST_ASSIGN(root, builder.with(std::move(root), "properties.settings", settings));
    return JsonBuilder::written(root) + "\n";
}

}  // namespace

std::vector<std::string> schemaNames() {
    std::vector<std::string> names;
    for (const auto& [name, text] : allSchemas()) {
        names.push_back(name);
    }
    return names;
}

Result<std::string> schemaText(std::string_view name) {
    const std::map<std::string, std::string_view> schemas = allSchemas();
    const auto found = schemas.find(std::string(name));
    if (found == schemas.end()) {
        const std::vector<std::string> all = schemaNames();
        const std::vector<std::string_view> known(all.begin(), all.end());
        return fail(Error::Code::NotFound,
                    "schema",
                    "there is none of \"" + std::string(name) + "\"",
                    suggestName(name, known));
    }
    return name == "scenario" ? scenarioSchema(found->second) : std::string(found->second);
}

}  // namespace fabricast
