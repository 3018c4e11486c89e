// Device memory is the host's, reserved and not touched until written.
#include "tests/probes/null_device/null_device.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

namespace null = fabricast::null_device;

namespace {

std::map<void*, std::size_t>& blocks() {
    static std::map<void*, std::size_t> all;
    return all;
}

std::size_t capacity() {
    return static_cast<std::size_t>(null::setting("FABRICAST_NULL_GIB", 1)) << 30U;
}

std::size_t inUse() {
    std::size_t bytes = 0;
    for (const auto& [block, size] : blocks()) {
        bytes += size;
    }
    return bytes;
}

/// New memory is never empty: what lies there is no result, and no number to add to. Of a large
/// block, which the host has not got, the beginning.
void soil(void* block, std::size_t bytes) {
    constexpr std::size_t kMost = std::size_t{1} << 20U;
    constexpr int kHuge = 0x7F;  // 3.4e38 in fp32 and in bf16
    std::memset(block, kHuge, std::min(bytes, kMost));
}

double secondsOf(std::size_t bytes, cudaMemcpyKind kind) {
    constexpr double kOverLink = 50e9;
    constexpr double kInside = 3e12;
    const auto moved = static_cast<double>(bytes);
    return 2e-6 + (kind == cudaMemcpyDeviceToDevice ? 2.0 * moved / kInside : moved / kOverLink);
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    if (inUse() + bytes > capacity()) {
        return cudaErrorMemoryAllocation;
    }
    void* const block = mmap(nullptr,
                             bytes > 0 ? bytes : 1,
                             PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                             -1,
                             0);
    if (block == MAP_FAILED) {
        return cudaErrorMemoryAllocation;
    }
    soil(block, bytes);
    blocks()[block] = bytes;
    *memory = block;
    return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
    const auto block = blocks().find(memory);
    null::legacyEnds();
    if (block != blocks().end()) {
        null::settle(nullptr, 0);
        null::forget();
        munmap(memory, block->second > 0 ? block->second : 1);
        blocks().erase(block);
    }
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
    *memory = std::malloc(bytes);
    return *memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
    return cudaMallocHost(memory, bytes);
}
cudaError_t cudaFreeHost(void* memory) {
    std::free(memory);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    *total = capacity();
    *free = *total - inUse();
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(
    void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    // What was sent before comes before: what is written over, too.
    null::settle(kind != cudaMemcpyHostToDevice ? from : nullptr,
                 kind != cudaMemcpyHostToDevice ? bytes : 0);
    const bool lost = stream != nullptr && kind == cudaMemcpyHostToDevice &&
                      null::setting("FABRICAST_NULL_UPLOADS", 1) == 0;
    if (!lost) {
        std::memmove(to, from, bytes);
    }
    null::spend(stream, secondsOf(bytes, kind));
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    const bool waits = kind == cudaMemcpyDeviceToHost;
    waits ? null::legacyEnds() : null::legacyBegins();
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpyPeerAsync(
    void* to, int, const void* from, int, std::size_t bytes, cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
}
cudaError_t cudaMemcpy2D(void* to,
                         std::size_t toPitch,
                         const void* from,
                         std::size_t fromPitch,
                         std::size_t width,
                         std::size_t rows,
                         cudaMemcpyKind kind) {
    for (std::size_t row = 0; row < rows; ++row) {
        cudaMemcpy(static_cast<char*>(to) + row * toPitch,
                   static_cast<const char*>(from) + row * fromPitch,
                   width,
                   kind);
    }
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
    null::settle(nullptr, 0);
    std::memset(memory, value, bytes);
    null::spend(stream, secondsOf(bytes / 2, cudaMemcpyDeviceToDevice));
    return cudaSuccess;
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
    null::legacyBegins();
    return cudaMemsetAsync(memory, value, bytes, nullptr);
}

}  // extern "C"
