#pragma once
#include "planner/sharding/rank_tensors.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// A parameter as Megatron's gradient buffers see it. Biases and norms have no weight decay: the
/// optimizer steps them as a group of their own.
struct BufferedWeight {
    std::int64_t elements = 0;
    bool isMatrix = true;
    bool shared = false;   ///< a tied table that two stages hold
    bool inLayer = false;  ///< not at the model's ends
};

/// The weights of a chunk in Megatron's order of registration, the experts of other ranks' apart.
struct MegatronWeights {
    std::vector<BufferedWeight> dense;
    std::vector<BufferedWeight> experts;
};
MegatronWeights megatronWeights(const StageShape& stage, const ChunkView& chunk);

/// How megatron-core's DistributedDataParallel lays parameters out.
struct BucketRules {
    std::int64_t size = 0;     ///< elements at which a bucket closes; 0: never
    std::int64_t ranks = 1;    ///< that a bucket is divided between
    bool distributed = true;   ///< starts and ends are aligned, so that the ranks can divide it
    bool wideBuckets = false;  ///< --ddp-pad-buckets-for-high-nccl-busbw
};
/// Of a chunk's dense weights, or of its experts. Only the first chunk of the first stage closes
/// buckets early, and only to overlap them: the others' last gradients are ready before the first
/// stage's are.
BucketRules bucketRules(const StageShape& stage, const ChunkView& chunk, bool experts);

/// This is one contiguous buffer of parameters (and one alike of gradients), filled from the last
/// parameter to the first, as their gradients come: starts are padded to 64 elements, a bucket's
/// end so that it divides evenly between the ranks.
///     const MegatronBuffer buffer(weights.dense, rules);
///     for (const MegatronBuffer::Bucket& bucket : buffer.buckets()) bytes += 2 *
///     bucket.elements();
class MegatronBuffer {
public:
    struct Bucket {
        std::int64_t begin = 0;
        std::int64_t end = 0;
        [[nodiscard]] std::int64_t elements() const { return end - begin; }
    };
    MegatronBuffer(const std::vector<BufferedWeight>& weights, const BucketRules& rules);

    [[nodiscard]] std::int64_t elements() const { return next_; }
    [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }
    /// The pieces of weights that a rank's even share of every bucket holds; without the
    /// distributed optimizer, all.
    [[nodiscard]] std::vector<BufferedWeight> piecesOf(std::int64_t rank) const;

private:
    struct Placed {
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::size_t bucket = 0;
        bool isMatrix = true;
        bool inLayer = false;
    };
    void place(const BufferedWeight& weight);
    void closeBucket();

    BucketRules rules_;
    std::int64_t next_ = 0;
    std::int64_t bucketBegin_ = 0;
    std::vector<Placed> placed_;
    std::vector<Bucket> buckets_;
};

}  // namespace fabricast
