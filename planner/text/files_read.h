#pragma once
#include "planner/base/result.h"

#include <string>

namespace fabricast {

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
