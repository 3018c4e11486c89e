#pragma once
#include "planner/measured/measurements.h"
#include "probes/fit/measured_tables.h"

#include <span>
#include <vector>

namespace fabricast {

/// What a record of a CPU's ranks says of their kernels: the points gemm, attention, memory and
/// adam, those that were refused or wrong left out.
struct CpuRows {
    std::vector<MeasuredGemm> products;
    std::vector<MeasuredAttention> attention;
    std::vector<MeasuredMemory> memory;
    BytesPerSecond copyRate{};  ///< of the largest copy
};

/// An error: a point that does not say what it is.
Result<CpuRows> cpuRows(std::span<const RecordedPoint> points);

/// Of backward over forward attention at the same shape; 0 where there is no such pair.
double backwardRatio(const std::vector<MeasuredAttention>& rows);

}  // namespace fabricast
