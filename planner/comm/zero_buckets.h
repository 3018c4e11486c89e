#pragma once
#include "planner/comm/module_weights.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// A part of a gradient that lies in one rank's partition.
struct ZeroPiece {
    std::int64_t owner = 0;
    std::int64_t elements = 0;
};
struct ZeroBucket {
    std::vector<ZeroPiece> pieces;
    std::vector<std::size_t> weights;
    std::int64_t elements = 0;
};

/// This is how ZeRO-1 and 2 lay gradients end to end in one flat buffer with an equal partition for
/// each rank, and collect them into buckets. A bucket is closed by the weight that would overflow
/// it.
struct ZeroFlat {
    std::vector<ZeroBucket> buckets;
    std::int64_t padded = 0;  ///< elements of the flat buffer
};
ZeroFlat zeroFlat(const StageView& view, const ModelWeights& model, std::int64_t ranks);

/// Weights in order, cut wherever the next one would make a bucket larger than `limit`.
std::vector<ZeroBucket> zeroBuckets(const ModelWeights& model,
                                    const std::vector<std::size_t>& order,
                                    std::int64_t limit);

}  // namespace fabricast
