#pragma once
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"
#include "planner/result/check_lock.h"
#include "planner/result/check_report.h"
#include "planner/result/comparison.h"
#include "study/check.h"
#include "study/question.h"
#include "study/workbench.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The program and its profiles, as a lock has them: no scenarios.
CheckLock lockOfTool(const ProfileStore& profiles, std::string_view version);

/// What a lock keeps of a scenario: a digest of everything that it says, the files that it names
/// included, and its forecast.
LockedScenario lockedScenario(const Question& question, const ComparedSide& side);

/// The name of a scenario in a lock: its path from the lock's folder.
std::string lockedName(const std::string& source, const LockPlace& place);

/// What changed since the lock was written: the scenario, the tool, or nothing; and the forecasts
/// that are no longer the same. `tool` is lockOfTool of today.
LockDifference sinceLock(const CheckLock& lock,
                         const CheckLock& tool,
                         const std::string& name,
                         const LockedScenario& now);

/// A lock of the scenarios that were checked, those without a forecast left out.
CheckLock lockOf(CheckLock tool,
                 const std::vector<CheckOutcome>& outcomes,
                 const LockPlace& place = {});

/// What a lock that replaces another one says anew: "2 scenarios; new: a.json; changed: b.json".
/// `before` is null where there was none.
std::string lockChanges(const CheckLock* before, const CheckLock& now);

/// "fabricast.lock/1": sorted, a line for each profile, so that it merges well.
std::string lockText(const CheckLock& lock);
Result<CheckLock> parseLock(std::string_view text, const std::string& source);

/// The file of a lock, and what is done with it.
struct LockFile {
    std::string typed;           ///< as the user named it
    std::string directory;       ///< that paths as typed are of; empty: this process's
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
