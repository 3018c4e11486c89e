#pragma once
#include "planner/result/run_cost.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/cluster_spec.h"
#include "planner/spec/site_profile.h"

namespace fabricast {

/// The share of a step in which kernels run: all but the bubble and waiting for the host.
double busyShare(const TimeByPart& parts);

/// What a GPU draws with its share of the node and the building. A node that computes draws
/// `trainingShare` of its rated power; each GPU that waits draws `gpuSwing` of its own less:
///     node = trainingShare · rated - gpuSwing · GPUs · gpuPower · (1 - busy)
///     perGpu = pue · node / GPUs
/// A node that nobody has said the power of is `nodeOverGpus` times its GPUs. Without the power of
/// the GPU nothing is known.
RunPower runPower(const ClusterSpec& cluster, const PowerFacts& facts, double busy);

}  // namespace fabricast
