#pragma once
#include "planner/memory/engines/optimizer_state.h"
#include "planner/memory/program/engine.h"

#include <vector>

namespace fabricast {

struct Bf16OptimizerOptions {
    std::int64_t ranks = 1;      ///< that share the optimizer's states
    std::int64_t wireWidth = 2;  ///< bytes of a gradient element when it is reduced
    OptimizerSettings optimizer;
};

/// This is DeepSpeed's BF16_Optimizer, which ZeRO-1 becomes when bf16 gradients are summed in fp32:
/// whole bf16 gradients and a whole fp32 sum of them on every rank, fp32 parameters and moments
/// cut.
class Bf16OptimizerEngine final : public ParallelEngine {
public:
    Bf16OptimizerEngine(Device& device,
                        const std::vector<Unit>& units,
                        Bf16OptimizerOptions options);

    void holdStates() override;
    void beforeForward(int) override {}
    void afterForward(int) override {}
    void beforeBackward(int) override {}
    void takeGradient(int unit, int weight, Storage gradient) override;
    void afterBackward(int) override {}
    void endBackward() override;
    void optimizerStep() override;
    [[nodiscard]] std::int64_t gradientWidth() const override;
    void beginMicroStep(std::int64_t index, std::int64_t count) override;
    [[nodiscard]] bool tiedWeightsAreOneTensor() const override { return true; }

private:
    Device& device_;
    Bf16OptimizerOptions options_;
    std::vector<StepTensor> parameters_;
    std::vector<std::vector<Storage>> gradients_;  ///< by unit and weight
    std::int64_t partition_ = 0;                   ///< elements
    bool lastMicroStep_ = true;
};

}  // namespace fabricast
