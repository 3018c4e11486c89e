#pragma once
#include "planner/memory/engines/optimizer_state.h"
#include "planner/memory/program/engine.h"

#include <vector>

namespace fabricast {

struct LocalOptions {
    std::int64_t width = 4;  ///< bytes of a parameter that does not say its own
    bool setToNone = true;   ///< false: zero_grad() keeps the gradients
    OptimizerSettings optimizer;
    std::vector<std::vector<StepTensor>> groups;  ///< trained tensors as the optimizer steps them
};

/// This is a training loop on one GPU with nothing around the model: parameters, the gradients that
/// autograd leaves on them, and an optimizer.
class LocalEngine final : public ParallelEngine {
public:
    LocalEngine(Device& device, std::vector<Unit> units, LocalOptions options);

    void holdStates() override;
    void beforeForward(int) override {}
    void afterForward(int) override {}
    void beforeBackward(int) override {}
    void takeGradient(int unit, int weight, Storage gradient) override;
    void afterBackward(int) override {}
    void optimizerStep() override;
    [[nodiscard]] std::int64_t gradientWidth() const override { return options_.width; }
    void beginMicroStep(std::int64_t, std::int64_t) override {}
    [[nodiscard]] bool tiedWeightsAreOneTensor() const override { return true; }
    [[nodiscard]] HostMemory host() const override;

private:
    Device& device_;
    std::vector<Unit> units_;
    LocalOptions options_;
    std::vector<std::vector<Storage>> gradients_;  ///< by unit and weight
};

}  // namespace fabricast
