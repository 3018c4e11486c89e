#pragma once
#include "planner/memory/nccl_buffers.h"
#include "planner/spec/scenario.h"

#include <vector>

namespace fabricast {

/// A communicator that a rank has in a step.
struct NcclCommunicator {
    NcclGroup group;
    bool ofAxis = true;  ///< of an axis of the layout, which every step uses
};

/// Groups of more than one rank along the layout's axes, for which every framework opens a
/// communicator, and those that it opens besides: of all ranks, in which Megatron also reduces the
/// norm of the gradients (a group of its own), and of the stages that share the embedding. Sites
/// that train apart have one more between them, where their exchange is of GPUs.
std::vector<NcclCommunicator> ncclCommunicators(const Scenario& scenario);

/// Those of the layout's axes alone, for many layouts on one cluster.
std::vector<NcclCommunicator> ncclAxes(const ClusterSpec& cluster,
                                       const Layout& layout,
                                       const Settings& settings);

/// Of all GPUs of one node, as benchmarks and probes open it.
NcclGroup ncclNodeGroup(const ClusterSpec& cluster);

}  // namespace fabricast
