#pragma once
#include "planner/base/result.h"
#include "planner/estimate/segment_time.h"
#include "planner/evidence/host_evidence.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// Offload whose time is modelled: DeepSpeed's optimizer or everything on the CPUs, and FSDP2's
/// CPUOffloadPolicy. An error for any other.
Result<void> checkOffload(const Scenario& scenario);

/// Parameters that a rank steps itself, of those that it trains before sharding.
double steppedHere(const Scenario& scenario, double trained, double trainedExperts);

/// Copies of a rank's share of the parameters of some segments, frozen ones too, over PCIe for one
/// microbatch, in seconds. They run during the kernels: the excess over a pass is exposed.
struct HostCopies {
    double forward = 0.0;
    double backward = 0.0;
};
HostCopies hostCopies(const Scenario& scenario,
                      const HostProfile& host,
                      const SegmentTime& segments);

/// What a pass copies to the host, or back, of what autograd saves.
struct PackedPass {
    double bytes = 0.0;         ///< of all layers, with Transformer Engine's offload
    double layerSeconds = 0.0;  ///< of one layer, without copies
    bool forward = true;
};

/// What that adds to the pass. save_on_cpu copies in the order of the kernels: nothing hides it.
/// TRL's stream hides what goes to the host behind the layers, and nothing of what comes back.
/// Transformer Engine copies a layer at a time beside those of its window:
///     t = sum over the layers i that are moved of max(0, copy - (window[i] - window[i - 1]) ·
///     layer)
double packedSeconds(const Scenario& scenario, const HostProfile& host, const PackedPass& pass);

/// Whether the CPUs step the optimizer.
bool stepsOnHost(const Scenario& scenario);
/// How much of it: Megatron's --optimizer-offload-fraction, and all elsewhere.
double steppedOnHost(const Scenario& scenario);

/// The optimizer of `trained` parameters of each rank, as far as the CPUs of a node step them (P),
/// all its ranks at once, and what is copied back before the next step begins:
///     t = ranks of the node · P · bytes / (memory rate · share)  +  P · returned / PCIe rate
double hostStepSeconds(const Scenario& scenario, const HostProfile& host, double trained);

/// A pass of a node's CPUs over `bytes` of each of its ranks, as torch's optimizers read and write
/// them, and `copied` of them to the host or back.
double hostPassSeconds(const Scenario& scenario,
                       const HostProfile& host,
                       double bytes,
                       double copied);

/// What a forecast with offload rests on, for its notes; empty without.
std::string offloadNote(const Scenario& scenario, const HostProfile& host);

}  // namespace fabricast
