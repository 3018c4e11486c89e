#include "planner/launch/launch_keys.h"
#include "planner/text/json_document.h"

#include <utility>

namespace fabricast {
namespace {

std::string textOfJson(const JsonValue& value) {
    using Kind = JsonValue::Kind;
    if (value.is(Kind::String)) {
        return value.text().value_or("");
    }
    return value.is(Kind::Null) ? "null" : value.shown();
}

void addJson(const JsonValue& object, const std::string& section, LaunchKeys& keys) {
    for (const JsonValue& member : object.members()) {
        const std::string path = section + member.name();
        if (member.is(JsonValue::Kind::Object)) {
            addJson(member, path + ".", keys);
            continue;
        }
        LaunchKey key{.path = path, .values = {}, .line = member.line(), .column = member.column()};
        if (member.is(JsonValue::Kind::Array)) {
            for (const JsonValue& item : member.items()) {
                key.values.push_back(textOfJson(item));
            }
        } else {
            key.values.push_back(textOfJson(member));
            key.isQuoted = member.is(JsonValue::Kind::String);
        }
        keys.add(std::move(key));
    }
}

}  // namespace

Result<LaunchKeys> readJsonKeys(std::string_view text, const std::string& source) {
    Result<JsonValue> parsed = parseJson(text, source);
    if (!parsed && parsed.error().hint.empty()) {
        parsed.error().hint =
            "texts in double quotes, and a comma between entries, but none behind the last";
    }
    FABRICAST_ASSIGN(const JsonValue root, std::move(parsed));
    LaunchKeys keys(source);
    FABRICAST_TRY(root.expect(JsonValue::Kind::Object));
    addJson(root, "", keys);
    if (keys.all().size() > kMostLaunchKeys) {
        return fail(Error::Code::BadInput, source, "more keys than a launch file has");
    }
    return keys;
}

}  // namespace fabricast
