#pragma once
#include "planner/report/table.h"
#include "planner/result/size_answer.h"

#include <span>
#include <string>

namespace fabricast {

/// "4 x dgx-h100 on roce-400 (32 GPUs)"
std::string sizedClusterText(const SizedCluster& cluster);
/// "$1,730,000, 28.1 days, 20,100 tokens/s, 40.8 kW"
std::string sizedNumbersText(const SizedCluster& cluster, const SizeAnswer& answer);
/// "30 days", "$2,000,000", "1,200,000 tokens/s"; "that it fits" where there is none.
std::string sizeTargetsText(std::span<const SizeTarget> targets);

/// A row for each cluster, with the best plan of each job.
Table sizedTable(std::span<const SizedCluster> clusters, const SizeAnswer& answer);
Table scalingTable(std::span<const ScalingPoint> points);
Table rentOrBuyTable(const RentOrBuy& both);

}  // namespace fabricast
