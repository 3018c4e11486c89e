#pragma once
#include "planner/memory/device/device.h"
#include "planner/memory/engines/optimizer_state.h"
#include "planner/memory/engines/torch/receives.h"
#include "planner/ops/op_list.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// This is one parameter group of FSDP2: weights of one module that are sharded over the same
/// ranks, gathered into one flat buffer and reduced from one. A module has one group, and another
/// for its experts where those are sharded over other ranks.
class Fsdp2Group {
public:
    Fsdp2Group(Device& device, const Fsdp2Options& options, std::int64_t ranks)
        : device_(&device), options_(&options), ranks_(ranks) {}
    /// Returns the weight's place in the group.
    int add(const WeightUse& weight);

    [[nodiscard]] std::int64_t shardBytes() const;
    /// What every rank holds whole: the scales and tables of a quantised base.
    [[nodiscard]] std::int64_t wholeBytes() const;
    /// The sharded parameters as the optimizer sees them.
    [[nodiscard]] std::vector<StepTensor> shardTensors() const;
    [[nodiscard]] std::int64_t ranks() const { return ranks_; }
    [[nodiscard]] bool isUnsharded() const { return unsharded_; }
    [[nodiscard]] bool hasGradients() const;
    [[nodiscard]] bool hasAccumulated() const;

    /// Issues the all-gather, if the parameters are neither there nor on their way.
    void unshard();
    /// Copies the parameters out of the all-gather's output, which is returned: the caller says how
    /// long it stays. kNoStorage where nothing was gathered.
    Storage waitForUnshard();
    void reshard();
    /// What was gathered and not waited for is let go.
    void forgetGather();
    void takeGradient(int weight, Storage gradient);
    /// Without gradient sync the unsharded gradients stay, in the reduce type.
    void keepUnsharded();
    /// From the pre-backward hook to the post-backward one.
    void setInBackward(bool inside) { inBackward_ = inside; }
    /// Reduces the gradients that are there into a shard; returns the reduce-scatter's input, which
    /// stays until a later module's.
    Storage reduceScatter();
    void dropShardGradient();

private:
    [[nodiscard]] std::int64_t shardOf(const WeightUse& weight) const;
    [[nodiscard]] std::int64_t storedWidth(const WeightUse& weight) const {
        return weight.widthOr(options_->storedWidth);
    }
    /// Bytes of the shards that are stored in another type than they are gathered in, once cast.
    [[nodiscard]] std::int64_t castBytes() const;
    /// Whether a weight is split along another dimension than its first.
    [[nodiscard]] bool splitsInner(const WeightUse& weight) const;
    [[nodiscard]] std::int64_t copyTableBytes() const;
    Storage widened(std::size_t weight, Storage gradient);
    void copyAlone();
    void copyOut();
    void keepShard(Storage reduced, std::int64_t stored);
    void drop(Storage& storage);

    Device* device_;
    const Fsdp2Options* options_;
    std::int64_t ranks_;
    std::vector<WeightUse> weights_;
    bool unsharded_ = false;
    bool onItsWay_ = false;
    bool inBackward_ = false;
    Storage gathered_ = kNoStorage;     ///< all-gather output, before it is copied out
    std::vector<Storage> parameters_;   ///< unsharded, by weight
    std::vector<Storage> gradients_;    ///< unsharded, by weight
    std::vector<Storage> accumulated_;  ///< unsharded in the reduce type, across micro-steps
    Storage shardGradient_ = kNoStorage;
};

}  // namespace fabricast
