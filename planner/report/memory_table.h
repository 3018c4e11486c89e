#pragma once
#include "planner/report/byte_scale.h"
#include "planner/report/table.h"
#include "planner/result/memory_breakdown.h"

namespace fabricast {

/// A row per stage in the unit of `scale`: only the kinds that some stage has, and stages that are
/// alike as one row ("1-6").
Table stageTable(const MemoryBreakdown& memory, const ByteScale& scale);

/// Every stage and every number, in bytes.
Table stageBytesTable(const MemoryBreakdown& memory);

/// What the stage takes from the device: what the allocator hands out, and what lies beside it.
inline Bytes devicePeak(const StageMemory& stage) {
    return stage.allocated + stage.context + stage.collectives;
}

}  // namespace fabricast
