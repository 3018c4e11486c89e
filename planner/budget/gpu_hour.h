#pragma once
#include "planner/budget/budget_facts.h"
#include "planner/evidence/site_profile.h"
#include "planner/result/run_cost.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/cluster_spec.h"

#include <string>

namespace fabricast {

/// The share of a step in which kernels run: all but the bubble and host overhead.
double busyShare(const TimeByPart& parts);

/// What a GPU draws with its share of the node and the building. A node that computes draws
/// `trainingShare` of its rated power; each GPU that waits draws `gpuSwing` of its own less:
///     node = trainingShare · rated - gpuSwing · GPUs · gpuPower · (1 - busy)
///     perGpu = pue · node / GPUs
/// A node without published power counts as `nodeOverGpus` times its GPUs. Without the power of
/// the GPU nothing is known.
RunPower runPower(const ClusterSpec& cluster, const PowerFacts& facts, double busy);

/// What an hour of one GPU costs. A rented one has its price, given directly or by the profile; an
/// owned one is written off, and draws electricity:
///     purchase · wholeOverGpu / (years · 8766 h · utilisation) + watts per GPU / 1000 · usdPerKwh
GpuHour gpuHour(const std::string& gpu, const RunPower& power, const BudgetFacts& facts);

/// The basis of a cost, and the reason if there is no price.
CostBasis costBasis(const ClusterSpec& cluster, std::int64_t gpus, const BudgetFacts& facts);

}  // namespace fabricast
