#pragma once
#include "planner/measured/nccl_estimates.h"
#include "planner/measured/nccl_tests.h"

#include <string>
#include <vector>

namespace fabricast {

/// Logs of nccl-tests as one record.
Result<MergedMeasurements> importNcclTests(const std::vector<std::string>& logs,
                                           const NcclTestsHint& hint);

/// Dumps of NCCL's tuner as one.
Result<NcclEstimates> importNcclEstimates(const std::vector<std::string>& dumps);

/// Writes measurements as a record file, as probes do. A file that is there and has a line that
/// this record has not is refused, unless the record `replaces` it: records are originals.
Result<void> writeRecord(const MergedMeasurements& measured,
                         const std::string& path,
                         bool replaces);

}  // namespace fabricast
