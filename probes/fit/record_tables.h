#pragma once
#include "planner/measured/measurements.h"
#include "planner/measured/recognise_machine.h"
#include "planner/profiles/profile_store.h"
#include "probes/fit/measured_tables.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// The kernels of a record as the tables that profiles are fitted from, and which points of them
/// could not be used, a line each.
struct RecordTables {
    MeasuredTables tables;
    std::vector<std::string> leftOut;
    std::size_t used = 0;
    std::size_t throttled = 0;  ///< of those used: measured while the GPU held itself back
};

/// Wrong results, refusals and points without a time are left out. An error: a point that does not
/// say what it is.
Result<RecordTables> recordTables(std::span<const RecordedPoint> points);

/// Whether fits know points of this name.
bool isKernelPoint(const RecordedPoint& point);

/// What a record says of its machine: a text, empty where it does not; a number, 0 then.
std::string saidOf(const MergedMeasurements& record, const char* name);
double numberSaidOf(const MergedMeasurements& record, const char* name);

/// The GPU that a record speaks of.
SeenGpu seenGpu(const MergedMeasurements& record);

/// The GPU that was measured: the one named, or the one that it is recognised as. Empty: no profile
/// is like it, or the record speaks of none.
Result<std::optional<GpuSpec>> gpuOf(const ProfileStore& store,
                                     const MergedMeasurements& record,
                                     const std::string& named);

}  // namespace fabricast
