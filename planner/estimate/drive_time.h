#pragma once
#include "planner/base/result.h"
#include "planner/evidence/host_evidence.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

// States that ZeRO-Infinity keeps on a node's local drives.

/// Whether the optimizer's states lie on drives.
bool stepsOnDrives(const Scenario& scenario);

/// An error where the drives of a node are not known, or states are too large for them.
Result<void> checkDrives(const Scenario& scenario);

/// The swap of `stepped` parameters of each rank of a node, which DeepSpeed does before and after
/// the CPUs step them (pipeline_read and pipeline_write are off):
///     t = ranks of the node · P · (bytes read / read rate + bytes written / write rate)
double driveSeconds(const Scenario& scenario, const HostProfile& host, double stepped);

/// Seconds to read `bytes` of each rank of a node for one pass: parameters beyond max_in_cpu.
double driveReadSeconds(const Scenario& scenario, const HostProfile& host, double bytes);

/// The share of a rank's parameters that does not stay in host memory (max_in_cpu).
double shareOnDrives(const Scenario& scenario);

/// What moves in a step, and how long the drives last at that; empty without.
std::string driveNote(const Scenario& scenario, const HostProfile& host, Seconds step);

/// Ranks that share a node, its CPUs and its drives.
double ranksOfNode(const Scenario& scenario);

}  // namespace fabricast
