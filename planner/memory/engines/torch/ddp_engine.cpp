#include "planner/memory/engines/torch/ddp_engine.h"

#include <utility>

namespace fabricast {

DdpEngine::DdpEngine(Device& device, std::vector<Unit> units, DdpOptions options)
    : device_(device), units_(std::move(units)), options_(std::move(options)) {
    for (const Unit& unit : units_) {
        gradients_.emplace_back(unit.weights.size());
    }
}

void DdpEngine::holdStates() {
    for (const Unit& unit : units_) {
        for (const WeightUse& use : unit.weights) {
            if (!use.tied) {
                device_.take(use.storedBytes(options_.width), MemoryKind::Weights, 0, "parameters");
            }
        }
    }
    device_.take(sharedStateBytes(options_.optimizer), MemoryKind::Optimizer);
    for (const StepTensor& tensor : options_.tensors) {
        device_.take(optimizerState(options_.optimizer, tensor).device, MemoryKind::Optimizer);
        device_.take(tensor.elements * tensor.width,
                     MemoryKind::Communication);  // its bucket's part
    }
    if (options_.setToNone) {
        return;
    }
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
        for (std::size_t weight = 0; weight < gradients_[unit].size(); ++weight) {
            const WeightUse& use = units_[unit].weights[weight];
            Gradient& gradient = gradients_[unit][weight];
            gradient.viewsBucket = options_.gradientIsView;
            if (!options_.gradientIsView && use.trained && !use.tied) {
                gradient.own = device_.take(use.storedBytes(options_.width), MemoryKind::Gradients);
            }
        }
    }
}

/// AccumulateGrad keeps the first gradient and adds later ones in place. Then DDP's hook copies it
/// to the bucket; as a view, the parameter's gradient is from then on the bucket itself.
void DdpEngine::takeGradient(int unit, int weight, Storage gradient) {
    Gradient& mine = gradients_[static_cast<std::size_t>(unit)][static_cast<std::size_t>(weight)];
    if (mine.own != kNoStorage || mine.viewsBucket) {
        device_.release(gradient);
    } else {
        device_.rename(gradient, MemoryKind::Gradients);
        mine.own = gradient;
    }
    if (sync_ && options_.gradientIsView && mine.own != kNoStorage) {
        device_.release(mine.own);
        mine = {.viewsBucket = true};
    }
}

void DdpEngine::optimizerStep() {
    device_.release(
        device_.take(stepTemporaries(options_.optimizer, options_.tensors), MemoryKind::Optimizer));
    if (options_.setToNone) {
        zeroGrad();
    }
}

void DdpEngine::zeroGrad() {
    for (std::vector<Gradient>& unit : gradients_) {
        for (Gradient& gradient : unit) {
            if (gradient.own != kNoStorage) {
                device_.release(gradient.own);
            }
            gradient = {};
        }
    }
}

void DdpEngine::beginMicroStep(std::int64_t index, std::int64_t count) {
    sync_ = options_.syncEachMicroStep || index + 1 == count;
}

}  // namespace fabricast
