#pragma once
#include "probes/collective/collective.h"
#include "probes/collective/strided_group.h"
#include "probes/record/point.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast::probe {

/// A point that speaks of a collective, taken apart:
///     all_gather bytes=64M nodes=2 ranks=16 [stride=1] [dtype=float] [groups=all|1]
struct CollectiveTask {
    GroupCall call = GroupCall::AllReduce;
    std::int64_t bytes = 0;  ///< as nccl-tests prints them: the larger of what is sent or received
    StridedGroup shape;
    int nodes = 1;  ///< that a group spans
    CollectiveType type;
    bool oneGroup = false;  ///< the others stand still
};

Answer<CollectiveTask> taskOf(const Point& point);

/// In elements. A size that the ranks cannot share out evenly is rounded down, as nccl-tests does:
/// each part of 16 bytes and more to a multiple of 16.
struct CollectiveCounts {
    std::int64_t count = 0;  ///< as nccl-tests prints it: per rank where ranks hold parts
    std::int64_t sent = 0;   ///< by each rank, the root of a broadcast included
    std::int64_t received = 0;
    std::int64_t bytes = 0;  ///< after rounding
};

/// `count` is 0 where there is not one element for each.
CollectiveCounts countsOf(const CollectiveTask& task);

/// What nccl-tests is told on its command line, and means the same here.
struct SweepFlags {
    std::vector<GroupCall> calls;  ///< --collective; empty: none asked for
    std::int64_t least = 0;        ///< -b; 0 where nobody said
    std::int64_t most = 0;         ///< -e
    std::int64_t factor = 0;       ///< -f
    std::int64_t step = 0;         ///< -i
    int iterations = 20;           ///< -n
    int warmUps = 5;               ///< -w
    bool check = true;             ///< -c
    std::string dtype;             ///< -d
    std::string axes;              ///< --group

    /// Whether a sweep is asked for, rather than a suite.
    [[nodiscard]] bool asked() const {
        return !calls.empty() || least > 0 || most > 0 || !axes.empty();
    }
};

/// Takes one of them, long or short; false for another flag. Those of nccl-tests that make no sense
/// here (-g 8: one process drives one GPU) are refused by name.
Answer<bool> takeSweepFlag(const std::string& flag, const std::string& value, SweepFlags& flags);
std::string sweepHelp();

/// The points of a sweep: each collective, group and size.
Answer<std::vector<Point>> sweepPoints(const SweepFlags& flags, int world, int ranksPerNode);

/// The points of --suite quick or full, for every shape that training on so many ranks has: the
/// ranks of a node, all, one of each node, and in full the powers of two between.
Answer<std::vector<Point>> collectiveSuite(const std::string& suite, int world, int ranksPerNode);

}  // namespace fabricast::probe
