#include "planner/ops/engine_quantization.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

std::int64_t copiesOf(Quantization quantization,
                      const std::string& architecture,
                      Dtype stored = Dtype::Bf16) {
    Scenario scenario;
    scenario.settings.kernels.quantization = quantization;
    scenario.settings.precision.parameters = stored;
    scenario.cluster.node.gpu.architecture = architecture;
    return quantizedCopies(scenario, 4096);
}

TEST(EngineQuantization, KeepsWeightsByRowsAndByColumnsWithTheirScales) {
    EXPECT_EQ(copiesOf(Quantization::None, "sm_90"), 0);
    EXPECT_EQ(copiesOf(Quantization::Fp8Tensorwise, "sm_90"), 2 * 4096);
    EXPECT_EQ(copiesOf(Quantization::Fp8Blockwise, "sm_90"), 2 * 4096);
    EXPECT_EQ(copiesOf(Quantization::MxFp8, "sm_100"), 2 * (4096 + 128));
    EXPECT_EQ(copiesOf(Quantization::NvFp4, "sm_100"), 2 * (2048 + 256));
}

TEST(EngineQuantization, TransposesNothingWhereTheGpuMultipliesInEveryOrder) {
    EXPECT_EQ(copiesOf(Quantization::Fp8Tensorwise, "sm_100"), 4096);
    EXPECT_EQ(copiesOf(Quantization::Fp8Tensorwise, "sm_103"), 4096);
    EXPECT_EQ(copiesOf(Quantization::Fp8Tensorwise, "sm_120"), 2 * 4096);
}

TEST(EngineQuantization, StoresWeightsInFp8AsOneOfTheCopies) {
    EXPECT_EQ(copiesOf(Quantization::Fp8Tensorwise, "sm_90", Dtype::Fp8), 4096);
    EXPECT_EQ(copiesOf(Quantization::Fp8Tensorwise, "sm_100", Dtype::Fp8), 0);
}

TEST(EngineQuantization, LeavesMegatronsOwnProductsWide) {
    Settings settings;
    settings.kernels.code = ModelCode::TransformerEngine;
    EXPECT_FALSE(isQuantizedByEngine(settings, "linear_qkv"));
    settings.kernels.quantization = Quantization::Fp8Tensorwise;
    EXPECT_TRUE(isQuantizedByEngine(settings, "linear_qkv"));
    EXPECT_FALSE(isQuantizedByEngine(settings, "output_layer"));
    EXPECT_FALSE(isQuantizedByEngine(settings, "router"));
}

}  // namespace
}  // namespace fabricast
