#pragma once
#include "planner/spec/cluster_spec.h"

#include <cstdint>
#include <string>

namespace fabricast {

/// One collective that was timed: so many bytes, as nccl-tests counts them.
struct TimedCollective {
    std::int64_t ranks = 2;
    std::int64_t nodes = 1;
    double bytes = 0.0;
    Seconds time;
};

/// Why no machine is so slow; empty: one may be. Whatever its links are, what is left when they
/// fail is a copy by one core inside a node and Gigabit Ethernet between nodes, and a step takes
/// the second after which TCP sends what was lost once more.
std::string tooSlowBecause(const TimedCollective& timed);

/// Why no rank on such a GPU is so fast; empty: one may be. What a rank receives it writes to its
/// memory, of which the data sheet says how fast it is.
std::string tooFastBecause(const TimedCollective& timed, const GpuSpec& gpu);

}  // namespace fabricast
