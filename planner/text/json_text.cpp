#include "planner/text/json_text.h"

#include "planner/output/printable_text.h"
#include "planner/text/number_text.h"
#include "planner/text/utf8_text.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace fabricast {
namespace {

std::string numbered(unsigned code) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string text = "\\u";
    for (const unsigned shift : {12U, 8U, 4U, 0U}) {
        text += kHex[(code >> shift) & 15U];
    }
    return text;
}

std::string escaped(char letter) {
    switch (letter) {
        case '"':
            return "\\\"";
        case '\\':
            return "\\\\";
        case '\n':
            return "\\n";
        case '\t':
            return "\\t";
        case '\r':
            return "\\r";
        default:
            break;
    }
    if (static_cast<unsigned char>(letter) >= 0x20 && letter != 0x7F) {
        return {letter};
    }
    return numbered(static_cast<unsigned char>(letter));
}

/// What a terminal is not shown has two or three bytes, if not one.
std::string escaped(std::string_view character) {
    if (character.size() > 3 || printableText(character) == character) {
        return std::string(character);
    }
    unsigned code =
        static_cast<unsigned char>(character.front()) & (character.size() == 2 ? 31U : 15U);
    for (const char byte : character.substr(1)) {
        code = (code << 6U) | (static_cast<unsigned char>(byte) & 63U);
    }
    return numbered(code);
}

}  // namespace

std::string jsonQuoted(std::string_view text) {
    std::string quoted = "\"";
    while (!text.empty()) {
        const std::size_t length = utf8Length(text);
        if (length > 1) {
            quoted.append(escaped(text.substr(0, length)));
        } else {
            quoted.append(length == 0 ? std::string("\xEF\xBF\xBD") : escaped(text.front()));
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return quoted + "\"";
}

void JsonText::newLine() {
    text_.append("\n").append(2 * open_.size(), ' ');
}

void JsonText::next(std::string_view key) {
    if (!open_.empty()) {
        text_.append(first_ ? "" : ",");
        newLine();
    }
    first_ = false;
    if (!open_.empty() && open_.back() == '{') {
        text_.append(jsonQuoted(key)).append(": ");
    }
}

void JsonText::begin(char bracket, std::string_view key) {
    next(key);
    text_ += bracket;
    open_.push_back(bracket);
    first_ = true;
}

void JsonText::end() {
    const char bracket = open_.back();
    open_.pop_back();
    if (!first_) {
        newLine();
    }
    text_ += bracket == '{' ? '}' : ']';
    first_ = false;
}

void JsonText::add(std::string_view key, std::string_view text) {
    next(key);
    text_ += jsonQuoted(text);
}

void JsonText::add(std::string_view key, const std::vector<std::string>& texts) {
    beginArray(key);
    for (const std::string& text : texts) {
        item(text);
    }
    end();
}

void JsonText::add(std::string_view key, bool value) {
    next(key);
    text_ += value ? "true" : "false";
}

void JsonText::add(std::string_view key, double value) {
    if (!std::isfinite(value)) {
        addNull(key, "not a finite number");
        return;
    }
    next(key);
    text_ += numberText(value);
}

void JsonText::addWhole(std::string_view key, std::int64_t value) {
    next(key);
    text_ += std::to_string(value);
}

void JsonText::addNull(std::string_view key, std::string_view why) {
    next(key);
    text_ += "null";
    if (!why.empty()) {
        add(std::string(key) + "_why", why);
    }
}

void JsonText::item(std::string_view text) {
    add({}, text);
}
void JsonText::item(std::int64_t value) {
    addWhole({}, value);
}
void JsonText::item(double value) {
    next({});
    text_ += std::isfinite(value) ? numberText(value) : "null";
}

std::string JsonText::finish() && {
    return std::move(text_) + "\n";
}

}  // namespace fabricast
