#pragma once
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What keeps a text from being one well-formed XML element with its content, behind a DOCTYPE;
/// empty where nothing does. `elements` receives the name of each in its order.
///     EXPECT_EQ(xmlTrouble(page), "");
inline std::string xmlTrouble(std::string_view text, std::vector<std::string>* elements = nullptr) {
    const auto trouble = [&](std::size_t at, const std::string& what) {
        return what + " at \"" + std::string(text.substr(at, 60)) + "\"";
    };
    const auto badEntity = [&](std::size_t from, std::size_t to) {
        for (std::size_t at = text.find('&', from); at < to; at = text.find('&', at + 1)) {
            const std::string_view name = text.substr(at, text.find(';', at) - at);
            if (name != "&lt" && name != "&gt" && name != "&amp" && name != "&quot") {
                return at;
            }
        }
        return std::string_view::npos;
    };
    std::vector<std::string> open;
    bool hadRoot = false;
    std::size_t at = text.starts_with("<!DOCTYPE") ? text.find('>') + 1 : 0;
    while (at < text.size()) {
        const std::size_t tag = std::min(text.find('<', at), text.size());
        if (const std::size_t bad = badEntity(at, tag); bad != std::string_view::npos) {
            return trouble(bad, "no entity");
        }
        const bool isBlank = std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at),
                                         text.begin() + static_cast<std::ptrdiff_t>(tag),
                                         [](unsigned char c) { return std::isspace(c) != 0; });
        if (open.empty() && !isBlank) {
            return trouble(at, "text outside of an element");
        }
        if (tag == text.size()) {
            break;
        }
        std::size_t end = tag + 1;
        bool isQuoted = false;
        while (end < text.size() && (isQuoted || text[end] != '>')) {
            isQuoted = isQuoted != (text[end] == '"');
            if (text[end] == '<') {
                return trouble(tag, "a tag in a tag");
            }
            ++end;
        }
        if (end == text.size()) {
            return trouble(tag, "a tag without an end");
        }
        if (badEntity(tag, end) != std::string_view::npos) {
            return trouble(tag, "no entity in an attribute");
        }
        const bool closes = text[tag + 1] == '/';
        const std::size_t from = tag + (closes ? 2 : 1);
        const std::string name(text.substr(from, text.find_first_of(" />\n", from) - from));
        if (closes) {
            if (open.empty() || open.back() != name) {
                return trouble(tag, "closes what is not open");
            }
            open.pop_back();
        } else {
            if (open.empty() && hadRoot) {
                return trouble(tag, "a second element");
            }
            hadRoot = true;
            if (elements != nullptr) {
                elements->push_back(name);
            }
            if (text[end - 1] != '/') {
                open.push_back(name);
            }
        }
        at = end + 1;
    }
    return open.empty() ? "" : "never closes " + open.back();
}

}  // namespace fabricast
