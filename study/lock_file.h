#pragma once
#include "planner/base/result.h"
#include "study/check.h"
#include "study/workbench.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The file of a lock, and what is done with it.
struct LockFile {
    std::string typed;  ///< as the user named it
    std::string path;
    bool isWritten = false;      ///< by what is checked now; else what changed since is said
    std::string_view version{};  ///< of this program
};

/// What it has, and the tool as it is today. Nothing where it is to be written and is not there
/// yet; then a pipe has nothing of before either.
Result<std::shared_ptr<const LockToday>> readLock(const LockFile& file, const Workbench& bench);

/// Writes what was checked into the lock, which is no news in the outcomes then; returns what it
/// says anew. `before` is null where there was none.
Result<std::string> writeLock(const LockFile& file,
                              const LockToday* before,
                              const Workbench& bench,
                              std::vector<CheckOutcome>& outcomes);

}  // namespace fabricast
