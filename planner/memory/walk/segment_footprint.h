#pragma once
#include "planner/ops/op_list.h"
#include "planner/spec/settings.h"

#include <cstdint>

namespace fabricast {

/// How a segment is checkpointed.
struct SegmentCheckpoint {
    Checkpointing kind = Checkpointing::None;
    bool reentrant = false;  ///< its checkpoint runs the backward inside: results stay alive
    bool autocast = false;
};

/// Bytes of one pass through a segment, walked op by op without any engine's weights and gradients:
/// what a framework adds to that is never negative.
struct SegmentFootprint {
    std::int64_t kept = 0;      ///< from forward to backward: all but the output
    std::int64_t forward = 0;   ///< the most while forward runs, its input included
    std::int64_t backward = 0;  ///< the most while backward runs, with what was kept
};
SegmentFootprint segmentFootprint(const OpList& list, const SegmentCheckpoint& checkpoint);
/// Its `kept` alone, without walking the backward.
std::int64_t keptBySegment(const OpList& list, const SegmentCheckpoint& checkpoint);

}  // namespace fabricast
