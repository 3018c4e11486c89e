#include "planner/base/nearest_name.h"
#include "planner/request/layout_json.h"
#include "planner/spec/setting_names.h"
#include "planner/text/json_builder.h"
#include "study/flag_words.h"
#include "study/saved_questions.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace fabricast {
namespace {

/// A part of a scenario that may be written as one word, and the key which that word is.
struct ShortForm {
    std::string_view part;
    std::string_view key;
};
constexpr std::array kShortForms = {ShortForm{"cluster", "cluster.name"},
                                    ShortForm{"price", "price.profile"}};

}  // namespace

std::string_view keyOfWord(std::string_view part) {
    const auto* const form = std::ranges::find(kShortForms, part, &ShortForm::part);
    return form == kShortForms.end() ? std::string_view() : form->key;
}

const JsonValue* valueAt(const JsonValue& root, std::string_view path) {
    const JsonValue* place = &root;
    while (place != nullptr && !path.empty()) {
        const std::string_view key = path.substr(0, path.find('.'));
        place = place->find(key);
        path.remove_prefix(std::min(path.size(), key.size() + 1));
    }
    return place;
}

Result<JsonValue> withObjects(JsonValue root) {
    for (const auto& [part, key] : kShortForms) {
        const JsonValue* value = root.find(part);
        if (value == nullptr || (!value->is(JsonValue::Kind::String) && !value->isNumber())) {
            continue;
        }
        const JsonValue name = *value;
        const JsonBuilder build(name.where());
        FABRICAST_ASSIGN(root, build.with(std::move(root), part, build.object()));
        FABRICAST_ASSIGN(root, build.with(std::move(root), key, name));
    }
    if (const JsonValue* layout = root.find("layout");
        layout != nullptr && layout->is(JsonValue::Kind::String)) {
        FABRICAST_ASSIGN(const JsonValue keys,
                         layoutObject(layout->text().value_or(""), layout->where()));
        const JsonBuilder build(layout->where());
        FABRICAST_ASSIGN(root, build.with(std::move(root), "layout", keys));
    }
    return root;
}

Result<void> checkTuningWord(const JsonValue& root) {
    const JsonValue* const said = valueAt(root, kQlora.path);
    const std::string word = said == nullptr ? "" : said->text().value_or("");
    if (word == kQlora.word || fromName<Tuning>(word)) {
        return {};
    }
    if (said == nullptr || !said->is(JsonValue::Kind::String)) {
        return {};
    }
    const std::string instead = tuningInstead(word);
    constexpr std::array kKnown = {"full", "lora", "qlora"};
    return tl::unexpected(said->problem("cannot be " + said->shown(),
                                        instead.empty() ? suggestName(word, kKnown) : instead));
}

Result<JsonValue> withoutWords(JsonValue root) {
    FABRICAST_TRY(checkTuningWord(root));
    const JsonValue* const said = valueAt(root, kQlora.path);
    if (said == nullptr || said->text().value_or("") != kQlora.word) {
        return root;
    }
    if (const JsonValue* beside = valueAt(root, kQlora.besidePath);
        beside != nullptr && beside->text().value_or("") != kQlora.besideValue) {
        return tl::unexpected(beside->problem(
            "is " + beside->shown() + ", and " + std::string(kQlora.path) + " " + said->shown() +
                " is " + std::string(kQlora.value) + " over " + std::string(kQlora.besideValue),
            std::string(kQlora.path) + " " + std::string(kQlora.value)));
    }
    const JsonBuilder build(said->where());
    FABRICAST_ASSIGN(
        root, build.with(std::move(root), kQlora.path, build.string(std::string(kQlora.value))));
    return build.with(
        std::move(root), kQlora.besidePath, build.string(std::string(kQlora.besideValue)));
}

}  // namespace fabricast
