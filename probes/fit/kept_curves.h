#pragma once
#include "planner/profiles/profile_store.h"
#include "probes/fit/collective_points.h"

#include <cstddef>
#include <string>

namespace fabricast {

/// Of a profile of curves that an earlier sitting wrote: what a later one did not measure.
struct KeptCurves {
    std::size_t count = 0;
    std::string from;  ///< where they come from
};

/// Adds those of the profile of this name and machine, where the user has one that can be read.
KeptCurves addKeptCurves(const ProfileStore& store,
                         const std::string& name,
                         const std::string& machine,
                         CollectivePoints& points);

}  // namespace fabricast
