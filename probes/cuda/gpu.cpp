#include "probes/cuda/gpu.h"

#include "probes/record/probe_program.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace fabricast::probe {

namespace {

/// What to do about an error that comes before any GPU was seen.
std::string hintFor(cudaError_t error) {
    switch (error) {
        case cudaErrorInsufficientDriver:
            return "; there is no NVIDIA driver here, or it is older than this CUDA";
        case cudaErrorNoDevice:
            return "; no GPU is visible (CUDA_VISIBLE_DEVICES?)";
        default:
            return "";
    }
}

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

Answer<int> gpusHere() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) {
        return Trouble{std::string("no GPU to measure: ") + cudaGetErrorString(error) +
                       hintFor(error)};
    }
    return count;
}

}  // namespace

Done cudaDone(cudaError_t error, const std::string& what) {
    if (error == cudaSuccess) {
        return std::monostate();
    }
    cudaGetLastError();  // a failed call must not be blamed on the next one
    return Trouble{what + ": " + cudaGetErrorString(error)};
}

Done cudaDone(cublasStatus_t status, const std::string& what) {
    if (status == CUBLAS_STATUS_SUCCESS) {
        return std::monostate();
    }
    return Trouble{what + ": " + cublasLtGetStatusString(status)};
}

std::size_t setsBeyondCache(const GpuFacts& gpu, std::size_t setBytes) {
    return 2 * gpu.cache / std::max<std::size_t>(setBytes, 1) + 1;
}

std::string cudaVersionText(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Answer<GpuFacts> takeGpu(int device) {
    const Answer<int> count = gpusHere();
    if (!count) {
        return count.trouble();
    }
    if (device < 0 || device >= *count) {
        return Trouble{"no GPU " + std::to_string(device) + ": there are " +
                       std::to_string(*count) + ", counted from 0"};
    }
    cudaDeviceProp properties{};
    std::array<char, 32> bus{};
    GpuFacts facts;
    Done done = cudaDone(cudaSetDevice(device), "the GPU cannot be taken");
    done = done ? cudaDone(cudaGetDeviceProperties(&properties, device), "its facts") : done;
    done = done ? cudaDone(cudaDeviceGetPCIBusId(bus.data(), int{bus.size()}, device), "its bus")
                : done;
    done = done ? cudaDone(cudaFree(nullptr), "its context") : done;
    done = done ? cudaDone(cudaDriverGetVersion(&facts.driver), "its driver") : done;
    done = done ? cudaDone(cudaRuntimeGetVersion(&facts.runtime), "the CUDA runtime") : done;
    if (!done) {
        return Trouble{"no GPU to measure: " + done.trouble().why};
    }
    facts.device = device;
    facts.name = properties.name;
    facts.bus = bus.data();
    facts.capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
                       attribute(cudaDevAttrComputeCapabilityMinor, device);
    facts.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device);
    facts.cache = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize, device));
    facts.memory = properties.totalGlobalMem;
    return facts;
}

void giveUpOnGpu(const std::string& what) {
    std::fprintf(
        stderr, "error: fabricast-probe-cuda: the GPU did not finish in time: %s\n", what.c_str());
    std::_Exit(kEnvironment);
}

}  // namespace fabricast::probe
