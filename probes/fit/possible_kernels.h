#pragma once
#include "planner/spec/cluster_spec.h"
#include "probes/fit/measured_tables.h"

namespace fabricast {

/// An error where a row is faster than any such GPU: products and attention above the peak of their
/// type on the data sheet, memory above its bandwidth; or slower than one that works for others
/// too: a thousandth of these. What the cache holds, the most of what the data sheet says and of
/// `said`, need not have come from memory or gone to it; where neither says it, any number of
/// bytes.
///     FABRICAST_TRY(checkPossibleKernels(tables.tables, gpu, 60e6));
Result<void> checkPossibleKernels(const MeasuredTables& tables, const GpuSpec& gpu, double said);

}  // namespace fabricast
