#include "planner/memory/engines/optimizer_state.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

constexpr OptimizerKernel kLoop = OptimizerKernel::ForLoop;
constexpr std::int64_t kGemmWorkspace = 32 << 20;

TEST(StepTemporaries, ForeachCopiesAllAndALoopTheLargestTwice) {
    const std::vector<StepTensor> tensors = {{.elements = 100}, {.elements = 30}};
    EXPECT_EQ(stepTemporaries({.kernel = OptimizerKernel::Fused}, tensors), 0);
    EXPECT_EQ(stepTemporaries({.kernel = OptimizerKernel::Foreach}, tensors), 4 * 130);
    EXPECT_EQ(stepTemporaries({.kernel = kLoop}, tensors), 2 * 4 * 100);
}

// Too few rows for a second thread block: copies of gradient and parameter, the square of the
// gradient and the update, and the last parameter's update.
TEST(StepTemporaries, AdafactorHoldsTheLastUpdateUntilTheNext) {
    const OptimizerSettings adafactor{.kind = OptimizerKind::Adafactor, .kernel = kLoop};
    const StepTensor small{.elements = 64 * 64, .width = 2, .columns = 64};
    const StepTensor large{.elements = 128 * 128, .width = 2, .columns = 128};
    EXPECT_EQ(stepTemporaries(adafactor, {small}), 4 * 4 * 64 * 64);
    EXPECT_EQ(stepTemporaries(adafactor, {small, large}), 4 * 4 * 128 * 128 + 4 * 64 * 64);
    const StepTensor wide{.elements = 128 * 128, .width = 4, .columns = 128};
    EXPECT_EQ(stepTemporaries(adafactor, {wide}), 2 * 4 * 128 * 128);
}

// 32,000 rows of 1,024 columns: 132 multiprocessors hold 16 blocks of 32 x 4 threads, 8 of them
// span the columns (four to a thread), so 264 share each column; each keeps 1,024 columns' sums 128
// wide. In addition: gradient, parameter, update, and the 1,024 means.
TEST(StepTemporaries, AdafactorsColumnMeansTakeABuffer) {
    const OptimizerSettings adafactor{.kind = OptimizerKind::Adafactor, .kernel = kLoop};
    const StepTensor table{.elements = 32000 * 1024, .width = 2, .columns = 1024};
    EXPECT_EQ(stepTemporaries(adafactor, {table}),
              3 * 4 * 32000 * 1024 + 4 * 1024 * 264 * 128 + 4 * 1024);
}

TEST(StepTemporaries, TorchAoQuantisesBySearchWithoutCompile) {
    const StepTensor matrix{.elements = 1 << 20, .width = 2, .columns = 1024, .innermost = 1024};
    OptimizerSettings optimizer{
        .kind = OptimizerKind::AdamW8bit, .kernel = kLoop, .library = LowBitLibrary::TorchAo};
    EXPECT_EQ(stepTemporaries(optimizer, {matrix}), (16 + 41) * (1 << 20) + 4 * 4096);
}

// Blocks of 256: rows of 1024 are four of them, eight rows of 32 one, and 3.5 do not fit into a row
// of 896. A bias of 896 is too small to be quantised.
TEST(StepTemporaries, TorchAosCompiledStepKeepsWhatNoOneKernelCan) {
    const auto bytes = [](OptimizerKind kind, std::int64_t rows, std::int64_t columns) {
        const OptimizerSettings optimizer{
            .kind = kind, .kernel = OptimizerKernel::Foreach, .library = LowBitLibrary::TorchAo};
        return stepTemporaries(optimizer, {{.elements = rows * columns, .innermost = columns}});
    };
    EXPECT_EQ(bytes(OptimizerKind::AdamW8bit, 1024, 1024), 0);
    EXPECT_EQ(bytes(OptimizerKind::AdamW8bit, 4096, 32), 0);
    EXPECT_EQ(bytes(OptimizerKind::AdamW8bit, 1, 896), 0);
    EXPECT_EQ(bytes(OptimizerKind::AdamW8bit, 1024, 896), 2 * (4 * 1024 * 896 + 4 * 3584));
    EXPECT_EQ(bytes(OptimizerKind::AdamWFp8, 1024, 1024), 2 * 4 * 4096);
    EXPECT_EQ(bytes(OptimizerKind::AdamW4bit, 1024, 1024), 2 * (12 * (1 << 20) + 4 * 8192));
}

TEST(StepTemporaries, MuonOrthogonalisesOneMatrixAtATime) {
    const OptimizerSettings muon{.kind = OptimizerKind::Muon, .kernel = OptimizerKernel::Foreach};
    const StepTensor matrix{.elements = 2048 * 1024,
                            .width = 4,
                            .columns = 1024,
                            .innermost = 1024,
                            .hiddenMatrix = true};
    const StepTensor table{.elements = 1 << 26, .width = 4, .columns = 1024};
    // The update, two bf16 copies, two square products of the shorter side, a GEMM's workspace.
    EXPECT_EQ(stepTemporaries(muon, {matrix}),
              (4 + 2 * 2) * 2048 * 1024 + 2 * 2 * 1024 * 1024 + kGemmWorkspace);
    EXPECT_EQ(stepTemporaries(muon, {matrix, table}), 4LL << 26);
}

}  // namespace
}  // namespace fabricast
