#include "planner/ops/row_sums.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

GpuSpec gpuOf(const char* architecture, std::int64_t multiprocessors) {
    GpuSpec gpu;
    gpu.architecture = architecture;
    gpu.multiprocessors.value = multiprocessors;
    return gpu;
}

TEST(RowSums, HoldANumberForEachColumnBlockAndThread) {
    const std::int64_t h100 = residentThreads(gpuOf("sm_90", 132));
    EXPECT_EQ(h100, 132 * 2048);
    // Blocks of 32 x 4 threads, 4 columns a thread: 32 blocks lie side by side, and each thread
    // takes 512 rows, which 512 / 16 blocks share.
    EXPECT_EQ(rowSumBytes(2048, 4096, h100), 4 * 4096 * 32 * (32 * 4) + 4 * 32);
    // 17 blocks for each of 128 fill 2,112 places.
    EXPECT_EQ(rowSumBytes(8192, 16384, h100), 4 * 16384 * 17 * (32 * 4) + 4 * 128);
}

TEST(RowSums, TakeNothingWhereOneBlockSumsAColumn) {
    const std::int64_t h100 = residentThreads(gpuOf("sm_90", 132));
    EXPECT_EQ(rowSumBytes(512, 4096, h100), 0);         // too few rows to share
    EXPECT_EQ(rowSumBytes(1 << 16, 1 << 20, h100), 0);  // the columns alone fill the GPU
}

TEST(RowSums, AreNotKnownOfOtherGpus) {
    EXPECT_EQ(residentThreads(gpuOf("gfx942", 304)), 0);
    EXPECT_EQ(rowSumBytes(2048, 4096, 0), 0);
    EXPECT_EQ(residentThreads(gpuOf("sm_89", 128)), 128 * 1536);
}

}  // namespace
}  // namespace fabricast
