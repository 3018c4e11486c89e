#include "planner/compute/attention_time.h"
#include "planner/compute/gemm_time.h"
#include "planner/spec/kernel_names.h"
#include "tests/planner/compute/shipped_kernels.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

std::int64_t whole(const CaseRow& row, const char* column) {
    return std::stoll(row.at(column));
}

// Both evaluate the same equations with the same parameters: only rounding may differ.
constexpr double kRounding = 1e-6;
constexpr double kMicroseconds = 1e6;

/// The second evaluation has the clocks of benchmarks only; Hopper's and B200's were fitted to
/// training runs since.
KernelProfile withBenchmarkClock(const std::string& gpu) {
    KernelProfile kernels = shippedKernels(gpu);
    if (gpu == "h100-sxm5-80gb") {
        kernels.sustained.factor = 0.957;
    } else if (gpu == "b200-sxm-180gb") {
        kernels.sustained.factor = 0.959;
    }
    return kernels;
}

TEST(KernelPoints, GemmTimesAreThoseOfTheEquations) {
    for (const CaseRow& row : readCases("kernels/gemm_points.csv")) {
        const KernelProfile kernels = withBenchmarkClock(row.at("gpu"));
        const GemmFit* fit = kernels.fit(*fromName<GemmType>(row.at("type")));
        ASSERT_NE(fit, nullptr) << row.at("gpu") << " " << row.at("type");
        const Gemm gemm{.m = whole(row, "m"),
                        .n = whole(row, "n"),
                        .k = whole(row, "k"),
                        .accumulateFp32 = row.at("accumulate") == "1"};
        const Seconds time =
            gemmTime(kernels, *fit, gemm, {.sustained = row.at("sustained") == "1"});
        const double expected = std::stod(row.at("expected_us"));
        EXPECT_NEAR(time.count() * kMicroseconds / expected, 1.0, kRounding)
            << row.at("gpu") << " " << row.at("type") << " " << gemm.m << "x" << gemm.n << "x"
            << gemm.k;
    }
}

TEST(KernelPoints, AttentionTimesAreThoseOfTheEquations) {
    for (const CaseRow& row : readCases("kernels/attention_points.csv")) {
        const KernelProfile& kernels = shippedKernels(row.at("gpu"));
        const Attention attention{.type = *fromName<GemmType>(row.at("type")),
                                  .batch = whole(row, "batch"),
                                  .heads = whole(row, "heads"),
                                  .kvHeads = whole(row, "kv_heads"),
                                  .queries = whole(row, "sequence"),
                                  .keys = whole(row, "sequence"),
                                  .headDim = whole(row, "head_dim"),
                                  .valueDim = whole(row, "head_dim"),
                                  .causal = row.at("causal") == "1",
                                  .paged = row.at("cache") == "paged"};
        const Seconds time = attentionTime(kernels, attention, {.sustained = false});
        const double expected = std::stod(row.at("expected_us"));
        EXPECT_NEAR(time.count() * kMicroseconds / expected, 1.0, kRounding)
            << row.at("gpu") << " " << row.at("type") << " " << row.at("sequence") << " of "
            << row.at("heads") << " heads of " << row.at("head_dim");
    }
}

}  // namespace
}  // namespace fabricast
