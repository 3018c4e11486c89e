#include "planner/memory/engines/megatron/megatron_engine.h"

namespace fabricast {

/// The modules' own tensors are freed once their values lie in the buffers. Main parameters exist
/// before the first step, moments since its end.
void MegatronEngine::holdStates() {
    for (const std::int64_t bytes : states_.frozen) {
        device_.take(bytes, MemoryKind::Weights, 0, "frozen parameters");
    }
    std::vector<Storage> modules;
    for (const std::int64_t bytes : states_.parameters) {
        modules.push_back(device_.take(bytes, MemoryKind::Weights, 0, "parameters"));
    }
    for (const std::int64_t bytes : states_.parameterBuffers) {
        device_.take(bytes, MemoryKind::Weights, 0, "parameter buffer");
    }
    for (const std::int64_t bytes : states_.gradientBuffers) {
        device_.take(bytes, MemoryKind::Gradients, 0, "gradient buffer");
    }
    if (!states_.parameterBuffers.empty()) {
        for (const Storage parameter : modules) {
            device_.release(parameter);
        }
    }
    device_.take(states_.quantized, MemoryKind::Weights, 0, "quantised weights");
    if (!states_.firstCopies.empty()) {
        device_.at("making the optimizer");
    }
    std::vector<Storage> firstCopies;
    for (const std::int64_t bytes : states_.firstCopies) {
        firstCopies.push_back(device_.take(bytes, MemoryKind::Optimizer, 0, "first copies"));
    }
    for (const std::int64_t bytes : states_.mainParameters) {
        const Storage piece = device_.take(bytes, MemoryKind::Weights, 0, "main parameters");
        device_.rename(piece, MemoryKind::Optimizer);
    }
    for (const Storage copy : firstCopies) {
        device_.release(copy);
    }
    device_.take(states_.scratch, MemoryKind::Buffers, 0, "scratch buffer");
    for (const std::int64_t bytes : states_.moments) {
        device_.take(bytes, MemoryKind::Optimizer, 0, "moments");
    }
    gradientCopies_ =
        device_.take(states_.gradientCopies, MemoryKind::Gradients, 0, "gradient copies");
}

/// zero_grad, before the first forward, drops the optimizer's copies of the last gradients.
void MegatronEngine::beginForward() {
    device_.resize(gradientCopies_, 0);
}

void MegatronEngine::takeGradient(int /*unit*/, int /*weight*/, Storage gradient) {
    device_.release(gradient);
}

void MegatronEngine::optimizerStep() {
    device_.resize(gradientCopies_, states_.gradientCopies);
    device_.release(
        device_.take(states_.stepTemps, MemoryKind::Optimizer, 0, "optimizer arithmetic"));
}

HostMemory MegatronEngine::host() const {
    HostMemory memory;
    for (const std::int64_t bytes : states_.offloaded) {
        memory.bytes += bytes;
        memory.pinned += pinnedBlock(bytes);
    }
    return memory;
}

}  // namespace fabricast
