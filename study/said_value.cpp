#include "study/said_value.h"

#include "planner/text/json_builder.h"
#include "study/flag_words.h"

#include <algorithm>

namespace fabricast {
namespace {

std::string asTyped(const JsonValue& value) {
    if (value.is(JsonValue::Kind::String)) {
        return value.text().value_or("");
    }
    if (value.is(JsonValue::Kind::Array)) {
        std::string all;
        for (const JsonValue& item : value.items()) {
            all += (all.empty() ? "" : ",") + asTyped(item);
        }
        return all;
    }
    std::string text = JsonBuilder::written(value);
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    return text;
}

/// A part that is written as one word or as a string of keys.
std::optional<std::string> saidInString(const JsonValue& part,
                                        std::string_view name,
                                        std::string_view key) {
    const std::string text = part.text().value_or("");
    if (name == "cluster" || name == "price") {
        const bool isName = key == (name == "cluster" ? "name" : "profile");
        return isName ? std::optional(text) : std::nullopt;
    }
    if (name == "layout") {
        const Result<std::vector<Edit>> keys = layoutEdits(text, "layout");
        for (const Edit& edit : keys.value_or(std::vector<Edit>())) {
            if (edit.path == "layout." + std::string(key)) {
                return edit.value;
            }
        }
    }
    return {};
}

std::optional<std::string> saidAt(const Question& question, std::string_view path) {
    const JsonValue* at = &question.root;
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::string_view key = rest.substr(0, rest.find('.'));
        const JsonValue* below = at->find(key);
        rest.remove_prefix(std::min(rest.size(), key.size() + 1));
        if (below == nullptr || below->is(JsonValue::Kind::Null)) {
            return {};
        }
        if (!rest.empty() && below->is(JsonValue::Kind::String)) {
            return saidInString(*below, key, rest);
        }
        at = below;
    }
    const std::string said = asTyped(*at);
    const bool hasWord = path == kQlora.path && said == kQlora.value &&
                         saidValue(question, kQlora.besidePath) == kQlora.besideValue;
    return hasWord ? std::string(kQlora.word) : said;
}

}  // namespace

std::optional<std::string> saidValue(const Question& question, std::string_view path) {
    const std::optional<std::string> said = saidAt(question, path);
    return said || path != "search.stacks" ? said : saidAt(question, "stack");
}

}  // namespace fabricast
