#pragma once
#include "planner/ops/op_list.h"

namespace fabricast {

/// How one segment is placed in the step: which unit's weights it uses, and what is kept of it.
struct SegmentPlace {
    const OpList* ops = nullptr;
    int unit = 0;
    int firstWeight = 0;  ///< index, in the unit, of the segment's first weight
    int identity = 0;     ///< tells segments with the same ops apart
    int tiedTo = -1;      ///< index, in the unit, of the weight that its tied one is
};

}  // namespace fabricast
