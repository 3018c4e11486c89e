#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/check_report.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// No baseline was asked for, so that nobody can tell; or it does not have this scenario, which is
/// new, and which may be so or not.
enum class NoBaseline : std::uint8_t { NotJudged, NewFails, NewHolds };

/// Where a lock names scenarios from, so that a file has one name however it was typed.
struct LockPlace {
    std::string folder{};  ///< of the lock; empty: a scenario's name is as it was typed
    std::string typed{};   ///< of paths as they were typed
};

/// A lock, and the tool as it is today.
struct LockToday {
    CheckLock lock;
    CheckLock tool;
    LockPlace place{};
};

/// What is checked beyond the question's own "require".
struct CheckAsk {
    std::vector<Requirement> requirements;
    /// What may not be worse than the baseline, beside whatever else is required: "fits" where
    /// nothing is.
    std::vector<Requirement> kept{};
    std::optional<Question> baseline;  ///< the scenario as it was
    std::size_t fixes = 3;             ///< changes that are named at most; 0: none is looked for
    /// What becomes of requirements that compare with a baseline, where there is none.
    NoBaseline withoutBaseline = NoBaseline::NotJudged;
    std::shared_ptr<const LockToday> lock{};  ///< null: none
};

/// Whether a scenario holds its requirements ("fits" where there are none), what changed since the
/// baseline, and what would mend it.
///     FABRICAST_ASSIGN(const CheckReport report, check(question, {}, bench, watch));
Result<CheckReport> check(const Question& question,
                          const CheckAsk& ask,
                          const Workbench& bench,
                          const Watch& watch);

/// A scenario of many, as far as it could be read.
struct CheckTask {
    std::string source;
    Result<Question> question;
    Result<std::optional<Question>> baseline;  ///< where one was asked for and is there
};

/// Each with the requirements of `ask`, several at a time, in their order.
Result<std::vector<CheckOutcome>> checkAll(const std::vector<CheckTask>& tasks,
                                           const CheckAsk& ask,
                                           const Workbench& bench,
                                           const Watch& watch);

}  // namespace fabricast
