#pragma once
#include "gui/models/network_view.h"
#include "planner/base/result.h"
#include "planner/report/table.h"
#include "study/simulate.h"
#include "study/topology.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What is shown of a simulated step on a network.
struct NetworkStep {
    Seconds step;
    Seconds waiting;  ///< of the critical path, for full links
    double tokens = 0.0;
    std::vector<LinkUse> links;
};
NetworkStep networkStep(const Simulation& simulation);

/// A network in which things may have failed, and the step on it.
struct NetworkState {
    TopologyAnswer answer;
    std::optional<NetworkStep> healthy;
    std::optional<NetworkStep> failing;  ///< where something has failed
    std::optional<Error> noStep;         ///< why there is no step with what has failed
};

/// What a step's links carry as things are.
const std::vector<LinkUse>& linksInUse(const NetworkState& state);

/// A row for each thing that failures change, healthy beside failed. Empty where nothing failed.
Table failureRows(const NetworkState& state);

/// "2 have failed: the step takes 3.2 % longer.", or what is cut off. Empty where nothing failed.
std::string failureHeadline(const NetworkState& state);

/// What has failed after one of `links` is clicked: the next of them fails, and where all have,
/// all are healed.
std::vector<std::string> failedAfterClick(const std::vector<std::string>& failed,
                                          const std::vector<std::string>& links);

}  // namespace fabricast
