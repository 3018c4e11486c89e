#pragma once
#include "simulator/links/step_flows.h"

#include <map>
#include <vector>

namespace fabricast {

/// A link, one way, that takes `factor` times as long for a byte.
using SlowLinks = std::map<ResourceIndex, double>;

/// What each flow uses of links that several may fill, as shares of their rates at its full speed.
std::vector<SimFlow> sharedFlows(const std::vector<TrafficKind>& kinds,
                                 const std::vector<KindLoads>& loads,
                                 const std::vector<StepFlows::Flow>& flows,
                                 const Topology& topology,
                                 const SlowLinks& slow);

}  // namespace fabricast
