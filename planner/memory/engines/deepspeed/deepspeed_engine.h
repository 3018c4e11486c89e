#pragma once
#include "planner/memory/engines/optimizer_state.h"
#include "planner/memory/program/engine.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fabricast {

/// Where a 16-bit model's fp32 parameters lie: one flat tensor under FusedAdam (FP16_Optimizer),
/// one a parameter under torch's optimizers (FP16_UnfusedOptimizer); none where the model is fp32.
enum class MasterCopy { None, Flat, PerParameter };

struct DeepSpeedOptions {
    std::int64_t width = 2;  ///< bytes of a parameter and of a gradient
    MasterCopy master = MasterCopy::Flat;
    OptimizerSettings optimizer;
};

/// This is DeepSpeed without ZeRO: whole parameters, gradients all-reduced from flat copies after
/// the last backward, and a step on fp32 copies of parameters and gradients.
class DeepSpeedEngine final : public ParallelEngine {
public:
    DeepSpeedEngine(Device& device, const std::vector<Unit>& units, DeepSpeedOptions options);

    void holdStates() override;
    void beforeForward(int) override {}
    void afterForward(int) override {}
    void beforeBackward(int) override {}
    void takeGradient(int unit, int weight, Storage gradient) override;
    void afterBackward(int) override {}
    void endBackward() override;
    void optimizerStep() override;
    [[nodiscard]] std::int64_t gradientWidth() const override { return options_.width; }
    void beginMicroStep(std::int64_t index, std::int64_t count) override;
    [[nodiscard]] bool tiedWeightsAreOneTensor() const override { return true; }

private:
    /// Parameters that one flat fp32 tensor holds: all but deepspeed.moe's experts, or some of
    /// them.
    struct FlatGroup {
        std::vector<std::pair<std::size_t, std::size_t>> at;  ///< unit and weight
        std::vector<std::int64_t> elements;
        bool experts = false;
        [[nodiscard]] std::int64_t sum() const;
    };
    void groupParameters(const std::vector<Unit>& units);
    void reduceGradients(bool experts);
    void stepFlat();
    void stepPerParameter();
    void runOptimizer();
    void dropGradients();
    void dropGradient(std::size_t unit, std::size_t weight);

    Device& device_;
    DeepSpeedOptions options_;
    std::vector<StepTensor> parameters_;
    std::vector<FlatGroup> groups_;
    std::vector<StepTensor> stepped_;              ///< what the optimizer steps
    std::vector<std::vector<Storage>> gradients_;  ///< by unit and weight
    bool lastMicroStep_ = true;
};

}  // namespace fabricast
