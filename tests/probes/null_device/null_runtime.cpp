// The device, its streams, events and graphs.
#include "tests/probes/null_device/null_device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <vector>

namespace null = fabricast::null_device;

namespace {

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
struct Capture {
    cudaStream_t stream = nullptr;
    double seconds = 0.0;
    bool on = false;
};
Capture capture;
thread_local int currentDevice = 0;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

/// Handles are addresses of something of their own.
template <class Handle>
Handle newHandle() {
    return reinterpret_cast<Handle>(new double(0.0));
}

double& timeIn(void* handle) {
    return *static_cast<double*>(handle);
}

/// The numbers of the GPUs that this process sees: up to the first that there is not.
std::vector<int> visible() {
    const long all = null::setting("FABRICAST_NULL_GPUS", 1);
    const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
    std::vector<int> numbers;
    if (text == nullptr) {
        numbers.resize(static_cast<std::size_t>(all));
        std::iota(numbers.begin(), numbers.end(), 0);
        return numbers;
    }
    for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
        const long number = std::strtol(text, &end, 10);
        if (end == text || number < 0 || number >= all) {
            break;
        }
        numbers.push_back(static_cast<int>(number));
    }
    return numbers;
}

int gpus() {
    return static_cast<int>(visible().size());
}

int attributeOf(cudaDeviceAttr attribute) {
    const auto chip = static_cast<int>(null::setting("FABRICAST_NULL_SM", 90));
    switch (attribute) {
        case cudaDevAttrComputeCapabilityMajor:
            return chip / 10;
        case cudaDevAttrComputeCapabilityMinor:
            return chip % 10;
        case cudaDevAttrMultiProcessorCount:
            return 132;
        case cudaDevAttrL2CacheSize:
            return static_cast<int>(null::setting("FABRICAST_NULL_L2_MIB", 1)) << 20;
        case cudaDevAttrWarpSize:
            return 32;
        case cudaDevAttrMaxThreadsPerBlock:
            return 1024;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            return 227 << 10;
        default:
            return 1;
    }
}

}  // namespace

bool fabricast::null_device::countCaptured(cudaStream_t stream, double seconds) {
    const bool captured = capture.on && stream == capture.stream;
    capture.seconds += captured ? seconds : 0.0;
    return captured;
}

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    *count = gpus();
    return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaGetDevice(int* device) {
    *device = currentDevice;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= gpus()) {
        return cudaErrorInvalidDevice;
    }
    if (visible()[static_cast<std::size_t>(device)] == null::setting("FABRICAST_NULL_TAKEN", -1)) {
        return cudaErrorDevicesUnavailable;
    }
    currentDevice = device;
    return cudaSuccess;
}
cudaError_t cudaInitDevice(int, unsigned, unsigned) {
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
    null::legacyEnds();
    return null::isBroken() ? cudaErrorIllegalAddress : cudaSuccess;
}
cudaError_t cudaDeviceReset() {
    return cudaSuccess;
}
cudaError_t cudaGetLastError() {
    return cudaSuccess;
}
cudaError_t cudaPeekAtLastError() {
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    *value = attributeOf(attribute);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* bus, int length, int device) {
    const std::vector<int> seen = visible();
    if (device < 0 || static_cast<std::size_t>(device) >= seen.size()) {
        return cudaErrorInvalidDevice;
    }
    std::snprintf(bus,
                  static_cast<std::size_t>(length),
                  "0000:%02x:00.0",
                  static_cast<unsigned>(seen[static_cast<std::size_t>(device)]));
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    *properties = {};
    std::strcpy(properties->name, "null device");
    properties->uuid.bytes[0] = static_cast<char>(device);
    properties->major = attributeOf(cudaDevAttrComputeCapabilityMajor);
    properties->minor = attributeOf(cudaDevAttrComputeCapabilityMinor);
    properties->multiProcessorCount = attributeOf(cudaDevAttrMultiProcessorCount);
    properties->l2CacheSize = attributeOf(cudaDevAttrL2CacheSize);
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    std::size_t free = 0;
    return cudaMemGetInfo(&free, &properties->totalGlobalMem);
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int from, int to) {
    *can = from != to ? 1 : 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
    *stream = newHandle<cudaStream_t>();
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    return cudaStreamCreateWithPriority(stream, 0, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithPriority(stream, 0, 0);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
    return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (stream == nullptr) {
        null::legacyEnds();
    }
    null::waitFor(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return cudaStreamQuery(stream);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    null::holdUntil(stream, timeIn(event));
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    *event = newHandle<cudaEvent_t>();
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete static_cast<double*>(static_cast<void*>(event));
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    timeIn(event) = null::timeOf(stream);
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) {
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    *milliseconds = static_cast<float>((timeIn(end) - timeIn(begin)) * 1e3);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    capture = {stream, 0.0, true};
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
    capture.on = false;
    *graph = newHandle<cudaGraph_t>();
    timeIn(*graph) = capture.seconds;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* run,
                                          cudaGraph_t graph,
                                          unsigned long long) {
    *run = newHandle<cudaGraphExec_t>();
    timeIn(*run) = timeIn(graph);
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t run, cudaStream_t stream) {
    null::spend(stream, timeIn(run) / 2.0);
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t) {
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) {
    return cudaSuccess;
}

}  // extern "C"
