#include "planner/launch/launch_keys.h"
#include "planner/launch/toml_letters.h"

// What it asserts is what a file may say: its parser reports that as an error anyway.
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>

namespace fabricast {
namespace {

std::string textOfToml(const toml::node& node) {
    if (const auto* const text = node.as_string()) {
        return text->get();
    }
    if (const auto* const flag = node.as_boolean()) {
        return flag->get() ? "true" : "false";
    }
    if (const auto* const whole = node.as_integer()) {
        return std::to_string(whole->get());
    }
    if (const auto* const number = node.as_floating_point()) {
        std::string text = std::to_string(number->get());
        return text;
    }
    return "?";  // a date, or a list in a list
}

void addToml(const toml::table& table, const std::string& section, LaunchKeys& keys) {
    for (const auto& [name, node] : table) {
        const std::string path = section + std::string(name.str());
        if (const auto* const inner = node.as_table()) {
            addToml(*inner, path + ".", keys);
            continue;
        }
        LaunchKey key{.path = path,
                      .values = {},
                      .line = name.source().begin.line,
                      .column = name.source().begin.column};
        if (const auto* const items = node.as_array()) {
            for (const toml::node& item : *items) {
                key.values.push_back(textOfToml(item));
            }
        } else {
            key.values.push_back(textOfToml(node));
            key.isQuoted = node.is_string();
        }
        keys.add(std::move(key));
    }
}

/// A key of very many parts makes tables in tables, deeper than a reader can go.
std::int64_t lineOfLongKey(std::string_view text) {
    std::int64_t line = 1;
    int dots = 0;
    bool inKey = true;
    for (const char letter : text) {
        if (letter == '\n') {
            ++line;
            dots = 0;
            inKey = true;
        } else if (letter == '=' || letter == '#') {
            inKey = false;
        } else if (letter == '.' && inKey && ++dots > kMostLaunchLevels) {
            return line;
        }
    }
    return 0;
}

TextPlace placeOfError(const toml::parse_error& error) {
    return {.line = error.source().begin.line, .column = error.source().begin.column};
}

tl::unexpected<Error> notToml(const toml::parse_error& error,
                              const TextPlace& place,
                              const std::string& source) {
    return fail(Error::Code::BadInput,
                source + ":" + std::to_string(place.line) + ":" + std::to_string(place.column),
                std::string(error.description()),
                "key = value on each line, below [section], with texts in quotes");
}

Result<void> checkShape(std::string_view text, const std::string& source) {
    const std::string shape = asciiShape(text);
    if (shape == text) {
        return {};
    }
    try {
        (void)toml::parse(shape, source);
    } catch (const toml::parse_error& error) {
        return notToml(error, placeInShape(text, placeOfError(error)), source);
    }
    return {};
}

}  // namespace

Result<LaunchKeys> readTomlKeys(std::string_view text, const std::string& source) {
    LaunchKeys keys(source);
    if (const std::int64_t line = lineOfLongKey(text); line > 0) {
        return fail(Error::Code::BadInput,
                    source + ":" + std::to_string(line) + ":1",
                    "a key has more levels than a launch file has");
    }
    if (const std::optional<TextPlace> key = tomlKeyBeyond(text, kMostLaunchKeys)) {
        return fail(Error::Code::BadInput,
                    source + ":" + std::to_string(key->line) + ":" + std::to_string(key->column),
                    "is a key beyond the " + std::to_string(kMostLaunchKeys) +
                        " that a launch file may have",
                    "the file that starts the training");
    }
    // It is TOML before a letter beyond ASCII is, so that quotes are what they look like.
    FABRICAST_TRY(checkShape(text, source));
    if (const std::optional<TextPlace> stray = strayTomlLetter(text)) {
        return fail(
            Error::Code::BadInput,
            source + ":" + std::to_string(stray->line) + ":" + std::to_string(stray->column),
            "a letter beyond ASCII outside of quotes and comments",
            "put the key or the value in quotes");
    }
    try {
        addToml(toml::parse(text, source), "", keys);
    } catch (const toml::parse_error& error) {
        return notToml(error, placeOfError(error), source);
    }
    return keys;
}

}  // namespace fabricast
