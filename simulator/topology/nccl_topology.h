#pragma once
#include "planner/evidence/nccl_model.h"
#include "simulator/network/cluster_topology.h"

#include <string>
#include <string_view>

namespace fabricast {

/// Reads what NCCL_TOPO_DUMP_FILE wrote: the CPUs, PCIe tree, GPUs, NVLinks and NICs of a node, or
/// of several where NCCL saw them as one (distinguished by host_hash; their NICs join one leaf
/// switch). PCIe has its line rate, and an NVLink the rate that NCCL assumes in `model` for that
/// architecture. Errors have file:line.
Result<DescribedTopology> ncclTopology(std::string_view text,
                                       const std::string& source,
                                       const NcclModel& model);

}  // namespace fabricast
