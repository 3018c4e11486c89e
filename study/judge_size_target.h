#pragma once
#include "planner/result/size_answer.h"

#include <optional>

namespace fabricast {

/// What a target is about, in its unit; nothing where it is not known.
std::optional<Headline<double>> valueOf(const SizedCluster& cluster, SizeMetric metric);

/// Whether the whole interval of the forecast reaches a target, none of it does, or a part: as
/// `check` judges requirements.
CheckVerdict verdictOn(const SizedCluster& cluster, const SizeTarget& target);

/// How many times the middle of the forecast is too slow, too long or too dear; 1 at most where the
/// target is reached, and endless where the number is not known.
double missRatio(const SizedCluster& cluster, const SizeTarget& target);

}  // namespace fabricast
