#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

/// A place in a text, both from 1; columns count letters, not bytes.
struct TextPlace {
    std::int64_t line = 1;
    std::int64_t column = 1;
};

/// The text with a letter of ASCII for each byte beyond it, and without a byte order mark. Where
/// toml++ takes it, it takes quotes of the text itself for what they are in TOML.
std::string asciiShape(std::string_view text);
/// A place in that, of the text.
TextPlace placeInShape(std::string_view text, TextPlace place);

/// The first letter beyond ASCII that stands neither in quotes nor in a comment: TOML has none
/// there, and toml++ 3.3 asks of it what its own tables do not answer. Of a text whose asciiShape
/// is TOML: in any other one quotes may open nothing, as in 1'x.
///     strayTomlLetter("größe = 1")      →  line 1, column 3
///     strayTomlLetter("a = \"größe\"")  →  nothing
std::optional<TextPlace> strayTomlLetter(std::string_view text);

/// The key or table after so many, told before any is read: who looks a key up looks at all of
/// them, so the time grows with their square.
std::optional<TextPlace> tomlKeyBeyond(std::string_view text, std::size_t most);

}  // namespace fabricast
