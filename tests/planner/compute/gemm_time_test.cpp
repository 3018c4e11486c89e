#include "planner/compute/gemm_time.h"

#include "tests/planner/compute/shipped_kernels.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace fabricast {
namespace {

const std::array<std::string, 5> kGpus = {
    "a100-sxm4-80gb", "h100-sxm5-80gb", "b200-sxm-180gb", "l40s", "mi300x"};

Gemm anyGemm() {
    return {.m = *rc::gen::inRange<std::int64_t>(1, 200'000),
            .n = *rc::gen::inRange<std::int64_t>(1, 200'000),
            .k = *rc::gen::inRange<std::int64_t>(1, 200'000)};
}

const KernelProfile& anyKernels() {
    return shippedKernels(*rc::gen::elementOf(kGpus));
}

TEST(GemmTime, SustainsTheTrainingRateOfALargeProduct) {
    // 989 TFLOP/s · 0.8453 / (1 + 0.1391) · 0.89 = 653: what 16k³ comes near, from below
    const Gemm gemm{.m = 16384, .n = 16384, .k = 16384};
    const Seconds time = gemmTime(shippedKernels("h100-sxm5-80gb"), gemm, {});
    const double rate = gemm.flops().count() / time.count();
    EXPECT_GT(rate, 632e12);
    EXPECT_LT(rate, 653.4e12);
}

TEST(GemmTime, AnAccumulatedWeightGradientCostsItsTraffic) {
    const KernelProfile& kernels = shippedKernels("h100-sxm5-80gb");
    Gemm gemm{.m = 4096, .n = 4096, .k = 65536, .layout = GemmLayout::Nt};
    const Seconds plain = gemmTime(kernels, gemm, {});
    gemm.accumulateFp32 = true;
    // Long in k: the measured factor alone.
    EXPECT_NEAR(gemmTime(kernels, gemm, {}) / plain, kernels.weightGradientFactor, 1e-9);
    // Short in k: 8 instead of 2 bytes of each output. 4 us of inputs and launch are little of it.
    gemm = {.m = 16384, .n = 16384, .k = 128, .layout = GemmLayout::Nt};
    const Seconds thin = gemmTime(kernels, gemm, {});
    gemm.accumulateFp32 = true;
    EXPECT_GT(gemmTime(kernels, gemm, {}) / thin, 3.0);
}

TEST(GemmTime, QuantisingCostsMoreThanTheProductAlone) {
    const KernelProfile& kernels = shippedKernels("h100-sxm5-80gb");
    Gemm gemm{.m = 8192, .n = 4096, .k = 4096, .type = GemmType::Fp8Gemm};
    const Seconds alone = gemmTime(kernels, gemm, {});
    gemm.type = GemmType::Fp8;
    EXPECT_GT(gemmTime(kernels, gemm, {}), alone);
    gemm.type = GemmType::Bf16;
    EXPECT_GT(gemmTime(kernels, gemm, {}), alone);
}

// 4.07 bytes for 2 read and 33/32 written; twice that written; or nothing.
TEST(GemmTime, ATensorIsQuantisedOnceForBothOfItsProducts) {
    const KernelProfile& kernels = shippedKernels("b200-sxm-180gb");
    Gemm gemm{.m = 8192, .n = 4096, .k = 4096, .type = GemmType::MxFp8};
    const Seconds one = gemmTime(kernels, gemm, {});
    gemm.quantising = Quantising::BothCopies;
    const Seconds both = gemmTime(kernels, gemm, {});
    gemm.quantising = Quantising::Done;
    const Seconds none = gemmTime(kernels, gemm, {});
    EXPECT_NEAR((one - none).count(), 4.067 * 8192 * 4096 / 8e12, 1e-9);
    EXPECT_NEAR((both - none) / (one - none), (2 + 66.0 / 32) / (2 + 33.0 / 32), 1e-6);
    gemm.type = GemmType::Bf16;
    const Seconds plain = gemmTime(kernels, gemm, {});
    gemm.quantising = Quantising::BothCopies;
    EXPECT_EQ(gemmTime(kernels, gemm, {}), plain);
}

TEST(GemmTime, BackwardInFp8SumsExactlyOnHopper) {
    const auto backward = [](const char* gpu, GemmType type) {
        const KernelProfile& kernels = shippedKernels(gpu);
        Gemm gemm{.m = 16384, .n = 16384, .k = 16384, .type = type};
        const Seconds forward = gemmTime(kernels, gemm, {});
        gemm.layout = GemmLayout::Nn;
        return gemmTime(kernels, gemm, {}) / forward / kernels.inputGradientFactor;
    };
    EXPECT_NEAR(backward("h100-sxm5-80gb", GemmType::Fp8Gemm), 1.15, 0.01);
    EXPECT_NEAR(backward("h100-sxm5-80gb", GemmType::Bf16), 1.0, 1e-9);
    EXPECT_NEAR(backward("b200-sxm-180gb", GemmType::Fp8Gemm), 1.0, 1e-9);
    EXPECT_NEAR(backward("mi300x", GemmType::Fp8Gemm), 1.0, 1e-9);
}

TEST(GemmTime, WidthsFollowFromOneAnother) {
    const KernelProfile& kernels = shippedKernels("a100-sxm4-80gb");
    Gemm gemm{.m = 8192, .n = 8192, .k = 8192};
    const Seconds bf16 = gemmTime(kernels, gemm, {});
    gemm.type = GemmType::Fp16;
    EXPECT_EQ(gemmTime(kernels, gemm, {}), bf16);
    gemm.type = GemmType::Tf32;
    EXPECT_NEAR(gemmTime(kernels, gemm, {}) / bf16, 2.0, 0.05);  // 156 of 312 TFLOP/s
    gemm.type = GemmType::Fp32;
    EXPECT_GT(gemmTime(kernels, gemm, {}) / bf16, 10.0);  // CUDA cores: 19.5
    EXPECT_FALSE(kernels.supports(GemmType::Fp8Gemm));
    const KernelProfile& volta = shippedKernels("v100-sxm2-32gb");
    EXPECT_FALSE(volta.supports(GemmType::Bf16));
    EXPECT_TRUE(volta.supports(GemmType::Fp16));
}

TEST(GemmTime, BorrowedKernelsReachTheMeasuredRate) {
    // 668.4 TFLOP/s by torch on MI300X; a burst ends between that and 1 + throttle of it.
    const Gemm gemm{.m = 16384, .n = 16384, .k = 16384};
    const KernelProfile& kernels = shippedKernels("mi300x");
    EXPECT_EQ(kernels.donor, "h100-sxm5-80gb");
    const double rate =
        gemm.flops().count() / gemmTime(kernels, gemm, {.sustained = false}).count();
    EXPECT_NEAR(rate / 668.4e12, 1.0, 0.03);
}

RC_GTEST_PROP(GemmTimeProperty, MoreOfTheGpuIsNeverSlower, ()) {
    const KernelProfile& kernels = anyKernels();
    const Gemm gemm = anyGemm();
    const double share = *rc::gen::inRange(1, 100) / 100.0;
    const double more = share + (1 - share) * *rc::gen::inRange(0, 100) / 100.0;
    const Seconds slow = gemmTime(kernels, gemm, {.bandwidth = share});
    RC_ASSERT(gemmTime(kernels, gemm, {.bandwidth = more}) <= slow);
    const Seconds fewer = gemmTime(kernels, gemm, {.multiprocessors = share});
    const Seconds all = gemmTime(kernels, gemm, {});
    RC_ASSERT(all <= fewer);
    RC_ASSERT(all.count() > 0 && all.count() < 1e7);
}

RC_GTEST_PROP(GemmTimeProperty, NoTileEdgeMakesMoreWorkFaster, ()) {
    const KernelProfile& kernels = anyKernels();
    Gemm gemm = anyGemm();
    const Seconds time = gemmTime(kernels, gemm, {});
    gemm.k += *rc::gen::inRange<std::int64_t>(0, 10'000);
    gemm.n += *rc::gen::inRange<std::int64_t>(0, 10'000);
    // Splitting k begins and ends with sizes: up to its own gain a larger product may be faster.
    RC_ASSERT(gemmTime(kernels, gemm, {}).count() >= time.count() * 0.55);
}

TEST(GroupedGemmTime, ManyRowsAreOneDenseProduct) {
    const KernelProfile& kernels = shippedKernels("a100-sxm4-80gb");
    const Seconds dense = gemmTime(kernels, {.m = 65536, .n = 6144, .k = 4096}, {});
    const Seconds grouped = groupedGemmTime(
        kernels, {.experts = 8, .rowsPerExpert = 8192, .inputs = 4096, .outputs = 6144}, {});
    EXPECT_NEAR(grouped / dense, 1.0, 0.02);
}

TEST(GroupedGemmTime, OneExpertIsADenseProduct) {
    const KernelProfile& kernels = shippedKernels("b200-sxm-180gb");
    const auto grouped = [&](GroupedPass pass) {
        return groupedGemmTime(kernels,
                               {.experts = 1,
                                .rowsPerExpert = 16384,
                                .inputs = 6144,
                                .outputs = 8192,
                                .pass = pass,
                                .accumulateFp32 = true,
                                .perExpert = true},
                               {});
    };
    const auto dense = [&](std::int64_t m, std::int64_t n, std::int64_t k, GemmLayout layout) {
        const bool sums = layout == GemmLayout::Nt;
        return gemmTime(
            kernels, {.m = m, .n = n, .k = k, .layout = layout, .accumulateFp32 = sums}, {});
    };
    EXPECT_EQ(grouped(GroupedPass::Forward), dense(16384, 8192, 6144, GemmLayout::Tn));
    EXPECT_EQ(grouped(GroupedPass::InputGradient), dense(16384, 6144, 8192, GemmLayout::Nn));
    EXPECT_EQ(grouped(GroupedPass::WeightGradient), dense(8192, 6144, 16384, GemmLayout::Nt));
}

TEST(GroupedGemmTime, FewRowsPayForEveryExpertsWeights) {
    const KernelProfile& kernels = shippedKernels("b200-sxm-180gb");
    GroupedGemm group{.experts = 256, .rowsPerExpert = 16, .inputs = 7168, .outputs = 4096};
    const Seconds time = groupedGemmTime(kernels, group, {});
    // 256 · 7168 · 4096 weights of 2 bytes at 8 TB/s: 1.88 ms at the very least
    EXPECT_GT(time.count(), 1.88e-3);
    group.perExpert = true;
    EXPECT_NEAR((groupedGemmTime(kernels, group, {}) - time).count(), 256 * 4e-6, 1e-9);
    group.perExpert = false;
    group.balanced = false;
    EXPECT_GT(groupedGemmTime(kernels, group, {}), time);
}

}  // namespace
}  // namespace fabricast
