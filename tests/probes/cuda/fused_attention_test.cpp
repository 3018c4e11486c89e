#include "probes/cuda/attention_kernels.h"
#include "tests/probes/cuda/probe_run.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace fabricast::probe {
namespace {

/// An H200, as cuDNN describes devices.
constexpr const char* kH200 =
    R"({"maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],)"
    R"( "regsPerBlock": 65536, "multiProcessorCount": 132, "warpSize": 32,)"
    R"( "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448,)"
    R"( "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32,)"
    R"( "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0,)"
    R"( "supportCoopLaunch": 1, "totalGlobalMem": 150754820096, "smClockRateKHz": 1980000,)"
    R"( "memClockRateKHz": 3201000, "l2CacheSize": 62914560, "cudaDeviceId": 0, "deviceVer": 900,)"
    R"( "driverVer": 13000, "deviceName": "NVIDIA H200"})";

/// Heads that share keys and heads that do not, both sizes of a head, masked and not, both passes.
std::vector<AttentionShape> shapes() {
    std::vector<AttentionShape> all;
    for (const bool backward : {false, true}) {
        for (const bool causal : {false, true}) {
            for (const std::int64_t dim : {64, 128}) {
                for (const std::int64_t groups : {32, 8, 1}) {
                    all.push_back({1, 32, groups, 4096, dim, causal, backward});
                }
            }
        }
    }
    return all;
}

std::string nameOf(const AttentionShape& shape) {
    return std::string(shape.backward ? "backward" : "forward") + (shape.causal ? " causal" : "") +
           " dim " + std::to_string(shape.dim) + " groups " + std::to_string(shape.groups);
}

TEST(FusedAttention, CudnnHasEnginesForTheGraphsOnAnH200) {
    if (!FABRICAST_HAS_CUDNN) {
        GTEST_SKIP() << "built without cuDNN";
    }
#if defined(__SANITIZE_ADDRESS__)
    // Each of cuDNN's libraries keeps memory for its exceptions until the end.
    const __lsan::ScopedDisabler unwatched;
#endif
    // cuDNN asks for the driver by name; the toolkit's stand-in answers to it, and can do nothing.
    if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) == nullptr &&
        dlopen(FABRICAST_CUDA_LIBRARIES "/stubs/libcuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        GTEST_SKIP() << "neither a driver nor the toolkit's stand-in for it";
    }
    for (const AttentionShape& shape : shapes()) {
        const Answer<std::size_t> engines = fusedEnginesOn(kH200, shape);
        const std::string name = nameOf(shape);
        ASSERT_TRUE(engines) << name << ": " << engines.trouble().why;
        EXPECT_GT(*engines, 0U) << name;
    }
    EXPECT_FALSE(fusedEnginesOn("no device", {1, 32, 32, 4096, 128, true, false}));
}

const std::string kPasses =
    "--quiet --point 'attention pass=forward batch=2 heads=4 kv_heads=2 sequence=40 dim=16 "
    "causal=1'"
    " --point 'attention pass=forward batch=2 heads=2 kv_heads=2 sequence=40 dim=16 causal=0'"
    " --point 'attention pass=backward batch=2 heads=4 kv_heads=2 sequence=40 dim=16 causal=1'"
    " --point 'attention pass=backward batch=1 heads=2 kv_heads=2 sequence=40 dim=16 causal=0'";

std::size_t timesIn(const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++times;
    }
    return times;
}

/// What cuDNN is asked for is computed operation by operation, and kernels add to the queries'
/// gradient where memory holds anything but zeros: run again and again, results stay right.
TEST(FusedAttention, ItsGraphsAreRightHoweverOftenTheyRun) {
    if (!FABRICAST_HAS_CUDNN) {
        GTEST_SKIP() << "built without cuDNN";
    }
    const ProbeRun run = runOnNullDevice(kPasses, "FABRICAST_NULL_L2_MIB=0");
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_EQ(timesIn(run.out, "\"wrong\":0"), 4U) << run.out;
    EXPECT_EQ(timesIn(run.out, "\"algorithm\":\"cudnn\""), 4U) << run.out;
}

TEST(FusedAttention, AnEngineThatFailsWhenItRunsIsPassedOver) {
    if (!FABRICAST_HAS_CUDNN) {
        GTEST_SKIP() << "built without cuDNN";
    }
    const ProbeRun run =
        runOnNullDevice(kPasses, "FABRICAST_NULL_CUDNN=refuses FABRICAST_NULL_L2_MIB=0");
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_EQ(timesIn(run.out, "\"algorithm\":\"cudnn\""), 4U) << run.out;
    const ProbeRun none =
        runOnNullDevice(kPasses, "FABRICAST_NULL_CUDNN=none FABRICAST_NULL_L2_MIB=0");
    EXPECT_EQ(none.code, 0) << none.out << none.err;
    EXPECT_EQ(timesIn(none.out, "\"algorithm\":\"written out (forward: cuDNN: "), 4U) << none.out;
    EXPECT_EQ(timesIn(none.out, "\"wrong\":0"), 4U) << none.out;
}

}  // namespace
}  // namespace fabricast::probe
