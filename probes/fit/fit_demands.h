#pragma once
#include "planner/measured/measurements.h"
#include "planner/measured/recognise_machine.h"
#include "planner/spec/cluster_spec.h"

#include <optional>
#include <string>

namespace fabricast {

// What a fit must be told, or what makes it impossible: asked before minutes of measuring, and
// again of the record.

/// Collectives of one GPU say nothing of a machine with another. `name` is what the driver calls
/// the GPU that is measured, `gpu` its profile, `isNamed` where somebody said that it is this one.
/// `where` the driver's name was read.
Result<void> checkGpuOf(const ClusterSpec& machine,
                        const std::optional<GpuSpec>& gpu,
                        const std::string& name,
                        bool isNamed,
                        const std::string& where);

/// A rank is a GPU of the machine.
Result<void> checkRanksOf(const ClusterSpec& machine,
                          std::int64_t ranks,
                          std::int64_t nodes,
                          const std::string& where);

/// Why a host with so much memory and so many CPUs is not the node: it has a third of one of them,
/// or three times as many, which no way of buying or setting up that node explains. 0: not known.
/// Empty: it may be the node.
std::string otherHostBecause(const NodeSpec& node, double memory, double threads);

/// Kernels are fitted from those of a GPU profile.
Result<void> checkKernelsOf(const ProfileStore& store,
                            const std::optional<GpuSpec>& gpu,
                            const SeenGpu& seen);

/// A later sitting counts, and so does a later profile: a wrong clock must not make one the last.
/// Nothing was measured before the first CUDA, after `today`, nor after `now` where it says a time
/// of UTC; empty: it is not asked.
Result<void> checkDays(const MergedMeasurements& record,
                       const std::string& today,
                       const std::string& now);

}  // namespace fabricast
