#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fabricast {

/// A place in a text, both from 1; columns count letters, not bytes.
struct TextPlace {
    std::int64_t line = 1;
    std::int64_t column = 1;
};

/// The first letter beyond ASCII that stands neither in quotes nor in a comment: TOML has none
/// there, and toml++ 3.3 asks of it what its own tables do not answer.
///     strayTomlLetter("größe = 1")      →  line 1, column 3
///     strayTomlLetter("a = \"größe\"")  →  nothing
std::optional<TextPlace> strayTomlLetter(std::string_view text);

/// The key or table after so many, told before any is read: who looks a key up looks at all of
/// them, so the time grows with their square.
std::optional<TextPlace> tomlKeyBeyond(std::string_view text, std::size_t most);

}  // namespace fabricast
