#pragma once
#include "planner/memory/program/engine.h"

#include <vector>

namespace fabricast {

/// Tensors that megatron-core's DistributedDataParallel and optimizer hold on one rank, in bytes.
struct MegatronStates {
    std::vector<std::int64_t> frozen;            ///< stay as the modules make them
    std::vector<std::int64_t> parameters;        ///< of those that are trained
    std::vector<std::int64_t> parameterBuffers;  ///< they move into these; none: they stay
    std::vector<std::int64_t> gradientBuffers;   ///< in the type that is reduced
    std::vector<std::int64_t> mainParameters;    ///< by piece of a parameter
    std::vector<std::int64_t> moments;
    std::int64_t quantized = 0;       ///< copies of weights for products in fewer bits
    std::int64_t gradientCopies = 0;  ///< fp32 copies made by a step, kept until the next begins
    std::int64_t scratch = 0;         ///< one buffer that layers share, as large as ever needed
    std::int64_t stepTemps = 0;       ///< of the optimizer's own arithmetic
    std::int64_t gradientWidth = 2;   ///< bytes of a gradient element as autograd makes it
    std::vector<std::int64_t> offloaded;    ///< on the host, by tensor: HybridDeviceOptimizer's
    std::vector<std::int64_t> firstCopies;  ///< what that makes of whole parameters at the start
};

/// This is Megatron's way with parameters: contiguous buffers that live from start to end. A
/// gradient that autograd makes is added to its buffer and freed at once.
class MegatronEngine final : public ParallelEngine {
public:
    MegatronEngine(Device& device, MegatronStates states)
        : device_(device), states_(std::move(states)) {}

    [[nodiscard]] bool tiedWeightsAreOneTensor() const override { return true; }
    [[nodiscard]] bool treatsPassesAlike() const override { return true; }
    void holdStates() override;
    void beginForward() override;
    void beforeForward(int /*unit*/) override {}
    void afterForward(int /*unit*/) override {}
    void beforeBackward(int /*unit*/) override {}
    void takeGradient(int unit, int weight, Storage gradient) override;
    void afterBackward(int /*unit*/) override {}
    void optimizerStep() override;
    [[nodiscard]] std::int64_t gradientWidth() const override { return states_.gradientWidth; }
    void beginMicroStep(std::int64_t /*index*/, std::int64_t /*count*/) override {}
    [[nodiscard]] HostMemory host() const override;

private:
    Device& device_;
    MegatronStates states_;
    Storage gradientCopies_ = kNoStorage;
};

}  // namespace fabricast
