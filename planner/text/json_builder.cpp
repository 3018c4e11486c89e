#include "planner/text/json_builder.h"

#include "planner/text/json_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace fabricast {

JsonValue JsonBuilder::make(JsonValue::Kind kind) const {
    JsonValue value;
    value.kind_ = kind;
    value.at_ = at_;
    value.source_ = source_;
    return value;
}

JsonValue JsonBuilder::boolean(bool value) const {
    JsonValue made = make(JsonValue::Kind::Boolean);
    made.boolean_ = value;
    return made;
}

JsonValue JsonBuilder::integer(std::int64_t value, std::string written) const {
    JsonValue made = make(JsonValue::Kind::Integer);
    made.integer_ = value;
    made.number_ = static_cast<double>(value);
    made.text_ = std::move(written);
    return made;
}

JsonValue JsonBuilder::number(double value, std::string written) const {
    JsonValue made = make(JsonValue::Kind::Number);
    made.number_ = value;
    made.text_ = std::move(written);
    return made;
}

JsonValue JsonBuilder::string(std::string value) const {
    JsonValue made = make(JsonValue::Kind::String);
    made.text_ = std::move(value);
    return made;
}

void JsonBuilder::appendItem(JsonValue& array, JsonValue item) {
    item.name_ = array.name_ + "[" + std::to_string(array.parts_.size()) + "]";
    array.parts_.push_back(std::move(item));
}

void JsonBuilder::appendMember(JsonValue& object, JsonValue key, JsonValue value) {
    value.name_ = std::move(key.text_);
    value.keyAt_ = key.at_;
    object.parts_.push_back(std::move(value));
}

JsonValue JsonBuilder::unplaced(JsonValue value) {
    value.at_ = {};
    value.keyAt_ = {};
    for (JsonValue& part : value.parts_) {
        part = unplaced(std::move(part));
    }
    return value;
}

const JsonValue* JsonBuilder::repeatedKey(const JsonValue& object) {
    std::vector<const JsonValue*> sorted;
    sorted.reserve(object.parts_.size());
    for (const JsonValue& member : object.parts_) {
        sorted.push_back(&member);
    }
    // Members lie in the order of the text, so the address says which of two came later.
    std::sort(sorted.begin(), sorted.end(), [](const JsonValue* a, const JsonValue* b) {
        return a->name_ != b->name_ ? a->name_ < b->name_ : a < b;
    });
    const auto twin = std::adjacent_find(
        sorted.begin(), sorted.end(), [](const JsonValue* a, const JsonValue* b) {
            return a->name_ == b->name_;
        });
    return twin == sorted.end() ? nullptr : *(twin + 1);
}

Result<JsonValue> JsonBuilder::with(JsonValue root, std::string_view path, JsonValue value) const {
    JsonValue* place = &root;
    while (true) {
        const std::size_t dot = path.find('.');
        const std::string key(path.substr(0, dot));
        if (key.empty()) {
            return fail(Error::Code::BadInput,
                        *source_,
                        "a path is keys joined by dots",
                        "workload.sequence=4096");
        }
        FABRICAST_TRY(place->expect(JsonValue::Kind::Object));
        auto member = std::find_if(place->parts_.begin(),
                                   place->parts_.end(),
                                   [&key](const JsonValue& part) { return part.name_ == key; });
        if (member == place->parts_.end()) {
            appendMember(*place, string(key), object());
            member = place->parts_.end() - 1;
        }
        if (dot == std::string_view::npos) {
            value.name_ = key;
            value.keyAt_ = at_;
            *member = std::move(value);
            return root;
        }
        place = &*member;
        path.remove_prefix(dot + 1);
    }
}

JsonValue JsonBuilder::without(JsonValue root, std::string_view path) {
    JsonValue* place = &root;
    while (true) {
        const std::size_t dot = path.find('.');
        const auto member =
            std::ranges::find(place->parts_, path.substr(0, dot), &JsonValue::name_);
        if (member == place->parts_.end() || !place->is(JsonValue::Kind::Object)) {
            return root;
        }
        if (dot == std::string_view::npos) {
            place->parts_.erase(member);
            return root;
        }
        place = &*member;
        path.remove_prefix(dot + 1);
    }
}

std::string JsonBuilder::written(const JsonValue& value) {
    std::string text;
    write(value, "", text);
    return text;
}

void JsonBuilder::write(const JsonValue& value, const std::string& indent, std::string& text) {
    const bool isObject = value.is(JsonValue::Kind::Object);
    if (!isObject && !value.is(JsonValue::Kind::Array)) {
        const bool isText = value.is(JsonValue::Kind::String);
        const bool isNumber = value.isNumber();
        text += isText ? jsonQuoted(value.text_) : isNumber ? value.text_ : value.shown();
        return;
    }
    text += isObject ? "{" : "[";
    const std::string inner = indent + "  ";
    for (const JsonValue& part : value.parts_) {
        text += (&part == value.parts_.data() ? "\n" : ",\n") + inner;
        text += isObject ? jsonQuoted(part.name_) + ": " : "";
        write(part, inner, text);
    }
    text += value.parts_.empty() ? "" : "\n" + indent;
    text += isObject ? "}" : "]";
}

}  // namespace fabricast
