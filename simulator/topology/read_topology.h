#pragma once
#include "planner/profiles/profile_store.h"
#include "simulator/network/cluster_topology.h"

#include <string>

namespace fabricast {

/// Reads a topology from a file of any kind, recognised by its beginning: NCCL's XML, our JSON, or
/// what `nvidia-smi topo -m` prints, whose rates are those of the GPU named `gpu`. GPUs that cannot
/// reach the others are an error.
Result<DescribedTopology> readTopology(const std::string& path,
                                       const std::string& gpu,
                                       const ProfileStore& profiles);

}  // namespace fabricast
