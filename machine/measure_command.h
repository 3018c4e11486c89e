#pragma once
#include "machine/calibration.h"

#include <string>

namespace fabricast {

/// The command that measures what is asked for and fits it; with a record that is there, it goes
/// on where that ends. What has its usual value is left out.
///     measureCommand({.out = "run.jsonl"}, {})   // "fabricast calibrate --out run.jsonl"
std::string measureCommand(const MeasureAsk& ask, const FitAsk& fit);

}  // namespace fabricast
