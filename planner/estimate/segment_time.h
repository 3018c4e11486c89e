#pragma once
#include "planner/ops/layer_segment.h"
#include "planner/ops/op_list.h"
#include "planner/spec/kernel_profile.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fabricast {

/// What kind of work seconds go to.
struct WorkSeconds {
    double gemm = 0.0;
    double attention = 0.0;
    double memory = 0.0;  ///< kernels that move bytes

    [[nodiscard]] double total() const { return gemm + attention + memory; }
    WorkSeconds& operator+=(const WorkSeconds& other);
};
WorkSeconds operator*(WorkSeconds work, double factor);

/// One direction through a segment on one rank: device seconds, and kernels that the host launches.
struct PassTime {
    WorkSeconds device;
    double launches = 0.0;
    double linears = 0.0;    ///< modules of layers that multiply by a weight
    double quantised = 0.0;  ///< of these, in fewer than 16 bits
    double experts = 0.0;    ///< products and casts that a loop over experts launches one by one

    PassTime& operator+=(const PassTime& other);
};

/// One microbatch through a segment of the model (a layer, the embedding, the head, the loss).
/// `recompute` is what backward runs again first; `weight` the part of backward that makes weight
/// gradients, which some schedules put off.
struct SegmentTime {
    PassTime forward;
    PassTime recompute;
    PassTime input;
    PassTime weight;
    double trained = 0.0;  ///< parameters of this rank that the optimizer steps
    double trainedExperts = 0.0;
    double frozen = 0.0;  ///< bytes of the others, as a sharded parameter is stored
    double frozenExperts = 0.0;
    double newtonSchulz = 0.0;  ///< seconds of Muon's products for the matrices among them
    double newtonSchulzExperts = 0.0;
    double packed = 0.0;  ///< bytes of what autograd saves that go to the host and come back

    SegmentTime& operator+=(const SegmentTime& other);
};
SegmentTime operator*(SegmentTime time, double factor);

/// Times every op of the list by the GPU's kernel profile. `checkpoint` is what is recomputed.
struct SegmentSetting {
    Checkpointing checkpoint = Checkpointing::None;
    bool layer = false;  ///< inside a layer: quantised if the settings say so
};
SegmentTime segmentTime(const Scenario& scenario,
                        const OpList& list,
                        const SegmentSetting& setting,
                        const KernelProfile& kernels);

/// One microbatch through each kind of segment that a model is made of, on one rank. Stages are
/// sums of these.
struct ModelTime {
    SegmentTime embedding;
    SegmentTime dense;   ///< a layer without experts
    SegmentTime sparse;  ///< a layer with experts
    SegmentTime norm;
    SegmentTime head;  ///< with the loss, and tokens predicted further ahead
};
ModelTime modelTime(const Scenario& scenario, const LayerOps& layers, const KernelProfile& kernels);
/// The same of all but the layers, whose times are 0, and of the layers alone, for each way in
/// which ranks may exchange keys: it changes nothing but attention.
ModelTime endTimes(const Scenario& scenario, const KernelProfile& kernels);
std::vector<ModelTime> layerTimes(const Scenario& scenario,
                                  const LayerOps& layers,
                                  const KernelProfile& kernels,
                                  std::span<const CpKind> kinds);

/// Head and loss as Liger fuses them (`ligerHead`): a chunk's three products, its loss and its
/// casts run in forward, chunk after chunk; backward scales the two gradients.
SegmentTime ligerHeadTime(const Scenario& scenario, const KernelProfile& kernels);

}  // namespace fabricast
