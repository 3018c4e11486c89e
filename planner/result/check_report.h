#pragma once
#include "planner/base/result.h"
#include "planner/result/check_lock.h"
#include "planner/result/comparison.h"
#include "planner/result/evidence.h"
#include "planner/result/requirement.h"
#include "planner/spec/edit.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// From best to worst. In between, the bound lies inside the forecast's interval.
enum class CheckVerdict : std::uint8_t { Holds, CannotTell, Fails };

/// A requirement with what the forecast says of it.
struct CheckedRequirement {
    Requirement requirement;
    CheckVerdict verdict = CheckVerdict::Holds;
    std::optional<Headline<double>> value;  ///< empty: see `why`
    std::optional<double> baseline;         ///< what the baseline has, where there is one
    double bound = 0.0;                     ///< as a number, also where it follows the baseline
    std::string why;                        ///< where there is no value to compare

    [[nodiscard]] bool isWarning() const { return requirement.level == RequirementLevel::Warning; }
};

/// A key that the baseline says in another way, and where either says it.
struct ChangedInput {
    std::string key;
    std::string before;
    std::string after;
    std::string whereBefore;  ///< file:line:column; empty where nobody says it
    std::string whereAfter;
};

/// A requirement of the baseline that nothing asks for in full any more.
struct WeakerRequirement {
    Requirement before;
    std::optional<Requirement> now;  ///< what asks for less in its place; empty: nothing does
};

/// A change after which no requirement fails, or the one that comes nearest to that.
struct CheckFix {
    bool mends = true;
    std::string change;  ///< for people: "recompute=full"
    std::vector<Edit> edits;
    std::string typed;
    std::string inFile{};  ///< the same in the keys of the launch file that was checked
    std::string sideEffect;
    std::vector<CheckedRequirement> after;  ///< the requirements that did not hold
};

/// This is the answer to "does this scenario still do what was agreed?"
struct CheckReport {
    std::string source;  ///< the scenario's file, or "as typed"
    ComparedSide side;
    std::optional<Comparison> comparison;  ///< side 0 is the baseline, where there is one
    std::vector<CheckedRequirement> requirements;
    std::vector<ChangedInput> changes;        ///< since the baseline
    std::vector<WeakerRequirement> weaker{};  ///< than in the baseline
    bool isNew = false;                       ///< a baseline was asked for, and does not have it
    std::vector<CheckFix> fixes;              ///< where a requirement fails
    LockedScenario forecast;                  ///< as a lock would have it
    std::optional<LockDifference> lock;       ///< where there is a lock

    /// Of all requirements that are not warnings, the worst.
    [[nodiscard]] CheckVerdict verdict() const {
        CheckVerdict worst = CheckVerdict::Holds;
        for (const CheckedRequirement& one : requirements) {
            if (!one.isWarning()) {
                worst = std::max(worst, one.verdict);
            }
        }
        return worst;
    }
};

/// One of the scenarios that were checked in one call: its report, or why there is none.
struct CheckOutcome {
    std::string source;
    std::optional<CheckReport> report;
    std::optional<Error> error;
};

}  // namespace fabricast
