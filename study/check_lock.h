#pragma once
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"
#include "planner/result/check_lock.h"
#include "planner/result/check_report.h"
#include "planner/result/comparison.h"
#include "study/question.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The program and its profiles, as a lock has them: no scenarios.
CheckLock lockOfTool(const ProfileStore& profiles, std::string_view version);

/// What a lock keeps of a scenario: a digest of everything that it says, the files that it names
/// included, and its forecast.
LockedScenario lockedScenario(const Question& question, const ComparedSide& side);

/// What changed since the lock was written: the scenario, the tool, or nothing; and the forecasts
/// that are no longer the same. `tool` is lockOfTool of today.
LockDifference sinceLock(const CheckLock& lock,
                         const CheckLock& tool,
                         const std::string& source,
                         const LockedScenario& now);

/// A lock of the scenarios that were checked, those without a forecast left out.
CheckLock lockOf(CheckLock tool, const std::vector<CheckOutcome>& outcomes);

/// What a lock that replaces another one says anew: "2 scenarios; new: a.json; changed: b.json".
/// `before` is null where there was none.
std::string lockChanges(const CheckLock* before, const CheckLock& now);

/// "fabricast.lock/1": sorted, a line for each profile, so that it merges well.
std::string lockText(const CheckLock& lock);
Result<CheckLock> parseLock(std::string_view text, const std::string& source);

}  // namespace fabricast
