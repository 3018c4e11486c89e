#pragma once
#include "planner/base/ids.h"
#include "planner/spec/layout.h"

#include <vector>

namespace fabricast {

/// Where experts lie among the ranks of one pipeline stage.
enum class ExpertPlace {
    OverAll,     ///< etp, ep, then the rest, over all ranks of the stage (Megatron, torchtitan)
    InsideData,  ///< ep next to tp, inside cp x dp (DeepSpeed)
    DataFirst,   ///< ep outside the data ranks (Axolotl; DeepSpeed's use_data_before_expert)
};

/// How a stack numbers its ranks. tp is always innermost, then cp; a rank is
///     t + tp · (c + cp · (d + dp · p)),  or with pipelineInside  t + tp · (c + cp · (p + pp · d)).
struct RankOrder {
    bool pipelineInside = false;  ///< Megatron's --use-tp-pp-dp-mapping
    ExpertPlace experts = ExpertPlace::OverAll;
};

/// Ranks that take part in one collective together. For a group of several axes, its ranks in
/// ascending order.
enum class GroupKind {
    Tensor,
    Context,
    Data,
    DataContext,  ///< dense gradients are reduced over it
    Pipeline,
    TensorContext,
    Embedding,  ///< first and last stage: tied embeddings
    ExpertTensor,
    Expert,
    ExpertTensorExpert,
    ExpertData,  ///< expert gradients are reduced over it
    Shard,       ///< part of DataContext that shares one copy of the states: shard_size ranks
    Replicate,   ///< ranks with the same shard, across shard groups
    ExpertShard,
    ExpertReplicate,
    Stage,              ///< all ranks of a pipeline stage
    TensorPipeline,     ///< one copy of the dense model
    ExpertModel,        ///< one copy of the experts: etp, ep, pp
    OptimizerInstance,  ///< all stages of a shard group: where its gradient norm is summed
    World,
    ContextInner,  ///< neighbours of a context group that exchange heads (hierarchical)
    ContextOuter,  ///< the same place in each of them: the ring between
};

/// How many ranks of a hierarchical context group exchange heads, the others being a ring: the most
/// that divide it and lie, with their tp ranks, inside a node of eight.
std::int64_t contextInner(const Layout& layout);

using RankGroup = std::vector<RankId>;

/// Ranks that share one copy of the dense states; 1 where nothing is sharded.
std::int64_t shardSize(const Layout& layout);
/// Of `dataRanks` that hold the same experts, as many share a copy as the dense ranks' share
/// leaves: with all of dp · cp sharded, all of them.
std::int64_t expertShardSize(const Layout& layout, std::int64_t dataRanks);

/// Every group of a kind, by its lowest rank, for a layout that its stack has checked.
///     rankGroups({.tp = 2, .pp = 4, .dp = 2}, {}, GroupKind::Data)  →  {0, 2}, {1, 3}, {4, 6}, …
std::vector<RankGroup> rankGroups(const Layout& layout, const RankOrder& order, GroupKind kind);

/// The group of that kind which `rank` is in.
RankGroup rankGroupOf(RankId rank, const Layout& layout, const RankOrder& order, GroupKind kind);

}  // namespace fabricast
