#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

// PyTorch multiplies fp32 in fp32 unless it is asked for TF32: 0.51 s instead of 0.16 for a step of
// GPT-2 medium.
TEST(Fp32Products, AreTf32WhereThatIsTurnedOn) {
    Scenario scenario = exampleRun("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
    scenario.settings.precision.compute = Dtype::Fp32;
    const StepEstimate rounded = estimated(scenario);
    scenario.settings.precision.tf32 = false;
    const StepEstimate whole = estimated(scenario);
    EXPECT_GT(whole.parts.of(TimePart::Gemm), rounded.parts.of(TimePart::Gemm) * 4.0);
    EXPECT_GT(whole.parts.of(TimePart::Attention), rounded.parts.of(TimePart::Attention) * 2.0);
    EXPECT_EQ(rounded.utilisation.peakType, "tf32");
    EXPECT_EQ(whole.utilisation.peakType, "fp32");
}

}  // namespace
}  // namespace fabricast
