#pragma once
#include "planner/base/units.h"
#include "planner/spec/names.h"
#include "planner/spec/sourced.h"

#include <string>

namespace fabricast {

/// How a run saves its state: while everything waits, during the following steps, or kept in the
/// memory of other hosts as well.
enum class CheckpointMode { Sync, Async, TwoLevel };

constexpr auto namesOf(CheckpointMode) {
    return std::to_array<Named<CheckpointMode>>({{CheckpointMode::Sync, "sync"},
                                                 {CheckpointMode::Async, "async"},
                                                 {CheckpointMode::TwoLevel, "two_level"}});
}

/// What stops a run, and how it resumes.
struct Reliability {
    Sourced<Seconds> gpuMtbf;    ///< GPU-time between unexpected interruptions of a job
    Sourced<Seconds> detection;  ///< until a failure is noticed
    Sourced<Seconds> restart;    ///< until the job runs again, without reading its state
    /// Of failures, those that stop one host only: another host still has a copy in its memory.
    Sourced<double> oneHostShare;
    Sourced<double> hardwareShare;  ///< of failures, those that take a node out
    Sourced<Seconds> repair;        ///< until that node, or one in its place, is back
};

/// Where checkpoints go.
struct CheckpointStorage {
    Sourced<BytesPerSecond> perGpu;  ///< that a GPU's share of the storage takes and gives
    Sourced<double> snapshotShare;   ///< of the PCIe rate that a copy to host memory reaches
};

/// What a node draws, and what is lost around it.
struct PowerFacts {
    Sourced<double> trainingShare;  ///< of a node's rated power, while all its GPUs compute
    Sourced<double> nodeOverGpus;   ///< rated power over that of its GPUs, if not published
    Sourced<double> gpuSwing;       ///< of a GPU's rated power, by which a waiting one draws less
    Sourced<double> pue;            ///< power of the building over that of its computers
};

/// Where a cluster is and how it is operated: a file of hardware_profiles/sites.
struct SiteProfile {
    std::string name;
    std::string title;
    Reliability reliability;
    CheckpointStorage storage;
    PowerFacts power;
    std::string notes;
};

}  // namespace fabricast
