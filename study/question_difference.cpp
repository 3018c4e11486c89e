#include "planner/text/json_builder.h"
#include "study/question_flags.h"
#include "study/saved_questions.h"

#include <string>

namespace fabricast {
namespace {

/// What no answer depends on.
constexpr std::string_view kViewPath = "view";

std::string originOf(const std::string& path) {
    const QuestionFlag* flag = flagOf(path);
    return flag != nullptr               ? std::string(flag->typed)
           : path.starts_with("layout.") ? "--layout"
                                         : "--set";
}

std::string typedValue(const JsonValue& value) {
    if (value.is(JsonValue::Kind::String)) {
        return value.text().value_or("");
    }
    std::string text = JsonBuilder::written(value);
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    return text;
}

void addSaid(const JsonValue& value, const std::string& path, std::vector<Edit>& edits) {
    if (value.is(JsonValue::Kind::Object)) {
        for (const JsonValue& member : value.members()) {
            addSaid(member, path + "." + member.name(), edits);
        }
        return;
    }
    if (value.is(JsonValue::Kind::Array)) {
        for (const JsonValue& item : value.items()) {
            edits.push_back({path, typedValue(item), originOf(path)});
        }
        return;
    }
    edits.push_back({path, typedValue(value), originOf(path)});
}

void addDifference(const JsonValue& from,
                   const JsonValue& to,
                   const std::string& path,
                   std::vector<Edit>& edits) {
    const auto below = [&](const JsonValue& member) {
        return path.empty() ? member.name() : path + "." + member.name();
    };
    for (const JsonValue& member : from.members()) {
        if (to.find(member.name()) == nullptr && below(member) != kViewPath) {
            edits.push_back({below(member), "null", "--set"});
        }
    }
    for (const JsonValue& member : to.members()) {
        const JsonValue* before = from.find(member.name());
        const bool same =
            before != nullptr && JsonBuilder::written(*before) == JsonBuilder::written(member);
        if (same || below(member) == kViewPath) {
            continue;
        }
        if (before != nullptr && before->is(JsonValue::Kind::Object) &&
            member.is(JsonValue::Kind::Object)) {
            addDifference(*before, member, below(member), edits);
        } else {
            addSaid(member, below(member), edits);
        }
    }
}

}  // namespace

std::vector<Edit> editsBetween(const Question& from, const Question& to) {
    std::vector<Edit> edits;
    addDifference(from.root, to.root, "", edits);
    return edits;
}

}  // namespace fabricast
