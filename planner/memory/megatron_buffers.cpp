#include "planner/memory/megatron_buffers.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fabricast {

namespace {

/// Parameters start at multiples of this many elements (128 bytes of a two-byte type).
constexpr std::int64_t kParameterStart = 64;
/// Buckets end at multiples of this many elements (256 bytes).
constexpr std::int64_t kBucketEnd = 128;
/// With pad_buckets_for_high_nccl_busbw, of this many.
constexpr std::int64_t kWideBucketEnd = std::int64_t{1} << 16;

std::int64_t roundUp(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}

struct Placed {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool isMatrix = true;
};

/// Fills one buffer and closes its buckets; each bucket is cut evenly between the ranks.
class BufferLayout {
public:
    BufferLayout(const BufferRules& rules, std::int64_t rank) : rules_(rules), rank_(rank) {}

    void place(const WeightUse& parameter) {
        if (rules_.distributed) {
            next_ = roundUp(next_, kParameterStart);
        }
        open_.push_back({next_, next_ + parameter.elements, parameter.isMatrix});
        next_ += parameter.elements;
        if (rules_.bucketSize > 0 && next_ - bucketBegin_ >= rules_.bucketSize) {
            closeBucket();
        }
    }
    ParameterBuffer finish() {
        if (!open_.empty()) {
            closeBucket();
        }
        return {.elements = next_, .mine = std::move(mine_)};
    }

private:
    void closeBucket() {
        if (rules_.distributed) {
            const std::int64_t step = rules_.wideBuckets ? kWideBucketEnd : kBucketEnd;
            next_ = roundUp(next_, std::lcm(rules_.ranks, step));
        }
        const std::int64_t ranks = rules_.distributed ? rules_.ranks : 1;
        const std::int64_t share = (next_ - bucketBegin_) / ranks;
        const std::int64_t begin = bucketBegin_ + share * (rules_.distributed ? rank_ : 0);
        for (const Placed& placed : open_) {
            const std::int64_t piece =
                std::min(placed.end, begin + share) - std::max(placed.begin, begin);
            if (piece > 0) {
                mine_.push_back({piece, placed.isMatrix});
            }
        }
        open_.clear();
        bucketBegin_ = next_;
    }

    BufferRules rules_;
    std::int64_t rank_;
    std::int64_t next_ = 0;
    std::int64_t bucketBegin_ = 0;
    std::vector<Placed> open_;
    std::vector<ShardPiece> mine_;
};

}  // namespace

ParameterBuffer layOutBuffer(const std::vector<WeightUse>& parameters,
                             const BufferRules& rules,
                             std::int64_t rank) {
    BufferLayout layout(rules, rank);
    for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter) {
        layout.place(*parameter);
    }
    return layout.finish();
}

}  // namespace fabricast
