#include "planner/text/copy_json.h"

#include <limits>

namespace fabricast {

namespace {

double numberIn(const JsonValue& value) {
    constexpr double kMost = std::numeric_limits<double>::max();
    return value.number(-kMost, kMost).value_or(0.0);
}

}  // namespace

void copyJson(JsonText& json, std::string_view key, const JsonValue& value) {
    switch (value.kind()) {
        case JsonValue::Kind::Object:
            json.beginObject(key);
            for (const JsonValue& member : value.members()) {
                copyJson(json, member.name(), member);
            }
            json.end();
            return;
        case JsonValue::Kind::Array:
            json.beginArray(key);
            for (const JsonValue& item : value.items()) {
                if (item.isNumber()) {
                    json.item(numberIn(item));
                } else {
                    json.item(item.text().value_or(item.shown()));
                }
            }
            json.end();
            return;
        case JsonValue::Kind::Boolean:
            json.add(key, value.boolean().value_or(false));
            return;
        case JsonValue::Kind::Integer:
        case JsonValue::Kind::Number:
            json.add(key, numberIn(value));
            return;
        case JsonValue::Kind::String:
            json.add(key, value.text().value_or(""));
            return;
        case JsonValue::Kind::Null:
            json.addNull(key);
            return;
    }
}

}  // namespace fabricast
