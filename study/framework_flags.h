#pragma once
#include <string>
#include <string_view>

namespace fabricast {

/// What is typed here for a flag that training programs have and no command has, without its
/// hyphens; empty for others.
///     flagInstead("tensor-model-parallel-size", "4")  →  "--layout tp=4"
std::string flagInstead(std::string_view typed, std::string_view value);

}  // namespace fabricast
