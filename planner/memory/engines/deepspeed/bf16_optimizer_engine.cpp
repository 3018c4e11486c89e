#include "planner/memory/engines/deepspeed/bf16_optimizer_engine.h"

namespace fabricast {

namespace {
constexpr std::int64_t kBf16 = 2;
/// nccl_start_alignment_factor: two bf16 elements.
constexpr std::int64_t kAlignment = 2;
}  // namespace

Bf16OptimizerEngine::Bf16OptimizerEngine(Device& device,
                                         const std::vector<Unit>& units,
                                         Bf16OptimizerOptions options)
    : device_(device), options_(options), parameters_(parameterTensors(units, kBf16)) {
    std::int64_t elements = 0;
    for (const StepTensor& parameter : parameters_) {
        elements += parameter.elements;
    }
    const std::int64_t step = kAlignment * options_.ranks;
    partition_ = (elements + step - 1) / step * kAlignment;
    for (const Unit& unit : units) {
        gradients_.emplace_back(unit.weights.size(), kNoStorage);
    }
}

std::int64_t Bf16OptimizerEngine::gradientWidth() const {
    return kBf16;
}

void Bf16OptimizerEngine::holdStates() {
    const std::int64_t padded = partition_ * options_.ranks;
    device_.take(padded * kBf16, MemoryKind::Weights, 0, "parameters");
    device_.take(padded * kFp32, MemoryKind::Gradients, 0, "fp32 gradient sums");
    device_.take(partition_ * kFp32, MemoryKind::Optimizer, 0, "fp32 parameters");
    device_.take(optimizerState(options_.optimizer, {.elements = partition_}).device,
                 MemoryKind::Optimizer);
}

void Bf16OptimizerEngine::takeGradient(int unit, int weight, Storage gradient) {
    Storage& mine = gradients_[static_cast<std::size_t>(unit)][static_cast<std::size_t>(weight)];
    if (mine == kNoStorage) {
        device_.rename(gradient, MemoryKind::Gradients);
        mine = gradient;
    } else {
        device_.release(gradient);  // zeroed before the pass, added in place
    }
}

/// After each backward gradients are cast and added to the sums; the last casts the sums to the
/// wire.
void Bf16OptimizerEngine::endBackward() {
    for (const StepTensor& parameter : parameters_) {
        device_.release(
            device_.take(parameter.elements * kFp32, MemoryKind::Gradients, 0, "fp32 gradient"));
    }
    if (lastMicroStep_ && options_.wireWidth != kFp32) {
        device_.release(device_.take(partition_ * options_.ranks * options_.wireWidth,
                                     MemoryKind::Communication,
                                     0,
                                     "gradients on the wire"));
    }
}

void Bf16OptimizerEngine::optimizerStep() {
    const std::vector<StepTensor> stepped = {{.elements = partition_}};
    device_.release(
        device_.take(stepTemporaries(options_.optimizer, stepped), MemoryKind::Optimizer));
    for (std::vector<Storage>& unit : gradients_) {
        for (Storage& gradient : unit) {
            if (gradient != kNoStorage) {
                device_.release(gradient);
                gradient = kNoStorage;
            }
        }
    }
}

void Bf16OptimizerEngine::beginMicroStep(std::int64_t index, std::int64_t count) {
    lastMicroStep_ = index + 1 == count;
}

}  // namespace fabricast
