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

/// While one of these lives, every file that is read as an input is kept by what it is, not by its
/// name, so that no output takes its place: also one that a launch script names, a folder holds or
/// a scenario points to, of which the command line says nothing.
///     const FilesRead inputs;
///     …
///     FABRICAST_TRY(checkNotRead("plan.json"));
/// It is of the process, and not a value handed on: files are read far below an answer, on any
/// thread, and the one that somebody forgot to hand on is the one that is lost. Nothing is left of
/// it when the last one ends, so an answer never knows the inputs of an earlier one.
class FilesRead {
public:
    FilesRead();
    FilesRead(const FilesRead&) = delete;
    FilesRead& operator=(const FilesRead&) = delete;
    ~FilesRead();
};

/// Keeps the open file that a path led to, where it is a regular one and somebody keeps them.
void keepRead(int descriptor, const std::string& path);

/// Refuses a place to write to that is, by whatever name, a file that was read.
Result<void> checkNotRead(const std::string& place);

}  // namespace fabricast
