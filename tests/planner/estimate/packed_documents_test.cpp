#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

StepEstimate packed(std::int64_t documentTokens, std::int64_t cp = 1) {
    Scenario scenario =
        exampleRun("megatron", {.dp = 8, .cp = cp, .cpKind = CpKind::Ring, .shard = Shard::Zero1});
    scenario.settings.kernels.documentTokens = documentTokens;
    return estimated(scenario);
}

TEST(PackedDocuments, AttendToThemselves) {
    const StepEstimate whole = packed(0);
    const StepEstimate documents = packed(512);
    EXPECT_LT(documents.parts.of(TimePart::Attention), whole.parts.of(TimePart::Attention) / 2.0);
    EXPECT_LT(documents.step.value, whole.step.value);
    EXPECT_EQ(documents.parts.of(TimePart::Gemm), whole.parts.of(TimePart::Gemm));
    EXPECT_LT(documents.utilisation.perToken, whole.utilisation.perToken);
}

TEST(PackedDocuments, TakeNoLongerThanLongerOnes) {
    for (const std::int64_t cp : {1, 4}) {
        Seconds before{};
        for (const std::int64_t tokens : {128, 512, 2048, 1 << 20}) {
            const Seconds step = packed(tokens, cp).step.value;
            EXPECT_GE(step, before) << tokens;
            before = step;
        }
        EXPECT_EQ(before, packed(0, cp).step.value);
    }
}

}  // namespace
}  // namespace fabricast
