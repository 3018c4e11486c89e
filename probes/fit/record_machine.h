#pragma once
#include "planner/measured/measurements.h"
#include "planner/profiles/profile_store.h"

#include <optional>
#include <string>

namespace fabricast {

/// What a record says of its machine: a text, empty where it does not; a number, 0 then.
std::string saidOf(const MergedMeasurements& record, const char* name);
double numberSaidOf(const MergedMeasurements& record, const char* name);

/// The GPU that was measured: the one named, or the one that the driver's name, its memory and its
/// architecture mean. Empty: no profile is like it, or the record speaks of none.
Result<std::optional<GpuSpec>> gpuOf(const ProfileStore& store,
                                     const MergedMeasurements& record,
                                     const std::string& named);

}  // namespace fabricast
