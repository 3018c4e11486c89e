#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// How many letters "((…))" takes with which a text begins, up to the brackets that close it; 0
/// where it begins otherwise, or never ends. Nothing in it is a redirection: "((N = 1 << 3))".
std::size_t arithmeticLength(std::string_view text);

/// The names that it gives another value, or may: "N" of "((N *= 2))".
std::vector<std::string> namesChangedBy(std::string_view arithmetic);

}  // namespace fabricast
