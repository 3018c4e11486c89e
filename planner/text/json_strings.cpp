#include "planner/text/json_strings.h"

namespace fabricast {

std::vector<std::string> stringsIn(const JsonValue* value) {
    if (value == nullptr) {
        return {};
    }
    if (const Result<std::string> text = value->text()) {
        return {*text};
    }
    std::vector<std::string> all;
    const bool isList = value->is(JsonValue::Kind::Array);
    for (const JsonValue& part : isList ? value->items() : value->members()) {
        const std::vector<std::string> inside = stringsIn(&part);
        all.insert(all.end(), inside.begin(), inside.end());
    }
    return all;
}

}  // namespace fabricast
