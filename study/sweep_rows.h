#pragma once
#include "planner/base/result.h"
#include "study/question.h"
#include "study/size.h"
#include "study/sweep.h"

#include <string>
#include <vector>

namespace fabricast {

/// The best plan of a question with the values of each point: "fabricast.sweep/1".
SweepWork planPoints(const Question& question);

/// The least hardware with the values of each point: "fabricast.size_sweep/1". Besides keys of the
/// scenario a point may have "target.days", "target.tokens-per-s" and "target.budget", and what the
/// catalogue is made of: "cluster.name", "cluster.gpu", "cluster.fabric" and "cluster.nodes".
SweepWork sizePoints(const std::vector<Question>& jobs, const SizeAsk& ask);

/// What a point says twice: an axis whose key the ask has already. Empty: nothing.
std::string askedBeside(const std::string& key, const SizeAsk& ask);

/// What is said beside a sweep that the sweep says: a key, the same in another way, or how many
/// plans there are. An error names where it is said.
Result<void> checkSaidBeside(const Question& question, const std::vector<SweepAxis>& axes);
/// The same of a flag that has its own place.
Error sweptTwice(const std::string& flag, const std::string& key);

/// What of a sweep that several ranks share is not there yet, and which files it is to come in.
/// Empty: nothing.
std::string shardText(const SweepAnswer& answer, const SweepStore& store);

/// How far a sweep is that was stopped, and how it goes on. `file` keeps its points; may be empty.
std::string stoppedText(const SweepAnswer& answer, const std::string& file);

}  // namespace fabricast
