#pragma once
#include "probes/cuda/gpu.h"
#include "probes/cuda/nvml.h"
#include "probes/record/json_line.h"

#include <optional>
#include <string>

namespace fabricast::probe {

/// The libraries: what the probe was built with, and what it finds, a line each.
std::string cudaVersions();

/// What the GPU is and how it is doing, a line each.
std::string gpuReport(const GpuFacts& gpu, const std::optional<Nvml>& nvml);

/// Device and versions, for the head of a record.
JsonLine gpuIdentity(const GpuFacts& gpu, const std::optional<Nvml>& nvml);

/// Who else uses the GPU ("process 4711 computes there"); empty where nobody does. A GPU that was
/// busy a moment ago gets three seconds.
std::string whoElse(const std::optional<Nvml>& nvml);

}  // namespace fabricast::probe
