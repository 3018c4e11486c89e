#pragma once
#include "probes/collective/collective_task.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast::probe {

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
