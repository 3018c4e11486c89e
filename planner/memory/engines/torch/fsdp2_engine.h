#pragma once
#include "planner/memory/engines/torch/fsdp2_group.h"
#include "planner/memory/engines/torch/receives.h"
#include "planner/memory/program/engine.h"

#include <utility>
#include <vector>

namespace fabricast {

/// This is FSDP2 (fully_shard): per-group all-gather and reduce-scatter on their own streams, with
/// the buffers' lifetimes of its implementation.
class Fsdp2Engine final : public ParallelEngine {
public:
    Fsdp2Engine(Device& device, const std::vector<Unit>& units, Fsdp2Options options);

    void holdStates() override;
    void beginForward() override;
    void beforeForward(int unit) override;
    void afterForward(int unit) override;
    void endForward() override;
    void beforeBackward(int unit) override;
    void takeGradient(int unit, int weight, Storage gradient) override;
    void afterBackward(int unit) override;
    void endBackward() override;
    void beforeHeadChunks(int unit) override;
    void afterHeadChunk(int unit, bool last) override;
    void optimizerStep() override;
    void beginSaving() override;
    [[nodiscard]] std::int64_t gradientWidth() const override { return options_.computeWidth; }
    [[nodiscard]] std::int64_t gradientWidthOf(const WeightUse&) const override {
        return options_.computeWidth;
    }
    [[nodiscard]] bool tiedWeightsAreOneTensor() const override {
        return options_.tiesOneParameter;
    }
    void beginMicroStep(std::int64_t index, std::int64_t count) override;
    [[nodiscard]] HostMemory host() const override { return {.bytes = hostBytes_}; }

private:
    /// A module that fully_shard wraps.
    struct Wrapped {
        std::vector<Fsdp2Group> groups;
        std::vector<std::pair<std::size_t, int>> places;  ///< group and place in it, by weight
        bool reduced = false;                             ///< post-backward has run in this pass
    };
    /// A group's forward, in the order they ended.
    struct Passed {
        int unit = 0;
        std::size_t group = 0;
    };
    Wrapped& wrapped(int unit) { return units_[static_cast<std::size_t>(unit)]; }
    [[nodiscard]] std::vector<StepTensor> shardTensors() const;
    void prefetchBefore(int unit, std::size_t group);
    void reduce(Fsdp2Group& group, bool lastOfUnit);
    void reduceAll();
    void dropReduceInputs();
    void dropKeptGather();

    Device& device_;
    Fsdp2Options options_;
    std::vector<Wrapped> units_;
    std::vector<Passed> forwardOrder_;
    Storage keptGather_ = kNoStorage;    ///< forward keeps one all-gather output to overlap
    std::vector<Storage> reduceInputs_;  ///< of the last module's reduce-scatters
    std::int64_t hostBytes_ = 0;
    bool lastMicroStep_ = true;
};

}  // namespace fabricast
