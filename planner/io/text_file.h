#pragma once
#include "planner/base/result.h"

#include <string>
#include <string_view>

namespace fabricast {

/// The bytes of a file, at most 8 MiB; "-" is standard input.
Result<std::string> readTextFile(const std::string& path);

/// How errors call a file that was named like this: "-" is "standard input".
std::string sourceName(const std::string& path);

/// Writes a file so that a reader sees the old bytes or the new ones, never a part: beside it, then
/// renamed over it. Pipes and devices are written to as they are.
Result<void> writeTextFile(const std::string& path, std::string_view text);

}  // namespace fabricast
