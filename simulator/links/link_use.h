#pragma once
#include "simulator/engine/simulate.h"
#include "simulator/links/step_flows.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fabricast {

/// How much of a step the links of one class carry something, as shares of their rate.
struct LinkUse {
    std::string name;        ///< by what they join: "gpu-nvswitch"
    std::int64_t links = 0;  ///< each way counts
    double mean = 0.0;
    double most = 0.0;    ///< of the most loaded of them
    std::string fullest;  ///< "node3/nic2-leaf4"; empty where nothing is sent
};

/// By class, those nearest to the GPUs first. Empty where links are not shared.
std::vector<LinkUse> linkUses(const SimProgram& program, const SimRun& run, const StepFlows& flows);

/// A link, one way, that takes `factor` times as long for a byte.
using SlowLinks = std::map<ResourceIndex, double>;

/// What is sent in a step.
struct StepTraffic {
    const std::vector<TrafficKind>& kinds;
    const std::vector<KindLoads>& loads;  ///< by kind
    const std::vector<StepFlows::Flow>& flows;
    const std::vector<double>& usual;  ///< as StepFlows has it; empty where nothing has failed
};

/// How many times as fast as the graph's rates a transfer is measured to be that would fill this
/// share of a link by them: alone, it takes at most all of a link. Only where something failed it
/// takes more than it usually does, and becomes slower.
double timesLineRate(double share, const std::vector<double>& usual, const StepFlows::Flow& flow);

/// What each flow uses of links that several may fill, as shares of their rates at its full speed.
std::vector<SimFlow> sharedFlows(const StepTraffic& traffic,
                                 const Topology& topology,
                                 const SlowLinks& slow);

}  // namespace fabricast
