#pragma once
#include "planner/report/chart.h"
#include "planner/report/report.h"
#include "planner/report/table.h"
#include "planner/result/size_answer.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// How much hardware: the pick, what is next to it, how it scales, and what it costs to have.
Report sizeReport(const SizeAnswer& answer);
std::string sizeMarkdown(const SizeAnswer& answer);
/// The clusters that no other beats, a row each.
std::string sizeCsv(const SizeAnswer& answer);
/// "fabricast.size/1".
std::string sizeJson(const SizeAnswer& answer, std::string_view version);

/// "4 x dgx-h100 (32 GPUs): the cheapest that reaches 10 days", or that there is none.
std::string sizePickText(const SizeAnswer& answer);

/// Where no cluster will do: what comes nearest to each target, why nothing fits, and what would.
std::string sizeBeyondText(const SizeAnswer& answer);

/// Price and time of the clusters that no other beats, a series for each box; a number beside a
/// point is its count of nodes. Clusters without a price are left out.
PointChart sizedPoints(std::span<const SizedCluster> clusters, const SizeAnswer& answer);
/// How fast more nodes of one box are, with both axes logarithmic: a straight line where they
/// scale.
PointChart scalingPoints(std::span<const ScalingPoint> points, const std::string& box);

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
/// What is asked for, to the digits that were typed: "9.999 days".
std::string sizeTargetText(const SizeTarget& target);
/// How sure the targets are, in the words of `check`: "pass" where the whole interval reaches each,
/// "unsure" where a part of it does.
std::string_view sizeVerdictWord(const SizedCluster& cluster);

/// A row for each cluster, with the best plan of each job.
Table sizedTable(std::span<const SizedCluster> clusters, const SizeAnswer& answer);
Table scalingTable(std::span<const ScalingPoint> points);
Table rentOrBuyTable(const RentOrBuy& both);

}  // namespace fabricast
