#pragma once
#include "probes/record/point.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast::probe {

/// Which products of training a zoo of models are asked for.
struct ZooRange {
    std::size_t models = 1;            ///< the first so many of the zoo
    std::vector<std::int64_t> tokens;  ///< of a microbatch on one GPU
    std::vector<std::int64_t> splits;  ///< tensor parallelism
    bool allPasses = true;             ///< else forward alone
};

/// The products of a layer of each model, and of its head, split over tensor parallelism. The
/// forward of a product comes with the gradient of its inputs and of its weights.
std::vector<Point> zooProducts(const ZooRange& range);

}  // namespace fabricast::probe
