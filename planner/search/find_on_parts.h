#pragma once
#include "planner/search/find_plans.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace fabricast {

/// The whole cluster, and parts of it that may be used alone: half the nodes, a quarter, down to
/// one, then half its GPUs, down to one; between two of them the most nodes whose GPUs divide the
/// batch. Largest first.
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
