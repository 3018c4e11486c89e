#include "planner/text/json_builder.h"
#include "planner/text/json_document.h"
#include "planner/text/json_lines.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostBytes = std::size_t{8} << 20;
constexpr std::size_t kMostValues = 200'000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Follows the text alongside the lexer, and tracks the line and column of each token.
class TokenPlace {
public:
    TokenPlace(std::string_view text, std::int64_t line) : text_(text), line_(line) {}

    /// Moves to where the next token begins: past space, comments, ':' ',' and closed brackets.
    void toNextToken() {
        while (at_ < text_.size()) {
            if (text_.substr(at_, 2) == "//") {
                skipUntil("\n");
            } else if (text_.substr(at_, 2) == "/*") {
                skipUntil("*/");
            } else if (std::string_view(" \t\r\n:,]}").find(text_[at_]) != std::string_view::npos) {
                step();
            } else {
                return;
            }
        }
    }
    void advanceTo(std::size_t end) {
        while (at_ < std::min(end, text_.size())) {
            step();
        }
    }
    /// Past the token that begins here.
    void overToken() {
        if (at_ < text_.size() && text_[at_] == '"') {
            overString();
            return;
        }
        if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '{')) {
            step();
            return;
        }
        while (at_ < text_.size() &&
               std::string_view(" \t\r\n:,]}/").find(text_[at_]) == std::string_view::npos) {
            step();
        }
    }
    [[nodiscard]] std::int64_t line() const { return line_; }
    [[nodiscard]] std::int64_t column() const { return column_; }

private:
    /// Columns count characters, so the bytes that continue a UTF-8 sequence count for nothing.
    void step() {
        const auto byte = static_cast<unsigned char>(text_[at_++]);
        if (byte == '\n') {
            ++line_;
            column_ = 1;
        } else if ((byte & 0xC0U) != 0x80U) {
            ++column_;
        }
    }
    void skipUntil(std::string_view end) {
        const std::size_t found = text_.find(end, at_ + 2);
        advanceTo(found == std::string_view::npos ? text_.size() : found + end.size());
    }
    void overString() {
        step();
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] == '\\') {
                step();
            }
            if (at_ < text_.size()) {
                step();
            }
        }
        if (at_ < text_.size()) {
            step();
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::int64_t line_;
    std::int64_t column_ = 1;
};

/// The library's message without its prefix and what it last read: "unexpected ','; expected …".
std::string syntaxMessage(std::string_view what) {
    for (const std::string_view prefix : {"] ", " - "}) {
        if (const std::size_t found = what.find(prefix); found != std::string_view::npos) {
            what.remove_prefix(found + prefix.size());
        }
    }
    std::string message(what.substr(0, what.find("; last read")));
    if (const std::size_t expected = what.rfind("; expected"); expected > message.size()) {
        message.append(what.substr(std::min(expected, what.size())));
    }
    std::replace_if(
        message.begin(), message.end(), [](char c) { return c < 0x20 || c > 0x7E; }, '?');
    constexpr std::size_t kMostShown = 200;
    return message.size() <= kMostShown ? message : message.substr(0, kMostShown) + "…";
}

/// Builds JsonValues from the events of nlohmann's parser.
class EventSink {
public:
    using json = nlohmann::json;
    EventSink(std::string_view text, const std::string& source, std::int64_t line)
        : text_(text), line_(line), place_(text, line), build_(source), source_(source) {}

    // NOLINTBEGIN(readability-identifier-naming): the names are the library's.
    bool null() { return begin() && add(build_.null()); }
    bool boolean(bool value) { return begin() && add(build_.boolean(value)); }
    bool number_integer(json::number_integer_t value) {
        return begin() && add(build_.integer(value, std::to_string(value)));
    }
    bool number_unsigned(json::number_unsigned_t value) {
        if (value > static_cast<json::number_unsigned_t>(JsonValue::Range{}.most)) {
            return number_float(static_cast<double>(value), std::to_string(value));
        }
        return number_integer(static_cast<json::number_integer_t>(value));
    }
    bool number_float(json::number_float_t value, const std::string& written) {
        return begin() && add(build_.number(value, written));
    }
    bool string(std::string& value) { return begin() && add(build_.string(std::move(value))); }
    bool binary(json::binary_t& /*never in a text*/) { return false; }
    bool start_object(std::size_t) { return begin() && open(build_.object()); }
    bool start_array(std::size_t) { return begin() && open(build_.array()); }
    bool end_array() { return close(); }
    bool end_object() {
        if (const JsonValue* twin = JsonBuilder::repeatedKey(open_.back().value)) {
            return refuse(
                twin->whereKey(), "\"" + twin->name() + "\" is given twice", "remove one of them");
        }
        return close();
    }
    bool key(std::string& name) {
        enterToken();
        open_.back().key = build_.string(std::move(name));
        return true;
    }
    bool parse_error(std::size_t bytes,
                     const std::string& /*token*/,
                     const json::exception& error) {
        TokenPlace place(text_, line_);
        place.advanceTo(bytes == 0 ? 0 : bytes - 1);
        return refuse(
            source_ + ":" + std::to_string(place.line()) + ":" + std::to_string(place.column()),
            "not valid JSON: " + syntaxMessage(error.what()),
            "");
    }

    // NOLINTEND(readability-identifier-naming)

    Result<JsonValue> take() {
        if (error_) {
            return tl::unexpected(*std::move(error_));
        }
        return std::move(root_);
    }

private:
    struct Open {
        JsonValue value;
        JsonValue key;  ///< of the member being read
    };

    void enterToken() {
        place_.toNextToken();
        build_.moveTo(place_.line(), place_.column());
        place_.overToken();
    }
    bool begin() {
        enterToken();
        return ++values_ <= kMostValues || refuse(here(), "more than 200,000 values", "");
    }
    [[nodiscard]] std::string here() const { return build_.null().where(); }
    bool refuse(std::string where, std::string why, std::string hint) {
        error_ = Error{Error::Code::BadInput, std::move(where), std::move(why), std::move(hint)};
        return false;
    }
    bool open(JsonValue value) {
        if (open_.size() == kDeepest) {
            return refuse(here(), "more than 64 levels deep", "");
        }
        if (!open_.empty()) {
            JsonBuilder::rename(value, nameOfNext());
        }
        open_.push_back({std::move(value), {}});
        return true;
    }
    [[nodiscard]] std::string nameOfNext() const {
        const Open& parent = open_.back();
        if (parent.value.is(JsonValue::Kind::Array)) {
            return parent.value.name() + "[" + std::to_string(parent.value.items().size()) + "]";
        }
        return parent.key.text().value_or("");
    }
    bool close() {
        JsonValue done = std::move(open_.back().value);
        open_.pop_back();
        return add(std::move(done));
    }
    bool add(JsonValue value) {
        if (open_.empty()) {
            root_ = std::move(value);
        } else if (open_.back().value.is(JsonValue::Kind::Array)) {
            JsonBuilder::appendItem(open_.back().value, std::move(value));
        } else {
            JsonBuilder::appendMember(
                open_.back().value, std::move(open_.back().key), std::move(value));
        }
        return true;
    }

    std::string_view text_;
    std::int64_t line_;
    TokenPlace place_;
    JsonBuilder build_;
    std::string source_;
    std::vector<Open> open_;
    std::size_t values_ = 0;
    JsonValue root_;
    std::optional<Error> error_;
};

std::size_t withoutMark(std::string_view text) {
    return text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

}  // namespace

Result<JsonValue> parseJson(std::string_view text, const std::string& source) {
    return parseJsonFrom(text, source, 1);
}

Result<JsonValue> parseJsonFrom(std::string_view text,
                                const std::string& source,
                                std::int64_t line) {
    if (text.size() > kMostBytes) {
        return fail(Error::Code::BadInput,
                    line > 1 ? source + ":" + std::to_string(line) : source,
                    "is larger than 8 MiB");
    }
    text.remove_prefix(withoutMark(text));
    // The library takes it for the end, whatever follows.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
        TokenPlace place(text, line);
        place.advanceTo(nul);
        return fail(
            Error::Code::BadInput,
            source + ":" + std::to_string(place.line()) + ":" + std::to_string(place.column()),
            "not valid JSON: a NUL byte");
    }
    EventSink sink(text, source, line);
    try {
        nlohmann::json::sax_parse(text.data(),
                                  text.data() + text.size(),
                                  &sink,
                                  nlohmann::json::input_format_t::json,
                                  /*strict=*/true,
                                  /*ignore_comments=*/true);
    } catch (const std::exception& error) {
        return fail(Error::Code::BadInput, source, syntaxMessage(error.what()));
    }
    return sink.take();
}

Result<JsonValue> parseJsonArgument(std::string_view text, const std::string& source) {
    const JsonBuilder build(source);
    Result<JsonValue> parsed = parseJson(text, source);
    return parsed ? JsonBuilder::unplaced(*std::move(parsed)) : build.string(std::string(text));
}

}  // namespace fabricast
