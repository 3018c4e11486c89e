#pragma once
#include "planner/memory/engines/optimizer_state.h"
#include "planner/memory/program/engine.h"

#include <vector>

namespace fabricast {

struct DdpOptions {
    std::int64_t width = 4;         ///< bytes of a parameter, gradient and moment element
    bool gradientIsView = false;    ///< gradient_as_bucket_view
    bool syncEachMicroStep = true;  ///< false: no_sync() until the last
    bool setToNone = true;          ///< false: zero_grad() keeps the gradients
    OptimizerSettings optimizer;
    std::vector<StepTensor> tensors;  ///< trained, as the optimizer steps them
};

/// This is torch's DistributedDataParallel: whole parameters on every rank, and buckets that hold
/// one flat copy of all gradients from the first step on.
class DdpEngine final : public ParallelEngine {
public:
    DdpEngine(Device& device, std::vector<Unit> units, DdpOptions options);

    void holdStates() override;
    void beforeForward(int) override {}
    void afterForward(int) override {}
    void beforeBackward(int) override {}
    void takeGradient(int unit, int weight, Storage gradient) override;
    void afterBackward(int) override {}
    void optimizerStep() override;
    [[nodiscard]] std::int64_t gradientWidth() const override { return options_.width; }
    void beginMicroStep(std::int64_t index, std::int64_t count) override;
    [[nodiscard]] bool tiedWeightsAreOneTensor() const override { return true; }

private:
    void zeroGrad();
    /// One parameter's gradient: nothing, memory of its own, or a view into its bucket.
    struct Gradient {
        Storage own = kNoStorage;
        bool viewsBucket = false;
    };
    Device& device_;
    std::vector<Unit> units_;
    DdpOptions options_;
    std::vector<std::vector<Gradient>> gradients_;  ///< by unit and weight
    bool sync_ = true;
};

}  // namespace fabricast
