#include "planner/request/settings_json.h"

#include "planner/spec/setting_fields.h"
#include "planner/spec/setting_names.h"
#include "planner/text/enum_json.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace fabricast {
namespace {

using Words = NameSet;
constexpr std::size_t kMostWords = 64;

bool isWord(const std::string& text) {
    return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

/// A list of words, or the words joined by '+' as in a layout: "core_attn+mlp".
Result<Words> readWords(const JsonValue& value, std::string_view field) {
    std::vector<std::string> listed;
    if (value.is(JsonValue::Kind::String)) {
        FABRICAST_ASSIGN(std::string rest, value.text());
        while (!rest.empty()) {
            const std::size_t plus = rest.find('+');
            listed.push_back(rest.substr(0, plus));
            rest = plus == std::string::npos ? "" : rest.substr(plus + 1);
        }
    } else {
        FABRICAST_TRY(value.expect(JsonValue::Kind::Array));
        for (const JsonValue& item : value.items()) {
            FABRICAST_ASSIGN(std::string word, item.text());
            listed.push_back(std::move(word));
        }
    }
    const auto wrong = std::find_if_not(listed.begin(), listed.end(), isWord);
    if (wrong != listed.end() || listed.size() > kMostWords) {
        // The names of linear layers (LoRA), or of parts that are recomputed.
        return tl::unexpected(value.problem("must be a list of words",
                                            field == "targets"
                                                ? R"(["q", "v"], or q+v)"
                                                : R"(["core_attn", "mlp"], or core_attn+mlp)"));
    }
    Words words;
    for (std::string& word : listed) {
        words.insert(std::move(word));
    }
    return words;
}

/// "all", "last:4", …
Result<TrainedPart> readTrained(const JsonValue& value) {
    FABRICAST_ASSIGN(const std::string text, value.text());
    if (const std::optional<TrainedPart> part = trainedPart(text)) {
        return *part;
    }
    return tl::unexpected(
        value.problem("cannot be \"" + text + "\"", "all, last:4, norms or no_embedding"));
}

/// A group is no word, but the word may be of its kind.
Result<void> expectGroup(const JsonValue& object,
                         const std::vector<std::string_view>& names,
                         const std::string& path) {
    Result<void> expected = object.expect(JsonValue::Kind::Object);
    const bool hasKind = std::find(names.begin(), names.end(), "kind") != names.end();
    if (!expected && hasKind && object.is(JsonValue::Kind::String)) {
        expected.error().hint = path + ".kind=" + object.text().value_or("");
    } else if (!expected) {
        std::string keys;
        for (const std::string_view name : names) {
            keys += (keys.empty() ? "" : ", ") + std::string(name);
        }
        expected.error().hint = "its keys: " + keys;
    }
    return expected;
}

/// `path` is where the group is: "settings.optimizer".
template <class Group>
Result<Group> readGroup(const JsonValue& object, Group group, const std::string& path);

template <class AnyField, class Value>
Result<Value> readField(const AnyField& field,
                        const JsonValue& json,
                        Value value,
                        const std::string& path) {
    if constexpr (SettingGroup<Value>) {
        return readGroup(json, std::move(value), path + "." + std::string(field.name));
    } else if constexpr (std::is_same_v<Value, bool>) {
        return json.boolean();
    } else if constexpr (std::is_same_v<Value, std::int64_t>) {
        return json.integer(
            {static_cast<std::int64_t>(field.least), static_cast<std::int64_t>(field.most)});
    } else if constexpr (std::is_same_v<Value, double>) {
        return json.number(field.least, field.most);
    } else if constexpr (std::is_same_v<Value, Words>) {
        return readWords(json, field.name);
    } else if constexpr (std::is_same_v<Value, TrainedPart>) {
        return readTrained(json);
    } else {
        return readEnum<Value>(json);
    }
}

template <class Group>
Result<Group> readGroup(const JsonValue& object, Group group, const std::string& path) {
    std::vector<std::string_view> names;
    eachField(group, [&](const auto& field, const auto&) { names.push_back(field.name); });
    if constexpr (std::is_same_v<Group, MegatronSettings>) {
        names.emplace_back("pipeline_inside");  // an older spelling of layout.placement
    }
    FABRICAST_TRY(expectGroup(object, names, path));
    FABRICAST_TRY(object.onlyKeys(names));
    Result<void> outcome;
    eachField(group, [&](const auto& field, auto& value) {
        const JsonValue* json = outcome ? object.find(field.name) : nullptr;
        if (json == nullptr) {
            return;
        }
        if (auto read = readField(field, *json, value, path)) {
            value = *std::move(read);
        } else {
            outcome = tl::unexpected(std::move(read).error());
            if (outcome.error().hint.empty()) {
                outcome.error().hint = "fabricast help settings";
            }
        }
    });
    FABRICAST_TRY(outcome);
    return group;
}

template <class Value>
void writeField(JsonText& json, std::string_view name, const Value& value) {
    if constexpr (SettingGroup<Value>) {
        json.beginObject(name);
        eachField(value, [&](const auto& field, const auto& member) {
            writeField(json, field.name, member);
        });
        json.end();
    } else if constexpr (std::is_same_v<Value, Words>) {
        json.beginArray(name);
        for (const std::string& word : value) {
            json.item(word);
        }
        json.end();
    } else if constexpr (std::is_same_v<Value, TrainedPart>) {
        json.add(name, trainedText(value));
    } else if constexpr (std::is_enum_v<Value>) {
        json.add(name, nameOf(value));
    } else {
        json.add(name, value);
    }
}

template <class Value>
std::string valuesOf(const Value&) {
    if constexpr (std::is_same_v<Value, bool>) {
        return "true|false";
    } else if constexpr (std::is_same_v<Value, Words>) {
        return "word+word";
    } else if constexpr (std::is_same_v<Value, TrainedPart>) {
        return "all|last:N|norms|no_embedding";
    } else if constexpr (std::is_enum_v<Value>) {
        return joinedNames<Value>();
    } else {
        return "number";
    }
}

/// Only sizes may be as large as any.
template <class AnyField>
std::string rangeOf(const AnyField& field) {
    constexpr AnyField kAny{};
    return field.most == kAny.most && field.least == kAny.least
               ? ""
               : JsonValue::rangeText(field.least, field.most);
}

template <class Group>
void describe(std::vector<SettingHelp>& rows, const std::string& path, const Group& group) {
    eachField(group, [&](const auto& field, const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        const std::string name = path + "." + std::string(field.name);
        if constexpr (SettingGroup<Value>) {
            describe(rows, name, value);
        } else if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
            rows.push_back({name, valuesOf(value), rangeOf(field)});
        } else {
            rows.push_back({name, valuesOf(value)});
        }
    });
}

}  // namespace

Result<Settings> applySettings(const JsonValue& object, Settings settings) {
    return readGroup(object, std::move(settings), "settings");
}

void writeSettings(JsonText& json, std::string_view key, const Settings& settings) {
    writeField(json, key, settings);
}

std::vector<SettingHelp> describeSettings() {
    std::vector<SettingHelp> rows;
    describe(rows, "settings", Settings{});
    return rows;
}

}  // namespace fabricast
