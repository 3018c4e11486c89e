#pragma once
#include "planner/ops/op_list.h"
#include "planner/spec/settings.h"

#include <cstddef>
#include <cstdint>

namespace fabricast {

/// True where autograd's node for this op saved a tensor, a weight included; bitsandbytes' nodes
/// hold theirs in other ways.
bool savesTensors(const OpList& list, const Op& op);

/// The op whose saved tensors are the first that backward wants of this segment, and the last that
/// a second forward has to make.
std::size_t lastSavingOp(const OpList& list);

/// Some op saves what it makes itself.
bool savesItsOutput(const OpList& list, const Op& op);

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
