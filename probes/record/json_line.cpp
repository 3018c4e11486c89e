#include "probes/record/json_line.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace fabricast::probe {

namespace {

/// How many bytes the UTF-8 letter at the start of a text has; 0 where none begins.
std::size_t letterBytes(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = byte(0);
    const std::size_t bytes = first < 0x80                    ? 1
                              : first >= 0xC2 && first < 0xE0 ? 2
                              : first >= 0xE0 && first < 0xF0 ? 3
                              : first >= 0xF0 && first < 0xF5 ? 4
                                                              : 0;
    if (bytes == 0 || bytes > text.size()) {
        return 0;
    }
    for (std::size_t at = 1; at < bytes; ++at) {
        if ((byte(at) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    // Overlong forms, surrogates and what is beyond Unicode are no letters.
    const bool strange =
        bytes > 2 && ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0) ||
                      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90));
    return strange ? 0 : bytes;
}

std::string escapedByte(unsigned char byte) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return std::string("\\u00") + kDigits[byte >> 4U] + kDigits[byte & 15U];
}

template <class Range, class Print>
std::string listText(const Range& range, Print print) {
    std::string text = "[";
    for (const auto& value : range) {
        if (text.size() > 1) {
            text += ',';
        }
        text += print(value);
    }
    text += ']';
    return text;
}

}  // namespace

std::string jsonString(std::string_view text) {
    std::string quoted = "\"";
    while (!text.empty()) {
        const std::size_t bytes = letterBytes(text);
        const char letter = text.front();
        if (bytes == 0) {
            quoted += "\xEF\xBF\xBD";  // the replacement letter
        } else if (letter == '"' || letter == '\\') {
            quoted += {'\\', letter};
        } else if (bytes == 1 && static_cast<unsigned char>(letter) < 0x20) {
            quoted += escapedByte(static_cast<unsigned char>(letter));
        } else {
            quoted += text.substr(0, bytes);
        }
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return quoted + "\"";
}

std::string jsonNumber(double value) {
    if (!std::isfinite(value)) {
        return "null";
    }
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() ? std::string(text.data(), end) : "null";
}

JsonLine& JsonLine::addRaw(std::string_view name, std::string_view value) {
    if (!members_.empty()) {
        members_ += ',';
    }
    members_ += jsonString(name);
    members_ += ':';
    members_ += value;
    return *this;
}

JsonLine& JsonLine::add(std::string_view name, std::string_view text) {
    return addRaw(name, jsonString(text));
}

JsonLine& JsonLine::add(std::string_view name, double value) {
    return addRaw(name, jsonNumber(value));
}

JsonLine& JsonLine::add(std::string_view name, bool value) {
    return addRaw(name, value ? "true" : "false");
}

JsonLine& JsonLine::add(std::string_view name, const JsonLine& object) {
    return addRaw(name, object.text());
}

JsonLine& JsonLine::add(std::string_view name, const std::vector<double>& values) {
    return addRaw(name, listText(values, jsonNumber));
}

JsonLine& JsonLine::add(std::string_view name, const std::vector<std::string>& texts) {
    return addRaw(name, listText(texts, jsonString));
}

JsonLine& JsonLine::add(std::string_view name, const std::vector<JsonLine>& objects) {
    return addRaw(name, listText(objects, [](const JsonLine& object) { return object.text(); }));
}

}  // namespace fabricast::probe
