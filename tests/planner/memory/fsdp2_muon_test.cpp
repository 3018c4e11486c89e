#include "planner/memory/engines/torch/fsdp2_group.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

constexpr OptimizerSettings kMuon{.kind = OptimizerKind::Muon, .kernel = OptimizerKernel::Foreach};

/// What rank 0 of a group steps of one weight.
StepTensor shardOfOne(const WeightUse& weight, std::int64_t ranks, std::int64_t width) {
    Device device;
    Fsdp2Options options;
    options.storedWidth = width;
    Fsdp2Group group(device, options, ranks);
    group.add(weight);
    return group.shardTensors().at(0);
}

// A momentum of the shard's size and type, in place of two moments. Tall matrices step in what was
// recorded, and so do wide ones of two ranks; for others DTensor weighs a gather against a
// crossing, and the most is counted.
TEST(Fsdp2Muon, KeepsAndTakesWhatTorchDoes) {
    const CsvTable table =
        CsvTable::read(FABRICAST_SOURCE_DIR "/tests/cases/memory/fsdp2_muon_step.csv");
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto of = [&](const char* column) { return table.integer(row, column); };
        const std::int64_t columns = of("columns");
        const StepTensor shard =
            shardOfOne({.elements = of("rows") * columns, .columns = columns, .inLayer = true},
                       of("ranks"),
                       of("width"));
        EXPECT_EQ(optimizerState(kMuon, shard).device, of("state_bytes")) << "row " << row;
        const std::int64_t step = stepTemporaries(kMuon, {shard});
        const std::int64_t recorded = of("step_bytes");
        if (of("rows") > columns || of("ranks") == 2) {
            EXPECT_EQ(step, recorded) << "row " << row;
        } else {
            EXPECT_GE(step, recorded) << "row " << row;
            EXPECT_LE(step, recorded + recorded / 15) << "row " << row;
        }
    }
}

// torch.optim.Muon: "Muon only supports 2D parameters". Norms, the tables at the model's ends and
// stacks of experts have AdamW.
TEST(Fsdp2Muon, LeavesTheRestToAdamW) {
    const WeightUse norm{.elements = 768, .isMatrix = false, .inLayer = true};
    const WeightUse table{.elements = 5000 * 768, .columns = 768};
    const WeightUse stack{
        .elements = 8 * 64 * 64, .expert = true, .columns = 64, .experts = 8, .inLayer = true};
    EXPECT_EQ(optimizerState(kMuon, shardOfOne(norm, 4, 4)).device, 1536);
    EXPECT_EQ(optimizerState(kMuon, shardOfOne(table, 4, 4)).device, 7680000);
    EXPECT_EQ(optimizerState(kMuon, shardOfOne(stack, 4, 4)).device, 2 * 4 * 2 * 64 * 64);
}

}  // namespace
}  // namespace fabricast
