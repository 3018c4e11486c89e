#include "planner/memory/engines/torch/local_engine.h"

#include "planner/memory/engines/optimizer_state.h"

#include <algorithm>
#include <utility>

namespace fabricast {

LocalEngine::LocalEngine(Device& device, std::vector<Unit> units, LocalOptions options)
    : device_(device), units_(std::move(units)), options_(std::move(options)) {
    for (const Unit& unit : units_) {
        gradients_.emplace_back(unit.weights.size(), kNoStorage);
    }
}

void LocalEngine::holdStates() {
    for (const Unit& unit : units_) {
        for (const WeightUse& use : unit.weights) {
            if (!use.tied) {
                device_.take(use.storedBytes(options_.width), MemoryKind::Weights, 0, "parameters");
            }
        }
    }
    device_.take(sharedStateBytes(options_.optimizer), MemoryKind::Optimizer);
    for (const std::vector<StepTensor>& group : options_.groups) {
        for (const StepTensor& tensor : group) {
            device_.take(optimizerState(options_.optimizer, tensor).device, MemoryKind::Optimizer);
        }
    }
    for (std::size_t unit = 0; unit < units_.size() && !options_.setToNone; ++unit) {
        for (std::size_t weight = 0; weight < gradients_[unit].size(); ++weight) {
            const WeightUse& use = units_[unit].weights[weight];
            if (use.trained && !use.tied) {
                gradients_[unit][weight] =
                    device_.take(use.storedBytes(options_.width), MemoryKind::Gradients);
            }
        }
    }
}

/// AccumulateGrad keeps the first gradient and adds later ones in place.
void LocalEngine::takeGradient(int unit, int weight, Storage gradient) {
    Storage& mine = gradients_[static_cast<std::size_t>(unit)][static_cast<std::size_t>(weight)];
    if (mine != kNoStorage) {
        device_.release(gradient);
        return;
    }
    device_.rename(gradient, MemoryKind::Gradients);
    mine = gradient;
}

void LocalEngine::optimizerStep() {
    std::int64_t temporaries = 0;
    for (const std::vector<StepTensor>& group : options_.groups) {
        temporaries = std::max(temporaries, stepTemporaries(options_.optimizer, group));
    }
    device_.release(device_.take(temporaries, MemoryKind::Optimizer, 0, "step_temporaries"));
    for (std::vector<Storage>& unit : gradients_) {
        for (Storage& gradient : unit) {
            if (options_.setToNone && gradient != kNoStorage) {
                device_.release(gradient);
                gradient = kNoStorage;
            }
        }
    }
}

HostMemory LocalEngine::host() const {
    HostMemory host;
    for (const std::vector<StepTensor>& group : options_.groups) {
        for (const StepTensor& tensor : group) {
            host.bytes += optimizerState(options_.optimizer, tensor).host;
        }
    }
    return host;
}

}  // namespace fabricast
