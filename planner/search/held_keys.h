#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/search/search_space.h"

#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// Which numbers that are held divide nothing: "tp 8 x pp 4 x cp 2 x dp 2 = 128, and not 64",
/// "tp 3 does not divide 64". Empty where they do.
std::string whyNotDivided(const LayoutRules& rules, const Scenario& base);

/// The fewest of the keys that are held without which the stacks take a layout; the first of `keys`
/// are kept, if they can be. Nothing where they take none without all of them.
///     keysInTheWay(task, {"tp", "dp", "pp"})  →  {"dp"}
Result<std::vector<std::string>> keysInTheWay(SearchTask task,
                                              std::span<const std::string> keys,
                                              const Watch& watch = {});

}  // namespace fabricast
