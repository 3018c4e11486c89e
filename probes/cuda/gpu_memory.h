#pragma once
#include "probes/cuda/gemm_shape.h"
#include "probes/record/answer.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fabricast::probe {

struct FreeDevice {
    void operator()(void* memory) const { cudaFree(memory); }
};
struct FreePinned {
    void operator()(void* memory) const { cudaFreeHost(memory); }
};

/// Memory of the GPU, and memory of the host that the GPU copies from and to directly.
template <class Free>
class GpuMemory {
public:
    GpuMemory() = default;
    GpuMemory(void* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}

    [[nodiscard]] char* at(std::size_t offset) const {
        return static_cast<char*>(memory_.get()) + offset;
    }
    [[nodiscard]] void* get() const { return memory_.get(); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    std::unique_ptr<void, Free> memory_;
    std::size_t bytes_ = 0;
};
using DeviceMemory = GpuMemory<FreeDevice>;
using PinnedMemory = GpuMemory<FreePinned>;

Answer<DeviceMemory> deviceMemory(std::size_t bytes);
Answer<PinnedMemory> pinnedMemory(std::size_t bytes);

/// Copies from the host, and waits until the bytes are there: timed streams do not wait for the
/// stream that copies them.
Done upload(const DeviceMemory& to, const void* from, std::size_t bytes, const std::string& what);

/// Normal random numbers of a type: a block of them, over and over. Zeros would let the chip draw
/// less power and clock higher than it does in training.
Done fillRandom(const DeviceMemory& memory, NumberType type, unsigned seed);

/// `count` numbers of a type in device memory, `stride` numbers apart.
Answer<std::vector<double>> numbersAt(const void* device,
                                      NumberType type,
                                      std::size_t count,
                                      std::size_t stride);

/// Up to a multiple of 256, what CUDA aligns to.
constexpr std::size_t aligned(std::size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

}  // namespace fabricast::probe
