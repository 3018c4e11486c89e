#pragma once
#include "simulator/engine/simulate.h"
#include "simulator/links/step_flows.h"

#include <cstdint>
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

}  // namespace fabricast
