#pragma once
#include "planner/base/result.h"
#include "simulator/network/cluster_topology.h"

#include <cstdint>
#include <string>

namespace fabricast {

/// The links between sites as they are typed behind --sites, --wan and --wan-latency; what is empty
/// was not typed.
Result<WanTier> readWan(std::int64_t sites,
                        const std::string& bandwidth,
                        const std::string& latency);

}  // namespace fabricast
