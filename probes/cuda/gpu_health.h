#pragma once
#include "probes/cuda/gpu.h"
#include "probes/nvml/gpu_monitor.h"
#include "probes/record/json_line.h"

#include <optional>
#include <string>

namespace fabricast::probe {

/// The libraries: what the probe was built with, and what it finds, a line each.
std::string cudaVersions();

/// What the GPU is and how it is doing, a line each; `busy` says who else uses it.
std::string gpuReport(const GpuFacts& gpu,
                      const std::optional<GpuMonitor>& nvml,
                      const std::string& busy);

/// Device and versions, for the head of a record.
JsonLine gpuIdentity(const GpuFacts& gpu, const std::optional<GpuMonitor>& nvml);

/// What can be seen of a GPU before it is taken: later, whoever takes it would see itself.
struct GpuBefore {
    std::optional<GpuMonitor> nvml;
    double usedBytes = -1.0;  ///< of its memory; negative where it is not told
    std::string busy;         ///< who else uses it ("process 4711 computes there"); empty: nobody
};

/// A GPU that was busy a moment ago gets three seconds.
GpuBefore lookBefore(int device);

}  // namespace fabricast::probe
