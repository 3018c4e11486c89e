#include "probes/cuda/gpu_health.h"

#if FABRICAST_HAS_CUDNN
#include <cudnn.h>
#endif
#include <unistd.h>

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
std::string busyNow(const Nvml& nvml) {
    for (const unsigned process : nvml.processes()) {
        if (process != static_cast<unsigned>(getpid())) {
            return "process " + std::to_string(process) + " computes there";
        }
    }
    constexpr unsigned kBusy = 10;
    const unsigned utilisation = nvml.state().utilisation;
    return utilisation >= kBusy ? "it is " + std::to_string(utilisation) + " % busy" : "";
}

std::string memoryInUse() {
    constexpr std::size_t kOwn = std::size_t{4} << 30U;
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess || total - free <= kOwn) {
        return "";
    }
    return gib(total - free) + " of its memory are in use";
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

std::string gpuReport(const GpuFacts& gpu, const std::optional<Nvml>& nvml) {
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
    const std::string busy = whoElse(nvml);
    return text + "in use: " + (busy.empty() ? "no" : busy) + "\n";
}

JsonLine gpuIdentity(const GpuFacts& gpu, const std::optional<Nvml>& nvml) {
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

std::string whoElse(const std::optional<Nvml>& nvml) {
    std::string busy = memoryInUse();
    constexpr int kLooks = 6;
    for (int look = 0; busy.empty() && nvml && look < kLooks; ++look) {
        const std::string now = busyNow(*nvml);
        if (now.empty()) {
            return "";
        }
        if (look + 1 == kLooks) {
            busy = now;
        } else {
            usleep(500'000);
        }
    }
    return busy;
}

}  // namespace fabricast::probe
