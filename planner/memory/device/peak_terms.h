#pragma once
#include "planner/memory/device/device.h"
#include "planner/result/evidence.h"

#include <string>
#include <vector>

namespace fabricast {

/// What was alive at the peak, by kind: "32 x 67,108,864 B silu + 32 x 33,554,432 B input_norm +
/// …". The terms of a kind sum to that kind's bytes exactly, because they are the storages
/// themselves.
std::vector<Term> peakTerms(const Device& device, const std::string& source);

}  // namespace fabricast
