#pragma once
#include "planner/result/advice.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace fabricast {

/// Whether a step's plan costs no more than this; true without a limit, and if
/// its cost is not known.
bool isAffordable(const AdviceStep& step, const std::optional<Usd>& most);

/// The simplest step that fits and whose time is within the error of a comparison of the fastest;
/// one that surely fits before those that may. Fills in each step's answer and why.
std::optional<std::size_t> chooseOption(std::vector<AdviceStep>& steps,
                                        const std::optional<Usd>& most);

}  // namespace fabricast
