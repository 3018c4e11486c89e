#include "probes/cuda/gpu_memory.h"

#include "probes/cuda/gpu.h"

#include <algorithm>
#include <random>

namespace fabricast::probe {

namespace {

std::string sizeText(std::size_t bytes) {
    return std::to_string(bytes >> 20U) + " MiB";
}

/// Normal numbers in a type's bits. The count is odd, so that rows of a matrix differ.
std::vector<char> randomBlock(NumberType type, unsigned seed) {
    constexpr std::size_t kNumbers = 262'147;
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    std::vector<char> block(kNumbers * bytesOf(type));
    for (std::size_t at = 0; at < kNumbers; ++at) {
        writeNumber(normal(generator), type, block.data() + at * bytesOf(type));
    }
    return block;
}

}  // namespace

Answer<DeviceMemory> deviceMemory(std::size_t bytes) {
    void* memory = nullptr;
    const Done done = cudaDone(cudaMalloc(&memory, bytes), sizeText(bytes) + " of GPU memory");
    return done ? Answer<DeviceMemory>(DeviceMemory(memory, bytes)) : done.trouble();
}

Answer<PinnedMemory> pinnedMemory(std::size_t bytes) {
    void* memory = nullptr;
    const Done done =
        cudaDone(cudaMallocHost(&memory, bytes), sizeText(bytes) + " of pinned host memory");
    return done ? Answer<PinnedMemory>(PinnedMemory(memory, bytes)) : done.trouble();
}

Done upload(const DeviceMemory& to, const void* from, std::size_t bytes, const std::string& what) {
    const Done done = cudaDone(cudaMemcpy(to.get(), from, bytes, cudaMemcpyHostToDevice), what);
    return done ? cudaDone(cudaDeviceSynchronize(), what) : done;
}

Done fillRandom(const DeviceMemory& memory, NumberType type, unsigned seed) {
    const std::vector<char> block = randomBlock(type, seed);
    std::size_t filled = std::min(block.size(), memory.bytes());
    Done done = cudaDone(cudaMemcpy(memory.get(), block.data(), filled, cudaMemcpyHostToDevice),
                         "random numbers");
    // Each copy doubles what is there, in whole blocks.
    while (done && filled < memory.bytes()) {
        const std::size_t next = std::min(filled, memory.bytes() - filled);
        done = cudaDone(cudaMemcpy(memory.at(filled), memory.get(), next, cudaMemcpyDeviceToDevice),
                        "random numbers");
        filled += next;
    }
    return done ? cudaDone(cudaDeviceSynchronize(), "random numbers") : done;
}

Answer<std::vector<double>> numbersAt(const void* device,
                                      NumberType type,
                                      std::size_t count,
                                      std::size_t stride) {
    const std::size_t width = bytesOf(type);
    std::vector<char> raw(count * width);
    const Done done = cudaDone(
        cudaMemcpy2D(
            raw.data(), width, device, stride * width, width, count, cudaMemcpyDeviceToHost),
        "numbers from the GPU");
    if (!done) {
        return done.trouble();
    }
    std::vector<double> numbers(count);
    for (std::size_t at = 0; at < count; ++at) {
        numbers[at] = readNumber(type, raw.data() + at * width);
    }
    return numbers;
}

}  // namespace fabricast::probe
