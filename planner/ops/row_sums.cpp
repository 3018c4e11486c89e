#include "planner/ops/row_sums.h"

#include "planner/base/integers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace fabricast {

namespace {

/// "Maximum number of resident threads per SM", CUDA programming guide, technical specifications
/// per compute capability.
struct ResidentThreads {
    std::string_view architecture;
    std::int64_t perMultiprocessor;
};
constexpr std::array kResidentThreads = {ResidentThreads{"sm_70", 2048},
                                         ResidentThreads{"sm_75", 1024},
                                         ResidentThreads{"sm_80", 2048},
                                         ResidentThreads{"sm_86", 1536},
                                         ResidentThreads{"sm_89", 1536},
                                         ResidentThreads{"sm_90", 2048},
                                         ResidentThreads{"sm_100", 2048},
                                         ResidentThreads{"sm_103", 2048},
                                         ResidentThreads{"sm_120", 1536}};

// ATen/native/cuda/Reduce.cuh, torch 2.15.
constexpr std::int64_t kWidestVector = 4;
constexpr std::int64_t kBlockThreads = 512;  ///< MAX_NUM_THREADS, over the vector's width
constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kLeastValues = 16;  ///< min_values_per_thread
constexpr std::int64_t kMostValues = 256;  ///< max_values_per_thread
constexpr std::int64_t kSumBytes = 4;      ///< of two-byte numbers too
constexpr std::int64_t kSemaphoreBytes = 4;

std::int64_t widestVector(std::int64_t columns) {
    std::int64_t width = kWidestVector;
    while (columns % width != 0) {
        width /= 2;
    }
    return width;
}

std::int64_t powerOfTwo(std::int64_t count, std::int64_t most) {
    return count < most
               ? static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(count)))
               : most;
}

}  // namespace

std::int64_t residentThreads(const GpuSpec& gpu) {
    const auto* const found = std::ranges::find(
        kResidentThreads, std::string_view(gpu.architecture), &ResidentThreads::architecture);
    return found == kResidentThreads.end()
               ? 0
               : found->perMultiprocessor * gpu.multiprocessors.value.value_or(0);
}

std::int64_t rowSumBytes(std::int64_t rows, std::int64_t columns, std::int64_t threads) {
    if (rows <= 0 || columns <= 0) {
        return 0;
    }
    const std::int64_t vector = widestVector(columns);
    const std::int64_t most = kBlockThreads / vector;
    const std::int64_t outputs = columns / vector;
    const std::int64_t across = powerOfTwo(outputs, most);
    const std::int64_t height = std::min(powerOfTwo(rows, most), most / std::min(across, kWarp));
    const std::int64_t width = std::min(across, most / height);
    // The rows are shared first by the warps of a block, then by blocks.
    const std::int64_t values = ceilDivide(rows, height);
    const std::int64_t grid = ceilDivide(outputs, width);
    const std::int64_t wanted = threads / (width * height);
    if (rows < std::min(height * kLeastValues, kMostValues) || values < kMostValues ||
        grid > wanted) {
        return 0;
    }
    const std::int64_t least = ceilDivide(values, kMostValues);
    const std::int64_t blocks =
        std::clamp(ceilDivide(wanted, grid), least, ceilDivide(values, kLeastValues));
    return blocks == 1 ? 0 : kSumBytes * columns * blocks * width * vector + kSemaphoreBytes * grid;
}

}  // namespace fabricast
