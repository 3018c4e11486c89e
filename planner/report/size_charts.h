#pragma once
#include "planner/report/chart.h"
#include "planner/result/size_answer.h"

#include <span>
#include <string>

namespace fabricast {

/// Price and time of the clusters that no other beats, a series for each box; a number beside a
/// point is its count of nodes. Clusters without a price are left out.
PointChart sizedPoints(std::span<const SizedCluster> clusters, const SizeAnswer& answer);
/// How fast more nodes of one box are, with both axes logarithmic: a straight line where they
/// scale.
PointChart scalingPoints(std::span<const ScalingPoint> points, const std::string& box);

}  // namespace fabricast
