#pragma once
#include "planner/memory/engine.h"
#include "planner/memory/optimizer_state.h"

#include <vector>

namespace fabricast {

/// What fully_shard needs to know of a rank.
struct Fsdp2Options {
    std::int64_t shards = 1;        ///< ranks that share one copy
    std::int64_t expertShards = 1;  ///< the same for expert weights
    std::int64_t storedWidth = 4;   ///< bytes of a sharded parameter element
    std::int64_t computeWidth = 2;  ///< bytes of a gathered one
    std::int64_t reduceWidth = 4;   ///< bytes of a gradient element on the wire
    bool syncEachMicroStep = true;  ///< false: set_requires_gradient_sync(False) until the last
    int rootUnit = -1;              ///< unit of the root module that wraps the others; -1: none
    int keptUnit = -1;              ///< unit that is not resharded after forward; -1: none
    bool reshardAfterForward = true;
    bool reshardAfterBackward = true;
    bool reduceAtEnd = false;  ///< pipelines: one reduce-scatter per unit after the last backward
    std::int64_t masterWidth = 0;  ///< bytes of a separate master copy of an element; 0: none
    bool offload = false;          ///< CPUOffloadPolicy: shards, gradients and states on the host
    OptimizerSettings optimizer{};
};

/// This is FSDP2 (fully_shard): per-unit all-gather and reduce-scatter on their own streams, with
/// the buffers' lifetimes of its implementation.
class Fsdp2Engine final : public ParallelEngine {
public:
    Fsdp2Engine(Device& device, std::vector<Unit> units, Fsdp2Options options);

    void holdStates() override;
    void beginForward() override;
    void beforeForward(int unit) override;
    void afterForward(int unit) override;
    void endForward() override;
    void beforeBackward(int unit) override;
    void takeGradient(int unit, int weight, Storage gradient) override;
    void afterBackward(int unit) override;
    void endBackward() override;
    void afterHeadChunk(int unit, bool last) override;
    void optimizerStep() override;
    [[nodiscard]] std::int64_t gradientWidth() const override { return options_.computeWidth; }
    void beginMicroStep(std::int64_t index, std::int64_t count) override;
    [[nodiscard]] HostMemory host() const override { return {.bytes = hostBytes_}; }

private:
    struct State {
        Storage gathered = kNoStorage;    ///< all-gather output, before it is copied out
        Storage parameters = kNoStorage;  ///< unsharded parameters
        Storage shardGradient = kNoStorage;
        std::vector<Storage> gradients;    ///< unsharded, by weight
        std::vector<Storage> accumulated;  ///< unsharded in the reduce type, across micro-steps
        bool reduced = false;              ///< post-backward has run in this pass
    };
    [[nodiscard]] std::int64_t shardElements(int unit) const;
    [[nodiscard]] std::vector<StepTensor> shardTensors() const;
    void keepShard(State& state, Storage reduced, std::int64_t shard);
    [[nodiscard]] std::int64_t shardOf(const WeightUse& weight) const;
    void reduceAll();
    void gather(int unit);
    void copyOut(int unit, bool keepGathered);
    void reshard(int unit);
    void drop(Storage& storage);
    void keepUnsharded(int unit, bool castEach);
    void reduceScatter(int unit);

    Device& device_;
    std::vector<Unit> units_;
    Fsdp2Options options_;
    std::vector<State> states_;
    std::vector<int> forwardOrder_;     ///< units in the order their forward ended
    Storage keptGather_ = kNoStorage;   ///< forward keeps one all-gather output to overlap
    Storage reduceInput_ = kNoStorage;  ///< the last reduce-scatter's input
    std::int64_t hostBytes_ = 0;
    bool lastMicroStep_ = true;
};

}  // namespace fabricast
