#pragma once
#include "planner/launch/shell_variables.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// How many letters "((…))" takes with which a text begins, up to the brackets that close it; 0
/// where it begins otherwise, or never ends. Nothing in it is a redirection: "((N = 1 << 3))".
std::size_t arithmeticLength(std::string_view text);

/// The names that it gives another value, or may: "N" of "((N *= 2))".
std::vector<std::string> namesChangedBy(std::string_view arithmetic);

/// What "((NODES * 8))" comes to; nothing where a variable is not known, where it changes one, or
/// where it is more than whole numbers with + - * / % and brackets.
std::optional<std::int64_t> valueOfArithmetic(std::string_view arithmetic,
                                              const ShellVariables& variables);

}  // namespace fabricast
