#include "planner/memory/engines/deepspeed/deepspeed_engine.h"

namespace fabricast {

namespace {

/// DeepSpeedEngine.allreduce_gradients flattens gradients in pieces of about this many elements.
constexpr std::int64_t kElementsPerReduce = 500'000'000;

std::int64_t elementsOf(const std::vector<StepTensor>& tensors) {
    std::int64_t sum = 0;
    for (const StepTensor& tensor : tensors) {
        sum += tensor.elements;
    }
    return sum;
}

}  // namespace

DeepSpeedEngine::DeepSpeedEngine(Device& device,
                                 const std::vector<Unit>& units,
                                 DeepSpeedOptions options)
    : device_(device), options_(options), parameters_(parameterTensors(units, options.width)) {
    for (const Unit& unit : units) {
        gradients_.emplace_back(unit.weights.size(), kNoStorage);
    }
    switch (options_.master) {
        case MasterCopy::None:
            stepped_ = parameters_;
            break;
        case MasterCopy::Flat:
            stepped_ = {{.elements = elementsOf(parameters_)}};
            break;
        case MasterCopy::PerParameter:
            stepped_ = parameterTensors(units, kFp32);
            break;
    }
}

void DeepSpeedEngine::holdStates() {
    if (options_.master == MasterCopy::Flat) {  // the parameters are views of one buffer too
        device_.take(options_.width * elementsOf(parameters_), MemoryKind::Weights);
    } else {
        for (const StepTensor& parameter : parameters_) {
            device_.take(options_.width * parameter.elements, MemoryKind::Weights);
        }
    }
    for (const StepTensor& tensor : stepped_) {
        if (options_.master != MasterCopy::None) {
            device_.take(kFp32 * tensor.elements, MemoryKind::Optimizer, 0, "fp32 parameters");
        }
        device_.take(optimizerState(options_.optimizer, tensor).device, MemoryKind::Optimizer);
    }
}

void DeepSpeedEngine::takeGradient(int unit, int weight, Storage gradient) {
    Storage& mine = gradients_[static_cast<std::size_t>(unit)][static_cast<std::size_t>(weight)];
    if (mine == kNoStorage) {
        device_.rename(gradient, MemoryKind::Gradients);
        mine = gradient;
    } else {
        device_.release(gradient);  // added in place
    }
}

/// The engine all-reduces copies, flattened until they pass a fixed number of elements.
void DeepSpeedEngine::endBackward() {
    if (!lastMicroStep_) {
        return;
    }
    std::int64_t waiting = 0;
    const auto reduce = [&] {
        device_.release(
            device_.take(options_.width * waiting, MemoryKind::Communication, 0, "flat gradients"));
        waiting = 0;
    };
    for (const StepTensor& parameter : parameters_) {
        waiting += parameter.elements;
        if (waiting > kElementsPerReduce) {
            reduce();
        }
    }
    if (waiting > 0) {
        reduce();
    }
}

void DeepSpeedEngine::dropGradients() {
    for (std::vector<Storage>& unit : gradients_) {
        for (Storage& gradient : unit) {
            if (gradient != kNoStorage) {
                device_.release(gradient);
                gradient = kNoStorage;
            }
        }
    }
}

void DeepSpeedEngine::runOptimizer() {
    device_.release(
        device_.take(stepTemporaries(options_.optimizer, stepped_), MemoryKind::Optimizer));
}

/// Every gradient is cast, then all are copied into one flat fp32 gradient.
void DeepSpeedEngine::stepFlat() {
    std::vector<Storage> casts;
    for (const StepTensor& parameter : parameters_) {
        casts.push_back(
            device_.take(kFp32 * parameter.elements, MemoryKind::Gradients, 0, "fp32 gradients"));
    }
    const Storage flat = device_.take(
        kFp32 * elementsOf(parameters_), MemoryKind::Gradients, 0, "flat fp32 gradient");
    for (const Storage cast : casts) {
        device_.release(cast);
    }
    dropGradients();
    runOptimizer();
    device_.release(flat);
}

/// Every gradient is cast, beside the 16-bit ones, for the length of the step.
void DeepSpeedEngine::stepPerParameter() {
    std::vector<Storage> casts;
    for (const StepTensor& parameter : parameters_) {
        casts.push_back(
            device_.take(kFp32 * parameter.elements, MemoryKind::Gradients, 0, "fp32 gradients"));
    }
    runOptimizer();
    for (const Storage cast : casts) {
        device_.release(cast);
    }
    dropGradients();
}

void DeepSpeedEngine::optimizerStep() {
    switch (options_.master) {
        case MasterCopy::Flat:
            stepFlat();
            return;
        case MasterCopy::PerParameter:
            stepPerParameter();
            return;
        case MasterCopy::None:
            runOptimizer();
            dropGradients();
            return;
    }
}

void DeepSpeedEngine::beginMicroStep(std::int64_t index, std::int64_t count) {
    lastMicroStep_ = index + 1 == count;
}

}  // namespace fabricast
