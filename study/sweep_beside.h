#pragma once
#include "planner/base/result.h"
#include "study/question.h"
#include "study/sweep.h"

#include <string>
#include <vector>

namespace fabricast {

/// What is said beside a sweep that the sweep says: a key, the same in another way, or how many
/// plans there are. An error names where it is said.
Result<void> checkSaidBeside(const Question& question, const std::vector<SweepAxis>& axes);
/// The same of a flag that has its own place.
Error sweptTwice(const std::string& flag, const std::string& key);

/// How far a sweep is that was stopped, and how it goes on. `file` keeps its points; may be empty.
std::string stoppedText(const SweepAnswer& answer, const std::string& file);

}  // namespace fabricast
