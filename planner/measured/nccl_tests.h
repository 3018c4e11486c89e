#pragma once
#include "planner/base/result.h"
#include "planner/measured/measurements.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

/// What a log of nccl-tests may leave out.
struct NcclTestsHint {
    std::int64_t ranks = 0;  ///< 0: the log must list them
    std::int64_t nodes = 0;
};

/// Reads what nccl-tests (or rccl-tests) printed, in any of its layouts, or its JSON (-J). Prefixes
/// of mpirun and srun are passed over, as are other programs' lines. The environment that the JSON
/// repeats is not kept. Times are those of the calls out of place; where there are none, in place.
/// `source` is the file, whose name is the operation if the log has none.
///     parseNcclTests(text, "all_reduce_perf.log", {})  →  "all_reduce bytes=8 dtype=fp32 …"
Result<MeasurementRecord> parseNcclTests(std::string_view text,
                                         const std::string& source,
                                         const NcclTestsHint& hint);

}  // namespace fabricast
