#include "planner/memory/engines/torch/torch_boundary.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

constexpr std::int64_t kBytes = 1000;

/// A stage in the middle, or at the end, of a pipeline that passes tensors of 1000 bytes on.
class TorchBoundaryTest : public testing::Test {
protected:
    static StageProgram stage(bool last) {
        StageProgram program;
        program.chunks.push_back({.receivedBytes = kBytes, .sentBytes = last ? 0 : kBytes});
        return program;
    }
    /// A forward whose pass keeps nothing of its own.
    void forward(TorchBoundary& boundary, std::int64_t microBatch, bool last = false) {
        const PipelineAction action{true, 0, microBatch};
        device_.release(boundary.input(action));
        boundary.takeOutput(action,
                            last ? kNoStorage : device_.take(kBytes, MemoryKind::Activations));
    }
    void backward(TorchBoundary& boundary, std::int64_t microBatch, bool last = false) {
        const PipelineAction action{false, 0, microBatch};
        const Storage received = boundary.outputGradient(action);
        if (!last) {
            device_.release(received);
        }
        boundary.takeInputGradient(action, device_.take(kBytes, MemoryKind::Backward));
    }
    [[nodiscard]] std::int64_t tensors() const { return device_.live() / kBytes; }
    Device device_;
};

// What was received stays with its pass; what was sent until the next pass, in either direction.
TEST_F(TorchBoundaryTest, OneFOneBHoldsTheLastThingSent) {
    const StageProgram program = stage(false);
    TorchBoundary boundary(device_, program, {.sends = TorchSends::OneFOneB});
    forward(boundary, 0);
    EXPECT_EQ(tensors(), 2);
    forward(boundary, 1);
    EXPECT_EQ(tensors(), 3);
    backward(boundary, 0);
    EXPECT_EQ(tensors(), 2);
    backward(boundary, 1);
    EXPECT_EQ(tensors(), 1);
    boundary.end();
    EXPECT_EQ(tensors(), 0);
}

TEST_F(TorchBoundaryTest, GpipeHoldsAllOutputsUntilTheFirstBackward) {
    const StageProgram program = stage(false);
    TorchBoundary boundary(device_, program, {.sends = TorchSends::Gpipe});
    forward(boundary, 0);
    forward(boundary, 1);
    EXPECT_EQ(tensors(), 4);
    backward(boundary, 0);
    EXPECT_EQ(tensors(), 2);
    boundary.end();
    EXPECT_EQ(tensors(), 0);
}

// The runtime lets go of an output when its own backward is done, of gradients when the step is.
TEST_F(TorchBoundaryTest, TheRuntimeHoldsGradientsUntilTheEnd) {
    const StageProgram program = stage(false);
    TorchBoundary boundary(device_, program, {.sends = TorchSends::Runtime});
    forward(boundary, 0);
    forward(boundary, 1);
    backward(boundary, 0);
    EXPECT_EQ(tensors(), 3);
    backward(boundary, 1);
    EXPECT_EQ(tensors(), 2);
    boundary.end();
    EXPECT_EQ(tensors(), 0);
}

// Losses lead to their inputs: on the last stage those stay, of the microbatches not walked too.
TEST_F(TorchBoundaryTest, TheLastStageKeepsWhatItReceived) {
    const StageProgram program = stage(true);
    TorchBoundary boundary(device_, program, {.sends = TorchSends::OneFOneB, .further = 5});
    boundary.hold();
    boundary.beforeAction(0);
    EXPECT_EQ(tensors(), 5);
    for (const std::int64_t microBatch : {0, 1}) {
        forward(boundary, microBatch, true);
        backward(boundary, microBatch, true);
    }
    EXPECT_EQ(tensors(), 5 + 2 + 1);
    boundary.end();
    EXPECT_EQ(tensors(), 0);
}

}  // namespace
}  // namespace fabricast
