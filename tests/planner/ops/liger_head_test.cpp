#include "planner/ops/liger.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

struct ChunkCase {
    std::int64_t tokens = 0, vocab = 0, hidden = 0;
    std::int64_t rows = 0, count = 0, last = 0;
};

class LigerChunksOf : public testing::TestWithParam<ChunkCase> {};

TEST_P(LigerChunksOf, AreThoseOfItsCode) {
    const ChunkCase& c = GetParam();
    const LigerChunks chunks = ligerChunks(c.tokens, c.vocab, c.hidden);
    EXPECT_EQ(chunks.rows, c.rows);
    EXPECT_EQ(chunks.count, c.count);
    EXPECT_EQ(chunks.last, c.last);
}

INSTANTIATE_TEST_SUITE_P(
    ,
    LigerChunksOf,
    testing::Values(
        // The example in a comment of its own: ceil(32000 / 4096) = 8 parts of 2,048 rows.
        ChunkCase{4 * 4096, 32000, 4096, 2048, 8, 2048},
        ChunkCase{65536, 128256, 4096, 2048, 32, 2048},  // 65536 / 32 is a power of two already
        // ceil(3000 / 66) = 46, so 64 rows, of which the last chunk has 3000 - 46 · 64.
        ChunkCase{3000, 50257, 768, 64, 47, 56},
        ChunkCase{512, 32000, 1024, 16, 32, 16},
        ChunkCase{1000, 256, 512, 1000, 1, 1000}));  // one part, never more rows than there are

Scenario ligerScenario() {
    Scenario scenario;
    scenario.model.family = "llama";
    scenario.model.layers = 2;
    scenario.model.hidden = 512;
    scenario.model.vocab = 32000;
    scenario.workload = {.sequence = 2048, .globalBatch = 1};
    scenario.settings.kernels.code = ModelCode::HuggingFace;
    scenario.settings.kernels.loss = LossKernel::Liger;
    scenario.settings.precision.parameters = Dtype::Bf16;
    return scenario;
}

TEST(LigerHead, KeepsBothGradientsAndNothingElse) {
    const OpList head = ligerHead(ligerScenario());
    // 2 · (2048 + 32000) · 512: in the types of what they are the gradients of.
    EXPECT_EQ(savedBytes(head, true), std::int64_t{2} * (2048 + 32000) * 512);
}

TEST(LigerHead, MakesNoGradientOfAFrozenWeight) {
    Scenario scenario = ligerScenario();
    scenario.settings.tuning = Tuning::Lora;
    scenario.settings.lora.base = Dtype::Bf16;
    EXPECT_EQ(savedBytes(ligerHead(scenario), true), std::int64_t{2} * 2048 * 512);
}

}  // namespace
}  // namespace fabricast
