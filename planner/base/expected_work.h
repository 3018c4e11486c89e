#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"

#include <cstdint>
#include <string>

namespace fabricast {

/// Work that has not begun, by its counts alone: on a faster machine, or a busy one, a question is
/// refused or answered as on any other.
struct ExpectedWork {
    std::string where;     ///< the flag that asks for so much
    std::string what;      ///< "90000 runs of 100 steps"
    double seconds = 0.0;  ///< of one core of a small machine
    std::string less{};    ///< what is quick, as it is typed: "--runs 2000"; may be empty
};

/// Of one core: what an answer may take without --long.
inline constexpr double kQuickSeconds = 5.0;

/// Refuses work that takes longer, where the caller has not said that it may.
///     FABRICAST_TRY(checkWork({.where = "--runs", .what = "90000 runs", .seconds = 12.0}, watch));
Result<void> checkWork(const ExpectedWork& work, const Watch& watch);

/// How many of `count` alike things are quick, where all of them take `seconds`: rounded down to
/// two digits, one at least.
std::int64_t quickPart(std::int64_t count, double seconds);

}  // namespace fabricast
