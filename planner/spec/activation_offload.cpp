#include "planner/spec/activation_offload.h"

#include <algorithm>

namespace fabricast {

HostWay hostWayOf(const Scenario& scenario) {
    const Engine engine = scenario.settings.engine;
    if (scenario.layout.offload != Offload::Activations) {
        return HostWay::None;
    }
    if (engine == Engine::Megatron || engine == Engine::MegatronFsdp) {
        return HostWay::Layers;
    }
    if (scenario.stack == "axolotl") {
        return scenario.settings.torch.offloadStream ? HostWay::TrlAside : HostWay::TrlInLine;
    }
    return HostWay::EachNode;
}

std::int64_t offloadedLayers(const Scenario& scenario) {
    const std::int64_t said = scenario.settings.megatron.offloadedLayers;
    return hostWayOf(scenario) != HostWay::Layers ? 0 : said > 0 ? said : scenario.model.layers - 1;
}

std::vector<std::int64_t> offloadWindows(std::int64_t layers, std::int64_t offloaded) {
    std::vector<std::int64_t> windows;
    for (std::int64_t group = 1; group <= offloaded; ++group) {
        windows.push_back(layers / offloaded * group - 1 + std::min(group, layers % offloaded));
    }
    return windows;
}

}  // namespace fabricast
