#include "planner/text/copy_json.h"

#include <cstdint>
#include <limits>

namespace fabricast {

namespace {

std::int64_t wholeIn(const JsonValue& value) {
    using Limits = std::numeric_limits<std::int64_t>;
    return value.integer({Limits::min(), Limits::max()}).value_or(0);
}

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
                copyJson(json, {}, item);
            }
            json.end();
            return;
        case JsonValue::Kind::Boolean:
            json.add(key, value.boolean().value_or(false));
            return;
        case JsonValue::Kind::Integer:
            json.add(key, wholeIn(value));
            return;
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
