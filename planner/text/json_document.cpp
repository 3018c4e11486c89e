#include "planner/text/json_document.h"

#include "planner/base/nearest_name.h"
#include "planner/text/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kLongestQuoted = 40;

std::string kindName(JsonValue::Kind kind) {
    switch (kind) {
        case JsonValue::Kind::Null:
            return "null";
        case JsonValue::Kind::Boolean:
            return "true or false";
        case JsonValue::Kind::Integer:
            return "a whole number";
        case JsonValue::Kind::Number:
            return "a number";
        case JsonValue::Kind::String:
            return "a string";
        case JsonValue::Kind::Array:
            return "a list";
        case JsonValue::Kind::Object:
            return "an object";
    }
    return "nothing";
}

/// Cut to fit a message, never within a UTF-8 sequence.
std::string shortened(std::string_view text) {
    if (text.size() <= kLongestQuoted) {
        return std::string(text);
    }
    std::size_t end = kLongestQuoted;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return std::string(text.substr(0, end)) + "…";
}

/// More than anything that is counted or measured here.
bool isUnbounded(double most) {
    constexpr double kAny = 1e15;
    return most >= kAny;
}

std::string wholeRangeText(JsonValue::Range range) {
    const JsonValue::Range all;
    if (range.most == all.most) {
        return range.least == all.least ? "" : " of at least " + std::to_string(range.least);
    }
    return " from " + std::to_string(range.least) + " to " + std::to_string(range.most);
}

}  // namespace

JsonValue::JsonValue() = default;
JsonValue::~JsonValue() = default;
JsonValue::JsonValue(const JsonValue& other) = default;
JsonValue& JsonValue::operator=(const JsonValue& other) = default;
JsonValue::JsonValue(JsonValue&& other) noexcept = default;
JsonValue& JsonValue::operator=(JsonValue&& other) noexcept = default;

std::string JsonValue::whereAt(Position position) const {
    std::string source = source_ ? *source_ : std::string();
    if (position.line == 0) {
        return source;
    }
    return source + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

std::string JsonValue::where() const {
    return whereAt(at_);
}
std::string JsonValue::whereKey() const {
    return whereAt(keyAt_);
}

std::string JsonValue::title() const {
    return name_.empty() ? "the text" : "\"" + shortened(name_) + "\"";
}

std::string JsonValue::shown() const {
    switch (kind_) {
        case Kind::String:
            return "\"" + shortened(text_) + "\"";
        case Kind::Integer:
        case Kind::Number:
            return shortened(text_);
        case Kind::Boolean:
            return boolean_ ? "true" : "false";
        default:
            return kindName(kind_);
    }
}

Error JsonValue::problem(std::string_view why, std::string hint) const {
    return {Error::Code::BadInput, where(), title() + " " + std::string(why), std::move(hint)};
}

Result<void> JsonValue::expect(Kind kind) const {
    if (kind_ == kind) {
        return {};
    }
    return tl::unexpected(problem("must be " + kindName(kind) + ", not " + shown()));
}

Result<bool> JsonValue::boolean() const {
    FABRICAST_TRY(expect(Kind::Boolean));
    return boolean_;
}

Result<std::string> JsonValue::text() const {
    FABRICAST_TRY(expect(Kind::String));
    return text_;
}

Result<std::int64_t> JsonValue::integer(Range range) const {
    // 4e9, 1e18 and 128.0 are whole numbers too.
    constexpr double kMostWhole = 9.2e18;
    const bool whole =
        is(Kind::Number) && std::abs(number_) <= kMostWhole && std::trunc(number_) == number_;
    const std::int64_t value = whole ? static_cast<std::int64_t>(number_) : integer_;
    if (!(whole || is(Kind::Integer)) || value < range.least || value > range.most) {
        return tl::unexpected(
            problem("must be a whole number" + wholeRangeText(range) + ", not " + shown()));
    }
    return value;
}

Result<double> JsonValue::number(double least, double most) const {
    if (!isNumber()) {
        return tl::unexpected(problem("must be a number, not " + shown()));
    }
    if (!(number_ >= least && number_ <= most)) {
        const std::string range = isUnbounded(most) && number_ > most
                                      ? "at most " + numberText(most)
                                      : rangeText(least, most);
        return tl::unexpected(problem("is out of range at " + shown() + ": " + range));
    }
    return number_;
}

std::string JsonValue::rangeText(double least, double most) {
    return isUnbounded(most) ? "at least " + numberText(least)
                             : "from " + numberText(least) + " to " + numberText(most);
}

std::span<const JsonValue> JsonValue::items() const {
    return is(Kind::Array) ? std::span<const JsonValue>(parts_) : std::span<const JsonValue>();
}

std::span<const JsonValue> JsonValue::members() const {
    return is(Kind::Object) ? std::span<const JsonValue>(parts_) : std::span<const JsonValue>();
}

const JsonValue* JsonValue::find(std::string_view key) const {
    const auto all = members();
    const auto found = std::find_if(
        all.begin(), all.end(), [key](const JsonValue& member) { return member.name_ == key; });
    return found == all.end() ? nullptr : &*found;
}

Result<const JsonValue*> JsonValue::require(std::string_view key) const {
    FABRICAST_TRY(expect(Kind::Object));
    if (const JsonValue* value = find(key)) {
        return value;
    }
    const std::string quoted = "\"" + std::string(key) + "\"";
    return tl::unexpected(problem("has no " + quoted, "add " + quoted));
}

Result<void> JsonValue::onlyKeys(std::span<const std::string_view> known) const {
    FABRICAST_TRY(expect(Kind::Object));
    for (const JsonValue& member : parts_) {
        if (std::find(known.begin(), known.end(), member.name_) == known.end()) {
            return fail(Error::Code::BadInput,
                        member.whereKey(),
                        "unknown key \"" + shortened(member.name_) + "\"",
                        suggestName(member.name_, known));
        }
    }
    return {};
}

Result<bool> JsonValue::booleanOr(std::string_view key, bool fallback) const {
    const JsonValue* value = find(key);
    return value == nullptr ? Result<bool>(fallback) : value->boolean();
}

Result<std::int64_t> JsonValue::integerOr(std::string_view key,
                                          std::int64_t fallback,
                                          Range range) const {
    const JsonValue* value = find(key);
    return value == nullptr ? Result<std::int64_t>(fallback) : value->integer(range);
}

Result<double> JsonValue::numberOr(std::string_view key,
                                   double fallback,
                                   double least,
                                   double most) const {
    const JsonValue* value = find(key);
    return value == nullptr ? Result<double>(fallback) : value->number(least, most);
}

Result<std::string> JsonValue::textOr(std::string_view key, std::string fallback) const {
    const JsonValue* value = find(key);
    return value == nullptr ? Result<std::string>(std::move(fallback)) : value->text();
}

}  // namespace fabricast
