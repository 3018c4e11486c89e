#pragma once
#include "planner/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace fabricast {

inline constexpr std::size_t kMostTextBytes = std::size_t{8} << 20;

/// The bytes of a file, up to a maximum; "-" is standard input.
Result<std::string> readTextFile(const std::string& path, std::size_t most = kMostTextBytes);

/// How errors call a file that was named like this: "-" is "standard input".
std::string sourceName(const std::string& path);

/// Writes a file as replaceFile does: a reader sees the old bytes or the new ones, never a part.
Result<void> writeTextFile(const std::string& path, std::string_view text);

}  // namespace fabricast
