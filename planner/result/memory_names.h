#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/spec/names.h"

#include <string>
#include <vector>

namespace fabricast {

/// What is live on a device while one action of its step runs, and after it.
struct MemoryMark {
    MemoryByKind high;   ///< at the peak, including what was live before
    std::string moment;  ///< "backward of layer 31"
    MemoryByKind after;
};

/// The live bytes of one rank through a step: requested bytes, as `StageMemory::requested`.
struct MemoryMarks {
    MemoryByKind rest;                ///< between steps
    std::vector<MemoryMark> actions;  ///< the rank's passes in its order, then the optimizer step
};

// How answers about memory are printed: in JSON with _bytes behind the kind, in tables as they are.

constexpr auto namesOf(MemoryKind) {
    return std::to_array<Named<MemoryKind>>({{MemoryKind::Weights, "weights"},
                                             {MemoryKind::Gradients, "gradients"},
                                             {MemoryKind::Optimizer, "optimizer"},
                                             {MemoryKind::Activations, "activations"},
                                             {MemoryKind::Recomputed, "recomputed"},
                                             {MemoryKind::Gathered, "gathered"},
                                             {MemoryKind::Communication, "communication"},
                                             {MemoryKind::Backward, "backward"},
                                             {MemoryKind::Loss, "loss"},
                                             {MemoryKind::Workspace, "workspace"},
                                             {MemoryKind::Buffers, "buffers"}});
}
constexpr auto namesOf(Verdict) {
    return std::to_array<Named<Verdict>>({{Verdict::Fits, "fits"},
                                          {Verdict::Likely, "likely"},
                                          {Verdict::Unlikely, "unlikely"},
                                          {Verdict::DoesNotFit, "does_not_fit"}});
}
constexpr auto namesOf(Evidence) {
    return std::to_array<Named<Evidence>>({{Evidence::MeasuredHere, "measured_here"},
                                           {Evidence::MeasuredProfile, "measured_profile"},
                                           {Evidence::VendorSpec, "vendor_spec"},
                                           {Evidence::Modelled, "modelled"},
                                           {Evidence::Extrapolated, "extrapolated"}});
}
constexpr auto namesOf(Bound) {
    return std::to_array<Named<Bound>>({{Bound::GpuMemory, "gpu_memory"},
                                        {Bound::HostMemory, "host_memory"},
                                        {Bound::NvmeSpace, "nvme_space"}});
}

}  // namespace fabricast
