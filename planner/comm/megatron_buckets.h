#pragma once
#include "planner/comm/rank_tensors.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// A parameter as Megatron's gradient buffers see it.
struct BufferedWeight {
    std::int64_t elements = 0;
    bool shared = false;  ///< a tied table that two stages hold
};

/// The weights of a chunk in Megatron's order of registration, the experts of other ranks' apart.
struct MegatronWeights {
    std::vector<BufferedWeight> dense;
    std::vector<BufferedWeight> experts;
};
MegatronWeights megatronWeights(const StageView& view, const ChunkView& chunk);

struct BucketRules {
    std::int64_t size = 0;     ///< elements at which a bucket closes; 0: never
    std::int64_t ranks = 1;    ///< that a bucket is divided between
    bool distributed = true;   ///< starts and ends are aligned, so that they can divide it
    bool wideBuckets = false;  ///< --ddp-pad-buckets-for-high-nccl-busbw
};
/// Elements of each bucket. Parameters come in reverse order, as their gradients do.
std::vector<std::int64_t> bucketSizes(const std::vector<BufferedWeight>& weights,
                                      const BucketRules& rules);

}  // namespace fabricast
