#pragma once
#include "simulator/links/step_flows.h"

namespace fabricast {

/// What each flow uses of links that several may fill, as shares of their rates at its full speed.
std::vector<SimFlow> sharedFlows(const std::vector<TrafficKind>& kinds,
                                 const std::vector<std::vector<std::vector<ResourceUse>>>& loads,
                                 const std::vector<StepFlows::Flow>& flows,
                                 const Topology& topology);

}  // namespace fabricast
