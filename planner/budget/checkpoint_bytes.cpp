#include "planner/budget/checkpoint_bytes.h"

#include "planner/ops/lora_adapter.h"
#include "planner/ops/parameters.h"
#include "planner/stack/state_bytes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace fabricast {
namespace {

/// "experts.gate_proj.weight" is the target "gate".
std::string_view targetOf(std::string_view weight) {
    for (const std::string_view ending : {".weight", "_proj"}) {
        weight.remove_suffix(weight.ends_with(ending) ? ending.size() : 0);
    }
    weight.remove_prefix(weight.rfind('.') + 1);
    return weight;
}

/// lora_A and lora_B beside each linear layer that is adapted, and DoRA's magnitudes.
double adapterElements(const Scenario& scenario) {
    const LoraSettings& lora = scenario.settings.lora;
    double elements = 0.0;
    for (std::int64_t layer = 0; layer < scenario.model.layers; ++layer) {
        for (const Parameter& weight : layerParameters(scenario.model, layer)) {
            const LinearSite site{.name = weight.name, .target = targetOf(weight.name)};
            if (!weight.isMatrix() || !isAdapted(lora, site)) {
                continue;
            }
            const auto rows = static_cast<double>(weight.rows);
            const auto cols = static_cast<double>(weight.cols);
            const double each =
                static_cast<double>(lora.rank) * (rows + cols) + (lora.dora ? rows : 0.0);
            elements += static_cast<double>(weight.copies) * each;
        }
    }
    return elements;
}

double trainedElements(const Scenario& scenario) {
    if (scenario.settings.tuning == Tuning::Lora) {
        return adapterElements(scenario);
    }
    const ParameterCount count = countParameters(scenario.model);
    return static_cast<double>(count.total) + static_cast<double>(count.mtp);
}

/// Adafactor's row and column are nothing beside the weights.
double bytesEach(const Scenario& scenario) {
    const BytesPerParameter state = stateBytes(scenario.settings, scenario.layout);
    return state.of("weights") + state.of("master") + state.of("moments");
}

}  // namespace

Bytes checkpointBytes(const Scenario& scenario) {
    const double bytes = trainedElements(scenario) * bytesEach(scenario);
    constexpr double kMost = 9e18;
    return Bytes(std::llround(std::clamp(bytes, 0.0, kMost)));
}

}  // namespace fabricast
