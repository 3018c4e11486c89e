#pragma once
#include "planner/result/size_answer.h"

#include <string>
#include <vector>

namespace fabricast {

/// What a reader is shown of the clusters that no other beats. Where a target is reached, many
/// times the nodes that reach it are of no use to the question, although they are faster: -f csv
/// and json have them.
std::vector<SizedCluster> shownOfFront(const SizeAnswer& answer);
/// "and 12 with more nodes, up to 256: -f csv lists them"; empty where all are shown.
std::string largerText(const SizeAnswer& answer);
/// Likewise of the pick's nodes against tokens/s.
std::vector<ScalingPoint> shownOfScaling(const SizeAnswer& answer);

/// The boxes that were named and have no row: their best, and what beats it.
std::string beatenText(const SizeAnswer& answer);

}  // namespace fabricast
