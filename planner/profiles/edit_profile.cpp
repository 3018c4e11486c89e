#include "planner/profiles/edit_profile.h"

#include "planner/profiles/sourced_json.h"
#include "planner/text/json_builder.h"
#include "planner/text/json_text.h"

#include <limits>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

using Kind = JsonValue::Kind;

double numberOf(const JsonValue& value) {
    constexpr double kMost = std::numeric_limits<double>::max();
    return value.number(-kMost, kMost).value_or(0.0);
}

/// A member of an object, or an item of an array, where keys are not written.
void addValue(JsonText& json, const JsonValue& value) {
    const std::string& key = value.name();
    switch (value.kind()) {
        case Kind::Null:
            return json.addNull(key);
        case Kind::Boolean:
            return json.add(key, value.boolean().value_or(false));
        case Kind::Integer:
            return json.add(key, value.integer({}).value_or(0));
        case Kind::Number:
            return json.add(key, numberOf(value));
        case Kind::String:
            return json.add(key, value.text().value_or(""));
        case Kind::Array:
            json.beginArray(key);
            break;
        case Kind::Object:
            json.beginObject(key);
            break;
    }
    for (const JsonValue& part : value.is(Kind::Array) ? value.items() : value.members()) {
        addValue(json, part);
    }
    json.end();
}

/// As a value of a document.
Result<JsonValue> valueOf(const Sourced<BytesPerSecond>& number) {
    JsonText json;
    json.beginObject();
    writeSourced(json, "number", number);
    json.end();
    FABRICAST_ASSIGN(const JsonValue root, parseJson(std::move(json).finish(), "a number"));
    FABRICAST_ASSIGN(const JsonValue* const value, root.require("number"));
    return *value;
}

}  // namespace

Result<std::string> withNumbers(const ProfileFile& file, std::span<const ProfileNumber> numbers) {
    FABRICAST_ASSIGN(JsonValue root, readDocument(file));
    FABRICAST_TRY(root.expect(Kind::Object));
    const JsonBuilder builder(file.source);
    for (const ProfileNumber& one : numbers) {
        FABRICAST_ASSIGN(JsonValue value, valueOf(one.number));
        FABRICAST_ASSIGN(root, builder.with(std::move(root), one.path, std::move(value)));
    }
    JsonText json;
    addValue(json, root);
    return std::move(json).finish();
}

}  // namespace fabricast
