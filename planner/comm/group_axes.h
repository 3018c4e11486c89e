#pragma once
#include "planner/stack/rank_groups.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace fabricast {

/// This is where the ranks of any group of a kind lie, without listing them: rank 0 of the group
/// plus every sum of one step along each axis. Axes go from the smallest stride to the largest, of
/// size 2 or more; axes that follow on each other are one.
///     groupAxes({.tp = 8, .pp = 2, .dp = 4}, {}, GroupKind::Data)  →  4 ranks, 8 apart
struct GroupAxes {
    struct Axis {
        std::int64_t size = 1;
        std::int64_t stride = 1;
        /// Consecutive ranks in which groups along it lie side by side; 0: size · stride.
        std::int64_t block = 0;

        [[nodiscard]] std::int64_t run() const { return block > 0 ? block : size * stride; }
    };
    std::array<Axis, 4> axes{};
    std::size_t count = 0;

    [[nodiscard]] std::int64_t ranks() const;
    void add(Axis axis);
};

/// For a layout that its stack has checked.
GroupAxes groupAxes(const Layout& layout, const RankOrder& order, GroupKind kind);

/// How the ranks of a group divide over pieces of consecutive ranks: nodes, NVLink domains,
/// sockets. Where groups of a kind lie differently, those of the one over most pieces.
struct GroupSpan {
    std::int64_t pieces = 1;
    std::int64_t perPiece = 1;  ///< in the fullest
};
GroupSpan spanOver(const GroupAxes& group, std::int64_t pieceRanks, std::int64_t world);

}  // namespace fabricast
