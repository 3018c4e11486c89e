#pragma once
#include "planner/measured/measurements.h"
#include "planner/profiles/edit_profile.h"
#include "planner/spec/cluster_spec.h"
#include "probes/fit/number_change.h"

#include <string>
#include <vector>

namespace fabricast {

/// What a record says of the way between a node's GPUs and its CPUs, and of the CPUs' memory.
struct FittedNode {
    std::vector<ProfileNumber> numbers;  ///< for the node's profile
    std::vector<NumberChange> changes;   ///< a row for each
    std::vector<std::string> leftOut;    ///< and why
    bool isOtherHost = false;            ///< memory and copies were left out as another host's
};

/// Rates of copies of 64 MiB and more: `pcie.host_bandwidth` is that of one GPU in the slower
/// direction, `pcie.peer_bandwidth` that between two GPUs that only PCIe joins. The memory's rate
/// is that of all CPUs of the node together, and of a host that may be the node, unless it is taken
/// for it (`isForced`). `from` says where the points come from.
FittedNode fitNode(const NodeSpec& node,
                   const MergedMeasurements& record,
                   const std::string& from,
                   bool isForced = false);

/// Whether a point could be for that.
bool isNodePoint(const RecordedPoint& point);

}  // namespace fabricast
