#pragma once
#include "planner/search/find_plans.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace fabricast {

/// The whole cluster, and parts of it that may be used alone, largest first: fewer nodes of each
/// site down to one, fewer of those sites, and fewer GPUs of one node. Of each the numbers are half
/// of it, a quarter and so on, powers of two, and between two of those the most whose GPUs divide
/// the batch.
std::vector<ClusterSpec> partsOf(const ClusterSpec& cluster, std::int64_t globalBatch);

/// What is to be small, or nothing for a plan that will not do.
using PlanValue = std::function<std::optional<double>(const Plan&)>;

/// The best plans where some GPUs may idle: the fastest on each part of the cluster, by `value`. Of
/// equals the one on fewer GPUs comes first. Where nothing will do, what the whole cluster says.
Result<PlanReport> findOnParts(const SearchTask& task,
                               const TimingProfiles& profiles,
                               const SearchOptions& options,
                               const PlanValue& value,
                               const Watch& watch = {});

}  // namespace fabricast
