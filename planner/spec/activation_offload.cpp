#include "planner/spec/activation_offload.h"

#include <algorithm>

namespace fabricast {

std::int64_t offloadedLayers(const Scenario& scenario) {
    const Engine engine = scenario.settings.engine;
    const bool moves = scenario.layout.offload == Offload::Activations &&
                       (engine == Engine::Megatron || engine == Engine::MegatronFsdp);
    const std::int64_t said = scenario.settings.megatron.offloadedLayers;
    return !moves ? 0 : said > 0 ? said : scenario.model.layers - 1;
}

std::vector<std::int64_t> offloadWindows(std::int64_t layers, std::int64_t offloaded) {
    std::vector<std::int64_t> windows;
    for (std::int64_t group = 1; group <= offloaded; ++group) {
        windows.push_back(layers / offloaded * group - 1 + std::min(group, layers % offloaded));
    }
    return windows;
}

}  // namespace fabricast
