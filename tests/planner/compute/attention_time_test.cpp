#include "planner/compute/attention_time.h"

#include "planner/compute/context_parallel_attention.h"
#include "tests/planner/compute/shipped_kernels.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

constexpr Attention kLlama{.batch = 1,
                           .heads = 32,
                           .kvHeads = 8,
                           .queries = 8192,
                           .keys = 8192,
                           .headDim = 128,
                           .valueDim = 128};

/// The same by counting.
double countedPairs(const Attention& attention) {
    double pairs = 0;
    for (std::int64_t query = 0; query < attention.queries; ++query) {
        std::int64_t seen = attention.keys;
        if (attention.causal) {
            seen = std::max<std::int64_t>(0, attention.keys - attention.queries + query + 1);
        }
        if (attention.window > 0) {
            seen = std::min(seen, attention.window);
        }
        pairs += static_cast<double>(seen);
    }
    return pairs;
}

RC_GTEST_PROP(AttentionPairs, AreThoseNotMaskedOut, ()) {
    Attention attention{.queries = *rc::gen::inRange<std::int64_t>(1, 500),
                        .keys = *rc::gen::inRange<std::int64_t>(1, 500)};
    attention.causal = *rc::gen::arbitrary<bool>();
    attention.window = *rc::gen::inRange<std::int64_t>(0, 600);
    // Half a diagonal is more than the continuous count has.
    const double most = static_cast<double>(attention.queries);
    RC_ASSERT(std::abs(countedPairs(attention) - attention.pairs()) <= most);
}

TEST(AttentionTime, AWindowBoundsTheWork) {
    const KernelProfile& kernels = shippedKernels("h100-sxm5-80gb");
    Attention attention = kLlama;
    attention.queries = attention.keys = 131072;
    const Seconds full = attentionTime(kernels, attention, {});
    attention.window = 4096;
    // (w·s − w²/2) / (s²/2) = 6.2 % of the pairs
    EXPECT_NEAR(attentionTime(kernels, attention, {}) / full, 0.062, 0.01);
}

TEST(AttentionTime, TheKernelsRankAsTheirFiguresDo) {
    const KernelProfile& kernels = shippedKernels("h100-sxm5-80gb");
    Attention attention = kLlama;
    const auto with = [&](AttentionCode code) {
        attention.code = code;
        return attentionTime(kernels, attention, {}).count();
    };
    const double flash3 = with(AttentionCode::Flash3);
    EXPECT_EQ(with(AttentionCode::Native), flash3);
    EXPECT_GT(with(AttentionCode::CuDnn), flash3);
    EXPECT_GT(with(AttentionCode::Flash2), with(AttentionCode::CuDnn));
    EXPECT_GT(with(AttentionCode::Math), with(AttentionCode::Flash2));
}

TEST(AttentionTime, BackwardIsTheMeasuredRatioOfForward) {
    // With many heads the tail is negligible.
    Attention attention = kLlama;
    attention.heads = attention.kvHeads = 4096;
    const auto ratio = [&](const char* gpu) {
        attention.pass = AttentionPass::Forward;
        const Seconds forward = attentionTime(shippedKernels(gpu), attention, {});
        attention.pass = AttentionPass::Backward;
        return attentionTime(shippedKernels(gpu), attention, {}) / forward;
    };
    EXPECT_NEAR(ratio("h100-sxm5-80gb"), 2.9, 1e-2);
    attention.code = AttentionCode::Flash2;
    EXPECT_NEAR(ratio("h100-sxm5-80gb"), 2.78, 1e-2);
    attention.code = AttentionCode::Native;
    attention.headDim = 192;
    EXPECT_NEAR(ratio("h100-sxm5-80gb"), 3.5, 1e-2);
    // B200 from 2.9 at 4k to 3.3 at 32k, by the logarithm: 16k is two thirds of the way.
    attention.headDim = 128;
    attention.queries = attention.keys = 16384;
    EXPECT_NEAR(ratio("b200-sxm-180gb"), 2.9 + 0.4 * 2 / 3, 2e-2);
}

TEST(AttentionTime, BackwardFillsTheGpuWithFewerHeads) {
    const KernelProfile& kernels = shippedKernels("b200-sxm-180gb");
    Attention attention = kLlama;
    const auto backwardShare = [&](std::int64_t heads) {
        attention.heads = attention.kvHeads = heads;
        attention.pass = AttentionPass::Forward;
        const Seconds forward = attentionTime(kernels, attention, {});
        attention.pass = AttentionPass::Backward;
        return attentionTime(kernels, attention, {}) / forward;
    };
    EXPECT_LT(backwardShare(4), 0.8 * backwardShare(128));
}

TEST(AttentionTime, FewHeadsLeaveMultiprocessorsIdle) {
    const KernelProfile& kernels = shippedKernels("b200-sxm-180gb");
    Attention attention = kLlama;
    attention.queries = attention.keys = 4096;
    attention.heads = attention.kvHeads = 64;
    const double many = attentionTime(kernels, attention, {}).count() / 64;
    attention.heads = attention.kvHeads = 4;
    EXPECT_GT(attentionTime(kernels, attention, {}).count() / 4, 1.5 * many);
}

TEST(ContextParallelAttention, DividesTheWorkEvenly) {
    const KernelProfile& kernels = shippedKernels("a100-sxm4-80gb");
    Attention whole = kLlama;
    whole.queries = whole.keys = 131072;
    const double alone = attentionTime(kernels, whole, {}).count();
    for (const CpKind kind : {CpKind::Ring, CpKind::AllGather, CpKind::Ulysses}) {
        for (const std::int64_t ranks : {2, 4, 8}) {
            const auto shared = contextParallelAttention(kernels, whole, {ranks, kind}, {});
            // Launches, last tiles and reading keys again come on top.
            const double part = shared.total().count() * static_cast<double>(ranks) / alone;
            EXPECT_GT(part, 0.97) << static_cast<int>(kind) << " over " << ranks;
            EXPECT_LT(part, 1.25) << static_cast<int>(kind) << " over " << ranks;
        }
    }
    EXPECT_EQ(contextParallelAttention(kernels, whole, {.ranks = 1}, {}).total().count(), alone);
}

// Of c parts the last sees c - 1 before it and half of its own, where an even share is c / 2.
TEST(ContextParallelAttention, WaitsForTheLastOfRanksWithOnePart) {
    const KernelProfile& kernels = shippedKernels("a100-sxm4-80gb");
    Attention whole = kLlama;
    whole.queries = whole.keys = 131072;
    const double alone = attentionTime(kernels, whole, {}).count();
    for (const CpKind kind : {CpKind::Ring, CpKind::AllGather}) {
        for (const std::int64_t ranks : {2, 4, 8}) {
            const ContextSplit split{.ranks = ranks, .kind = kind, .balanced = false};
            const auto last = contextParallelAttention(kernels, whole, split, {});
            const double count = static_cast<double>(ranks);
            const double part = last.total().count() * count / alone;
            EXPECT_NEAR(part, (2.0 * count - 1.0) / count, 0.15) << static_cast<int>(kind);
        }
    }
}

// What was timed in a long loop is no slower in a long loop of training.
TEST(AttentionTime, RatesOfLoopsKeepTheirClock) {
    KernelProfile kernels = shippedKernels("h100-sxm5-80gb");
    const Attention attention{.code = AttentionCode::Flash2,
                              .batch = 4,
                              .heads = 32,
                              .kvHeads = 32,
                              .queries = 8192,
                              .keys = 8192,
                              .headDim = 128,
                              .valueDim = 128};
    const auto seconds = [&](bool sustained) {
        return attentionTime(kernels, attention, {.sustained = sustained}).count();
    };
    EXPECT_EQ(seconds(true), seconds(false));
    for (AttentionFit& fit : kernels.attention) {
        fit.inLoop = false;
    }
    EXPECT_GT(seconds(true), 1.1 * seconds(false));
}

RC_GTEST_PROP(AttentionTimeProperty, IsFiniteAndFallsWithMoreOfTheGpu, ()) {
    const std::array<std::string, 4> gpus = {
        "a100-sxm4-80gb", "h100-sxm5-80gb", "gb300-288gb", "v100-sxm2-32gb"};
    const KernelProfile& kernels = shippedKernels(*rc::gen::elementOf(gpus));
    Attention attention{.type = GemmType::Fp16,
                        .batch = *rc::gen::inRange<std::int64_t>(1, 64),
                        .heads = *rc::gen::inRange<std::int64_t>(1, 128),
                        .queries = *rc::gen::inRange<std::int64_t>(1, 1'000'000),
                        .keys = *rc::gen::inRange<std::int64_t>(1, 1'000'000),
                        .headDim = *rc::gen::inRange<std::int64_t>(1, 600),
                        .valueDim = *rc::gen::inRange<std::int64_t>(1, 600),
                        .causal = *rc::gen::arbitrary<bool>()};
    attention.code = *rc::gen::element(AttentionCode::Native, AttentionCode::CuDnn);
    const Seconds all = attentionTime(kernels, attention, {});
    RC_ASSERT(all.count() > 0 && all.count() < 1e9);
    RC_ASSERT(attentionTime(kernels, attention, {.multiprocessors = 0.5}) >= all);
    RC_ASSERT(attentionTime(kernels, attention, {.bandwidth = 0.5}) >= all);
}

}  // namespace
}  // namespace fabricast
