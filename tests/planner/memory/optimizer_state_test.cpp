#include "planner/memory/engines/optimizer_state.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

struct StateCase {
    std::string name;
    OptimizerSettings optimizer;
    StepTensor tensor;
    std::int64_t device = 0;
    std::int64_t host = 0;
};

class OptimizerStateTest : public testing::TestWithParam<StateCase> {};

TEST_P(OptimizerStateTest, BytesOfOneTensor) {
    const StateBytes found = optimizerState(GetParam().optimizer, GetParam().tensor);
    EXPECT_EQ(found.device, GetParam().device);
    EXPECT_EQ(found.host, GetParam().host);
}

// 1,048,576 elements are 4,096 blocks of 256 and 8,192 of 128.
constexpr StepTensor kMatrix{
    .elements = 1 << 20, .width = 4, .columns = 1024, .hiddenMatrix = true};
constexpr StepTensor kTable{.elements = 1 << 20, .width = 4, .columns = 1024, .isTable = true};
constexpr OptimizerSettings kTrainers8bit{.kind = OptimizerKind::AdamW8bit, .decayGroups = true};
constexpr OptimizerSettings kTrainersPaged{.kind = OptimizerKind::PagedAdamW8bit,
                                           .decayGroups = true};
constexpr OptimizerSettings kTrainersLion{.kind = OptimizerKind::Lion8bit, .decayGroups = true};
constexpr OptimizerSettings kTrainersTorchAo{
    .kind = OptimizerKind::AdamW8bit, .library = LowBitLibrary::TorchAo, .decayGroups = true};
constexpr StepTensor kVector{.elements = 1024, .width = 4};
constexpr OptimizerKernel kForeach = OptimizerKernel::Foreach;
constexpr LowBitLibrary kTorchAo = LowBitLibrary::TorchAo;

INSTANTIATE_TEST_SUITE_P(
    Kinds,
    OptimizerStateTest,
    testing::Values(
        StateCase{"adamw_fused", {OptimizerKind::AdamW}, kMatrix, (8 << 20) + 4},
        StateCase{"adamw_foreach", {OptimizerKind::AdamW, kForeach}, kMatrix, 8 << 20},
        StateCase{"adamw_bf16", {OptimizerKind::AdamW, kForeach}, {.elements = 10, .width = 2}, 40},
        StateCase{"bnb_adamw",
                  {OptimizerKind::AdamW, OptimizerKernel::BitsAndBytes},
                  {.elements = 10, .width = 2},
                  80},
        // 2 codes and 2 scales of 4 bytes a block
        StateCase{"bnb_8bit", {OptimizerKind::AdamW8bit}, kMatrix, (2 << 20) + 8 * 4096},
        StateCase{"bnb_8bit_small", {OptimizerKind::AdamW8bit}, kVector, 8 * 1024},
        StateCase{"bnb_paged", {OptimizerKind::PagedAdamW8bit}, kMatrix, 8 * 4096, 2 << 20},
        StateCase{"bnb_lion", {OptimizerKind::Lion}, kMatrix, 4 << 20},
        StateCase{"bnb_lion_8bit", {OptimizerKind::Lion8bit}, kMatrix, (1 << 20) + 4 * 4096},
        // Trainer asks for 32 bits of an nn.Embedding's, which are paged as others are
        StateCase{"bnb_8bit_table_of_a_loop", {OptimizerKind::AdamW8bit}, kTable, 2129920},
        StateCase{"bnb_8bit_table_of_trainer", kTrainers8bit, kTable, 8 << 20},
        StateCase{"bnb_8bit_matrix_of_trainer", kTrainers8bit, kMatrix, (2 << 20) + 8 * 4096},
        StateCase{"bnb_paged_table_of_trainer", kTrainersPaged, kTable, 0, 8 << 20},
        StateCase{"bnb_lion_8bit_table_of_trainer", kTrainersLion, kTable, 4 << 20},
        StateCase{"ao_8bit_table_of_trainer", kTrainersTorchAo, kTable, 2129920 + 2048},
        StateCase{"ao_8bit",
                  {OptimizerKind::AdamW8bit, kForeach, kTorchAo},
                  kMatrix,
                  (2 << 20) + 8 * 4096 + 2048},
        StateCase{"ao_4bit",
                  {OptimizerKind::AdamW4bit, kForeach, kTorchAo},
                  kMatrix,
                  (1 << 20) + 8 * 8192 + 128},
        // in Trainer's hands: blocks of 256, as of 8 bits
        StateCase{"ao_4bit_trainer",
                  {.kind = OptimizerKind::AdamW4bit,
                   .kernel = kForeach,
                   .library = kTorchAo,
                   .decayGroups = true},
                  kMatrix,
                  (1 << 20) + 8 * 4096 + 128},
        StateCase{
            "ao_fp8", {OptimizerKind::AdamWFp8, kForeach, kTorchAo}, kMatrix, (2 << 20) + 8 * 4096},
        StateCase{"adafactor", {OptimizerKind::Adafactor}, kMatrix, 4 * (1024 + 1024 + 1)},
        StateCase{"adafactor_vector", {OptimizerKind::Adafactor}, kVector, 4 * (1024 + 1)},
        StateCase{"sgd", {OptimizerKind::Sgd}, kMatrix, 0},
        StateCase{"sgd_momentum", {OptimizerKind::SgdMomentum}, kMatrix, 4 << 20},
        StateCase{"muon_matrix", {OptimizerKind::Muon}, kMatrix, 4 << 20},
        StateCase{"muon_vector", {OptimizerKind::Muon, kForeach}, kVector, 8 * 1024}),
    [](const testing::TestParamInfo<StateCase>& state) { return state.param.name; });

TEST(SharedState, BitsAndBytesKeepsItsCodeTablesOnce) {
    EXPECT_EQ(sharedStateBytes({OptimizerKind::AdamW8bit}), 2 * 1024);
    EXPECT_EQ(sharedStateBytes({OptimizerKind::Lion8bit}), 1024);
    EXPECT_EQ(sharedStateBytes({OptimizerKind::AdamW8bit, kForeach, kTorchAo}), 0);
    EXPECT_EQ(sharedStateBytes({OptimizerKind::AdamW}), 0);
}

}  // namespace
}  // namespace fabricast
