#pragma once
#include "planner/report/scales.h"
#include "planner/report/table.h"
#include "planner/result/memory_breakdown.h"

namespace fabricast {

/// A row per stage in the unit of `scale`: only the kinds that some stage has, and identical stages
/// as one row ("1-6").
Table stageTable(const MemoryBreakdown& memory, const ByteScale& scale);

/// Every stage and every number, in bytes.
Table stageBytesTable(const MemoryBreakdown& memory);

/// What the stage takes from the device: the allocator's memory, and memory outside of it.
inline Bytes devicePeak(const StageMemory& stage) {
    return stage.allocated + stage.context + stage.collectives;
}

}  // namespace fabricast
