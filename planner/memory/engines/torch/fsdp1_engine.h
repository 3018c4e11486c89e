#pragma once
#include "planner/memory/engines/optimizer_state.h"
#include "planner/memory/program/engine.h"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace fabricast {

/// What FullyShardedDataParallel needs to know of a rank.
struct Fsdp1Options {
    std::int64_t shards = 1;  ///< ranks that share one copy; 1: NO_SHARD
    std::int64_t rank = 0;    ///< among them
    std::int64_t storedWidth = 4;
    std::int64_t computeWidth = 2;
    std::int64_t reduceWidth = 4;
    bool reshardAfterForward = true;  ///< FULL_SHARD; false: SHARD_GRAD_OP
    bool originalParameters = true;   ///< use_orig_params
    BackwardPrefetch backwardPrefetch = BackwardPrefetch::Pre;
    bool forwardPrefetch = false;
    bool syncEachMicroStep = true;  ///< false: no_sync() until the last
    bool setToNone = true;
    bool offload = false;  ///< CPUOffload: shards, their gradients and the optimizer on the host
    bool wrapsTrained = false;    ///< each trained weight's module by itself, inside a frozen unit
    std::int64_t scaleBytes = 0;  ///< scales and tables of 4-bit weights: no part of a parameter
    int rootUnit = -1;
    OptimizerSettings optimizer;
};

/// This is FSDP1: each unit's weights lie in one flat parameter, gathered and freed as a whole,
/// whose gradient is put together when all of the unit's weights have theirs. Around adapters, as
/// PEFT's wrapping policy has them, each is a flat parameter of its own that is gathered for its
/// own module, and what is frozen of the unit is one that has no gradient.
class Fsdp1Engine final : public ParallelEngine {
public:
    Fsdp1Engine(Device& device, const std::vector<Unit>& units, Fsdp1Options options);

    void holdStates() override;
    void beginForward() override;
    void beginSaving() override;
    void beforeForward(int unit) override;
    void afterForward(int unit) override;
    void endForward() override;
    void beforeBackward(int unit) override;
    void takeGradient(int unit, int weight, Storage gradient) override;
    void afterBackward(int unit) override;
    void endBackward() override;
    void optimizerStep() override;
    [[nodiscard]] std::int64_t gradientWidth() const override { return options_.computeWidth; }
    void beginMicroStep(std::int64_t index, std::int64_t count) override;
    [[nodiscard]] bool tiedWeightsAreOneTensor() const override { return true; }
    [[nodiscard]] HostMemory host() const override;

    [[nodiscard]] bool watchesModules() const override { return options_.wrapsTrained; }
    void enterModule(const ModuleCall& call, bool inBackward) override;
    void leaveModule(const ModuleCall& call, bool inBackward) override;

private:
    /// Streams, each with blocks of its own in the caching allocator.
    static constexpr std::int16_t kUnshardPool = 1;
    static constexpr std::int16_t kCastPool = 2;
    static constexpr std::int16_t kFlatReducePool = 3;
    using FlatId = std::size_t;
    /// One wrapped module's flat parameter.
    struct Flat {
        std::int64_t elements = 0;  ///< with the gaps that align its weights
        std::int64_t shard = 0;     ///< of every rank, padding included
        std::int64_t storedWidth = 4;
        bool trained = true;
        bool isRoot = false;
        std::vector<StepTensor> tensors;  ///< what the optimizer of this rank steps
        bool inBackward = false;          ///< its backward has begun, its gradient is not there
        bool awaitsBackward = false;      ///< its forward is over, its backward has not begun
        Storage unsharded = kNoStorage;
        Storage fetched = kNoStorage;      ///< the shard from the host, if it is not cast
        Storage gradient = kNoStorage;     ///< of the shard (of all, under NO_SHARD), between steps
        Storage accumulated = kNoStorage;  ///< unsharded, without sync
        std::vector<Storage> gradients;    ///< of the weights, until the last of them
    };
    [[nodiscard]] bool sharded() const { return options_.shards > 1; }
    [[nodiscard]] bool mixed(const Flat& flat) const {
        return flat.storedWidth != options_.computeWidth;
    }
    [[nodiscard]] FlatId flatOf(int unit) const { return units_[static_cast<std::size_t>(unit)]; }
    [[nodiscard]] std::vector<FlatId> wrappedIn(const ModuleCall& call) const;
    void addUnit(int unit, const std::vector<WeightUse>& weights);
    [[nodiscard]] Flat flatten(const std::vector<WeightUse>& weights) const;
    void preForward(FlatId id);
    void postForward(FlatId id);
    void preBackward(FlatId id);
    void unshard(FlatId id);
    void fetch(Flat& flat);
    void reshard(Flat& flat, bool free);
    void prefetch(FlatId id);
    Storage flattenGradients(Flat& flat);
    void postBackward(FlatId id);
    void reduceScatter(Flat& flat, Storage gradient);
    void allReduce(Flat& flat, Storage gradient);
    void dropGradients();
    void drop(Storage& storage);

    Device& device_;
    Fsdp1Options options_;
    std::vector<Flat> flats_;                        ///< in the order of their first forward
    std::vector<FlatId> units_;                      ///< which is a unit's own
    std::map<std::pair<int, int>, FlatId> wrapped_;  ///< which is a weight's, by unit and weight
    std::vector<FlatId> forwardOrder_;               ///< in which their forward ended
    bool sync_ = true;
    bool zeroed_ = false;  ///< zero_grad() ran; the flat gradients go when forward begins
};

}  // namespace fabricast
