#pragma once
#include "planner/comm/collective_groups.h"
#include "planner/comm/comm_call.h"
#include "planner/sharding/model_modules.h"
#include "planner/sharding/zero_partition.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace fabricast {

/// Whether experts' weights are in optimizer groups of their own.
bool partsExperts(const StageView& view);

/// Trained weights of one optimizer group of ZeRO-1 or -2 in the order of registration, in one flat
/// buffer with an equal partition for each rank.
class FlatGroup {
public:
    using Pieces = std::vector<ZeroPartition::Slice>;
    FlatGroup(const ModelWeights& model,
              std::vector<std::size_t> weights,
              GroupKind kind,
              ZeroPartition::Options cut);

    [[nodiscard]] GroupKind kind() const { return kind_; }  ///< the ranks of its partitions
    [[nodiscard]] std::int64_t padded() const { return cut_.padded(); }
    [[nodiscard]] const std::vector<std::size_t>& weights() const { return weights_; }
    /// The pieces of a weight, if it is in this group and the group is of that kind, by the ranks
    /// whose partitions they lie in.
    void addPieces(Pieces& pieces, std::size_t weight, GroupKind kind) const;

private:
    std::vector<std::size_t> weights_;
    std::map<std::size_t, std::size_t> placeOf_;  ///< in `weights_`
    GroupKind kind_;
    ZeroPartition cut_;
};

/// One group of all weights, or one of those that are no experts and others of the experts, over
/// the ranks that have the same ones, of at most `kMostOfExpertGroup` elements each.
std::vector<FlatGroup> flatGroups(const StageView& view, const ModelWeights& model);

/// Gradients in buckets, of every group. Stage 1 reduces after the last micro-batch, group by group
/// in the order of registration, unless overlap_comm takes gradients as they come; stage 2 always
/// does.
std::vector<ZeroBucket> gradientBuckets(const StageView& view,
                                        const ModelWeights& model,
                                        const std::vector<FlatGroup>& groups);

}  // namespace fabricast
