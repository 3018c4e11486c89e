#pragma once
#include "planner/report/table.h"
#include "planner/result/size_answer.h"

#include <span>
#include <string>
#include <string_view>

namespace fabricast {

/// "dgx-h100 on roce-400"
std::string sizedBoxText(const SizedCluster& cluster);
/// "4 x dgx-h100 on roce-400 (32 GPUs)"
std::string sizedClusterText(const SizedCluster& cluster);
/// "$1,730,000, 28.1 days, 20,100 tokens/s, 40.8 kW"
std::string sizedNumbersText(const SizedCluster& cluster, const SizeAnswer& answer);
/// The same with intervals: "$181 [$170..$224], 0.32 days [0.3..0.396], …".
std::string sizedIntervalsText(const SizedCluster& cluster, const SizeAnswer& answer);
/// "30 days", "$2,000,000", "1,200,000 tokens/s"; "that it fits" where there is none.
std::string sizeTargetsText(std::span<const SizeTarget> targets);

/// "llama-3.2-1b: fsdp2 dp=8,shard=fsdp", a line for each job, behind some spaces.
std::string sizedPlansText(const SizedCluster& cluster, const char* before);
/// "tokens/s", "days" or "$" of a number: "28.1 days".
std::string sizeValueText(SizeMetric metric, double value);
/// How sure the targets are, in the words of `check`: "pass" where the whole interval reaches each,
/// "unsure" where a part of it does.
std::string_view sizeVerdictWord(const SizedCluster& cluster);

/// A row for each cluster, with the best plan of each job.
Table sizedTable(std::span<const SizedCluster> clusters, const SizeAnswer& answer);
Table scalingTable(std::span<const ScalingPoint> points);
Table rentOrBuyTable(const RentOrBuy& both);

}  // namespace fabricast
