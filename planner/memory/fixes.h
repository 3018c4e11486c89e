#pragma once
#include "planner/base/result.h"
#include "planner/result/rejection.h"
#include "planner/spec/scenario.h"

#include <functional>
#include <vector>

namespace fabricast {

/// Whether the stack runs a scenario at all; empty: whatever can be walked is allowed.
using Allowed = std::function<bool(const Scenario&)>;
/// Bytes that the fullest stage of a scenario takes from the device; where they are more than
/// `enough`, any number from there up to them will do.
using PeakOf = std::function<Result<Bytes>(const Scenario&, Bytes enough)>;

struct FixSearch {
    Bytes capacity{};
    Bytes peakNow{};
    Allowed allowed{};
    PeakOf peakOf;
    int tries = 100;  ///< scenarios to walk at most: deep pipelines take long
};

/// Single changes that lower the peak, the ones that make it fit first, then by what they cost the
/// user: settings that are free, then those that cost time, then another division of the ranks,
/// then more hardware.
std::vector<Fix> findFixes(const Scenario& scenario, FixSearch search);

}  // namespace fabricast
