#pragma once
#include "simulator/engine/simulate.h"

#include <array>
#include <vector>

namespace fabricast {

/// What a stretch of time goes to. Bubble: the busiest actor waits for others.
enum class PathPart : std::uint8_t {
    Compute,
    Bubble,
    Tensor,
    Expert,
    Data,
    Pipeline,
    Optimizer,
    Copy,
    Host,
    Count_
};
inline constexpr std::size_t kPathParts = static_cast<std::size_t>(PathPart::Count_);

/// The chain of ops that the makespan consists of: each starts when the one before it ends, and
/// nothing shorter would do while all ops take what they take.
struct CriticalPath {
    std::vector<OpIndex> ops;                            ///< first to last
    std::array<SimTime, kPathParts> parts{};             ///< sums to the makespan
    ActorIndex busiest = 0;                              ///< the actor with the longest passes
    std::vector<std::array<SimTime, kSimStreams>> busy;  ///< of each actor, by stream

    [[nodiscard]] SimTime of(PathPart part) const { return parts[static_cast<std::size_t>(part)]; }
};

/// The pieces of the path that other actors run while the busiest one has nothing to do are its
/// bubble; the others count as what they are.
CriticalPath criticalPath(const SimProgram& program, const SimRun& run);

}  // namespace fabricast
