#pragma once
#include "study/question.h"
#include "study/size_ask.h"
#include "study/sweep.h"

#include <vector>

namespace fabricast {

/// The least hardware with the values of each point: "fabricast.size_sweep/1". Besides keys of the
/// scenario a point may have "target.days", "target.tokens-per-s" and "target.budget", and what the
/// catalogue is made of: "cluster.name", "cluster.gpu", "cluster.fabric" and "cluster.nodes".
SweepWork sizePoints(const std::vector<Question>& jobs, const SizeAsk& ask);

/// What a point says twice: an axis whose key the ask has already. Empty: nothing.
std::string askedBeside(const std::string& key, const SizeAsk& ask);

}  // namespace fabricast
