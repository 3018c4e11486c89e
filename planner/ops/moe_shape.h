#pragma once
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// Rows of tokens on their way through the experts of one rank. Every rank sends topK rows per
/// token; this one receives `imbalance` times its even share.
struct MoeShape {
    std::int64_t tokens = 0;   ///< of this rank, after sequence parallelism
    std::int64_t experts = 0;  ///< of the layer
    std::int64_t localExperts = 0;
    std::int64_t topK = 0;
    std::int64_t capacity = 0;     ///< rows that an expert takes from one rank; 0: any number
    std::int64_t sent = 0;         ///< rows that this rank sends
    std::int64_t received = 0;     ///< rows that its expert-parallel group sends it
    std::int64_t rows = 0;         ///< the same from all ranks of expert tensor parallelism
    std::int64_t width = 0;        ///< local columns of one expert
    std::int64_t sharedWidth = 0;  ///< local columns of the shared experts
    std::vector<std::int64_t> perExpert;  ///< `rows` by local expert
};

MoeShape moeShape(const Scenario& scenario);

}  // namespace fabricast
