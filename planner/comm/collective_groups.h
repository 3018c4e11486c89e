#pragma once
#include "planner/base/result.h"
#include "planner/comm/comm_call.h"
#include "planner/ops/rank_shape.h"
#include "planner/sharding/stage_shape.h"
#include "planner/spec/scenario.h"
#include "planner/stack/rank_groups.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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

/// Which rank is asked about: of its tensor parallel group only where a vocabulary does not divide.
struct CommRank {
    std::int64_t stage = 0;
    std::int64_t tensorRank = 0;
    bool logs = false;  ///< torchtitan: in a step that prints its loss
};

/// This is what one pipeline rank has to do in a step: its chunks, its microbatches, and the sizes
/// of the groups it belongs to. Every piece of the calls reads it.
struct StageView : StageShape {
    bool logs = false;  ///< a step that prints its loss
    RankShape shape;
    std::int64_t microBatches = 1;  ///< of a step
    std::int64_t passes = 1;        ///< through the pipeline, or micro-steps without one
    GroupKind shardGroup = GroupKind::Shard;
    GroupKind copyGroup = GroupKind::Replicate;
    WireType compute = WireType::Bf16;
    WireType reduce = WireType::Fp32;
};

/// Refuses what no group of ranks could run; a stack's own rules refuse the rest.
Result<StageView> stageView(const Scenario& scenario, CommRank rank);

WireType wireType(Dtype type);

using Calls = std::vector<CommCall>;
/// Leaves out what is never made.
void add(Calls& calls, const CommCall& call);
void append(Calls& calls, const Calls& more);

}  // namespace fabricast
