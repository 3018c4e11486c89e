#include "probes/cuda/gpu_facts.h"

#if FABRICAST_HAS_CUDNN
#include <cudnn.h>
#endif
#include <unistd.h>

#include <array>
#include <vector>

namespace fabricast::probe {

namespace {

std::string cudnnVersion() {
#if FABRICAST_HAS_CUDNN
    return std::to_string(cudnnGetVersion());
#else
    return "none";
#endif
}

std::string gib(std::size_t bytes) {
    return std::to_string(bytes >> 30U) + " GiB";
}

/// Processes in other containers are seen by their work and their memory alone.
std::string busyNow(const GpuMonitor& nvml) {
    const std::vector<unsigned> processes = nvml.processes();
    if (!processes.empty()) {
        return "process " + std::to_string(processes.front()) + " computes there";
    }
    constexpr unsigned kBusy = 10;
    const unsigned utilisation = nvml.state().utilisation;
    return utilisation >= kBusy ? "it is " + std::to_string(utilisation) + " % busy" : "";
}

std::string whoElse(const GpuMonitor& nvml, double usedBytes) {
    constexpr double kLittle = 4.0 * 1024 * 1024 * 1024;
    if (usedBytes > kLittle) {
        return gib(static_cast<std::size_t>(usedBytes)) + " of its memory are in use";
    }
    constexpr int kLooks = 6;
    std::string busy = busyNow(nvml);
    for (int look = 1; !busy.empty() && look < kLooks; ++look) {
        usleep(500'000);
        busy = busyNow(nvml);
    }
    return busy;
}

}  // namespace

std::string cudaVersions() {
    int runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    std::string text = "cuda runtime " + cudaVersionText(runtime) + " (built with " +
                       cudaVersionText(CUDART_VERSION) + ")\n";
    text += "cublaslt " + std::to_string(cublasLtGetVersion()) + " (built with " +
            std::to_string(CUBLAS_VERSION) + ")\n";
    text += "cudnn " + cudnnVersion();
#if FABRICAST_HAS_CUDNN
    text += " (built with " + std::to_string(CUDNN_VERSION) + ")";
#endif
    return text + "\n";
}

std::string gpuReport(const GpuFacts& gpu,
                      const std::optional<GpuMonitor>& nvml,
                      const std::string& busy) {
    std::string text = "GPU " + std::to_string(gpu.device) + ": " + gpu.name + ", sm_" +
                       std::to_string(gpu.capability) + ", " + std::to_string(gpu.multiprocessors) +
                       " multiprocessors, " + gib(gpu.memory) + ", at " + gpu.bus + "\n";
    text += "driver: knows CUDA " + cudaVersionText(gpu.driver);
    if (!nvml) {
        return text + "\nclocks, power, throttling: not known, NVML is not here\n";
    }
    const GpuState state = nvml->state();
    text += ", version " + nvml->driver() + "\n";
    text += "clocks: " + std::to_string(state.clockMhz) + " of " +
            std::to_string(nvml->maxClock()) + " MHz, memory " +
            std::to_string(state.memoryClockMhz) + " MHz\n";
    text += "power: " + std::to_string(static_cast<int>(state.watts)) + " of " +
            std::to_string(static_cast<int>(nvml->powerLimit())) + " W, " +
            std::to_string(state.temperature) + " degrees Celsius\n";
    const std::string throttled = throttleWords(state.throttled);
    text += "throttled: " + (throttled.empty() ? "no" : throttled) + "\n";
    text += "links: PCIe generation " + std::to_string(nvml->pciGeneration()) + " x" +
            std::to_string(nvml->pciLanes()) + ", " + std::to_string(nvml->links()) +
            " NVLinks up\n";
    return text + "in use: " + (busy.empty() ? "no" : busy) + "\n";
}

JsonLine gpuIdentity(const GpuFacts& gpu, const std::optional<GpuMonitor>& nvml) {
    JsonLine line;
    line.add("gpu", gpu.name)
        .add("capability", gpu.capability)
        .add("multiprocessors", gpu.multiprocessors)
        .add("memory_bytes", gpu.memory)
        .add("l2_bytes", gpu.cache)
        .add("cuda_driver", cudaVersionText(gpu.driver))
        .add("cuda_runtime", cudaVersionText(gpu.runtime))
        .add("cublaslt", cublasLtGetVersion())
        .add("cudnn", cudnnVersion());
    if (nvml) {
        line.add("driver", nvml->driver())
            .add("power_limit_w", nvml->powerLimit())
            .add("max_clock_mhz", nvml->maxClock());
    }
    return line;
}

GpuBefore lookBefore(int device) {
    GpuBefore before;
    std::array<char, 32> bus{};
    if (cudaDeviceGetPCIBusId(bus.data(), int{bus.size()}, device) != cudaSuccess) {
        cudaGetLastError();  // whoever takes the GPU says what is wrong
        return before;
    }
    const Answer<GpuMonitor> nvml = GpuMonitor::open(bus.data());
    if (nvml) {
        before.nvml = *nvml;
        before.usedBytes = nvml->usedBytes();
        before.busy = whoElse(*nvml, before.usedBytes);
    }
    return before;
}

}  // namespace fabricast::probe
