#pragma once
#include "planner/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace fabricast {

inline constexpr std::size_t kMostTextBytes = std::size_t{8} << 20;

/// What a file is read for. An input is kept by FilesRead, so that no output takes its place. A
/// look tells what a file is, or is at an output of an earlier run, which this one may replace.
enum class ReadFor { Input, Look };

/// The bytes of a file, up to a maximum; "-" is standard input.
Result<std::string> readTextFile(const std::string& path,
                                 std::size_t most = kMostTextBytes,
                                 ReadFor purpose = ReadFor::Input);

/// How errors call a file that was named like this: "-" is "standard input".
std::string sourceName(const std::string& path);

/// Writes a file as replaceFile does: a reader sees the old bytes or the new ones, never a part.
/// Refuses a file that was read as an input.
Result<void> writeTextFile(const std::string& path, std::string_view text);

}  // namespace fabricast
