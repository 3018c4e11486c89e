#pragma once
#include "planner/spec/cluster_spec.h"
#include "planner/spec/collective_kind.h"

#include <cstdint>
#include <string>

namespace fabricast {

/// One collective that was timed: so many bytes, as nccl-tests counts them.
struct TimedCollective {
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int64_t ranks = 2;
    std::int64_t nodes = 1;
    double bytes = 0.0;
    Seconds time;
};

/// Why no machine is so slow; empty: one may be. Whatever its links are, what is left when they
/// fail is a copy by one core inside a node and Gigabit Ethernet between nodes, and a step takes
/// the second after which TCP sends what was lost once more.
std::string tooSlowBecause(const TimedCollective& timed);

/// Why no node of such GPUs is so slow; empty: one may be. Where the links between them fail NCCL
/// goes over PCIe, the host's memory or sockets of a core for each rank, and all of these pass on
/// more than a thousandth of a link's rate on the data sheet; a step that takes a millisecond takes
/// a hundred times as long as NCCL itself reckons with.
std::string tooSlowBecause(const TimedCollective& timed, const GpuSpec& gpu);

/// Why no such machine is so fast; empty: one may be. Whatever the algorithm, a rank sends what the
/// others need of it over the links between GPUs, a node what other nodes need of it over its NICs,
/// and a rank writes what it receives to its memory: none of these takes less than on the data
/// sheet. Switches that reduce let an all-reduce send everything once, where a ring does nearly
/// twice.
std::string tooFastBecause(const TimedCollective& timed, const ClusterSpec& machine);

}  // namespace fabricast
