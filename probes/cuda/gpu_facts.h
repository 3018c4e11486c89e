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

/// The NUMA node that a PCI device is next to, as sysfs (`root` is "/sys") has it; negative where
/// it is not known. CUDA writes bus addresses with capitals, the kernel without.
int numaNodeOf(const std::string& root, const std::string& bus);

/// As long as it lives, this thread's new memory comes from one NUMA node while that has any:
/// pinned memory on another socket is copied at that link's rate. Does nothing for a negative node,
/// or where the kernel does not let it.
class OnNumaNode {
public:
    explicit OnNumaNode(int node);
    OnNumaNode(const OnNumaNode&) = delete;
    OnNumaNode& operator=(const OnNumaNode&) = delete;
    ~OnNumaNode();
    [[nodiscard]] bool isBound() const { return bound_; }

private:
    bool bound_ = false;
};

}  // namespace fabricast::probe
