#include "planner/comm/zero_buckets.h"

#include <algorithm>

namespace fabricast {
namespace {

/// The parts of [begin, begin + elements) in partitions of equal length.
std::vector<ZeroPiece> cut(std::int64_t begin, std::int64_t elements, std::int64_t partition) {
    std::vector<ZeroPiece> pieces;
    const std::int64_t end = begin + elements;
    while (begin < end) {
        const std::int64_t owner = begin / partition;
        const std::int64_t next = std::min(end, (owner + 1) * partition);
        pieces.push_back({.owner = owner, .elements = next - begin});
        begin = next;
    }
    return pieces;
}

}  // namespace

std::vector<ZeroBucket> zeroBuckets(const ModelWeights& model,
                                    const std::vector<std::size_t>& order,
                                    std::int64_t limit) {
    std::vector<ZeroBucket> buckets;
    for (const std::size_t weight : order) {
        const std::int64_t elements = model.tensors[weight].elements();
        if (buckets.empty() || buckets.back().elements + elements > limit) {
            buckets.emplace_back();
        }
        buckets.back().weights.push_back(weight);
        buckets.back().elements += elements;
    }
    return buckets;
}

// Stage 1 reduces after the last micro-batch, in the order of registration unless overlap_comm
// takes gradients as they come; stage 2 always does.
ZeroFlat zeroFlat(const StageView& view, const ModelWeights& model, std::int64_t ranks) {
    const std::vector<std::size_t> registered = registeredOrder(model);
    std::vector<std::int64_t> begins(model.tensors.size());
    std::int64_t elements = 0;
    for (const std::size_t weight : registered) {
        begins[weight] = elements;
        elements += model.tensors[weight].elements();
    }
    ZeroFlat flat{.padded = roundUp(elements, 2 * ranks)};
    const DeepSpeedSettings& zero = view.settings().deepspeed;
    const bool atEnd = view.layout().shard == Shard::Zero1 && !zero.overlapComm;
    flat.buckets = zeroBuckets(model, atEnd ? registered : gradientOrder(model), zero.reduceBucket);
    for (ZeroBucket& bucket : flat.buckets) {
        for (const std::size_t weight : bucket.weights) {
            const auto pieces =
                cut(begins[weight], model.tensors[weight].elements(), flat.padded / ranks);
            bucket.pieces.insert(bucket.pieces.end(), pieces.begin(), pieces.end());
        }
    }
    return flat;
}

}  // namespace fabricast
