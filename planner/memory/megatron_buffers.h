#pragma once
#include "planner/ops/op_list.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// How megatron-core's DistributedDataParallel lays parameters out.
struct BufferRules {
    std::int64_t ranks = 1;       ///< that share the distributed optimizer's states
    bool distributed = true;      ///< distributed optimizer: padded, and cut between the ranks
    bool wideBuckets = false;     ///< pad_buckets_for_high_nccl_busbw
    std::int64_t bucketSize = 0;  ///< elements that close a bucket; 0: one bucket
};

/// One rank's piece of a parameter. Biases and norms have no weight decay: the optimizer steps them
/// as a group of their own.
struct ShardPiece {
    std::int64_t elements = 0;
    bool isMatrix = true;
};

/// One contiguous buffer of parameters (and one alike of gradients), filled from the last parameter
/// to the first: every start is padded to 64 elements, every bucket's end so that it divides evenly
/// between the ranks.
struct ParameterBuffer {
    std::int64_t elements = 0;
    std::vector<ShardPiece> mine;  ///< what rank `rank` owns
};
ParameterBuffer layOutBuffer(const std::vector<WeightUse>& parameters,
                             const BufferRules& rules,
                             std::int64_t rank);

}  // namespace fabricast
