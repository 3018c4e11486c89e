#include "planner/memory/stage_walks.h"
#include "planner/memory/walk_stage.h"
#include "planner/ops/embedding_and_head.h"
#include "planner/ops/packed_saves.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

constexpr std::int64_t kInput = std::int64_t{8192} * 4096 * 2;  ///< of a layer
constexpr std::int64_t kLayers = 32;

Scenario axolotlRun(Offload offload, bool aside) {
    Scenario run = exampleRun("axolotl", {.dp = 1, .offload = offload});
    run.workload.globalBatch = 1;
    run.settings.recompute.kind = Checkpointing::Full;
    run.settings.torch.offloadStream = aside;
    return run;
}

std::int64_t hostBytes(bool aside) {
    return walkStage(axolotlRun(Offload::Activations, aside), {}).value().host.count();
}

/// The most of the forward.
std::int64_t forwardPeak(Offload offload, bool aside) {
    const Scenario run = axolotlRun(offload, aside);
    const PipelineOrder order = pipelineOrder(run, 0).value();
    const MemoryMarks marks = walkMarks(run, 0, {order}).value();
    Bytes sum{0};
    for (const MemoryKind kind : {MemoryKind::Activations, MemoryKind::Loss}) {
        sum += marks.actions.front().high.of(kind);
    }
    return sum.count();
}

// No parameters, and nothing of the head: inputs of layers, and what embedding, norm and loss save.
TEST(TrlOffload, MovesWhatIsSavedOutsideCheckpointsAndTheHead) {
    const Scenario run = axolotlRun(Offload::Activations, false);
    const std::int64_t loss = packedBytes(lossSegment(run), 0);
    const std::int64_t rest =
        packedBytes(embeddingSegment(run), 0) + packedBytes(finalNormSegment(run), 0);
    EXPECT_EQ(hostBytes(false), kLayers * kInput + rest + loss);
    // With a stream what two nodes save stays where it is for the second: the log-probabilities.
    const std::int64_t logProbabilities = std::int64_t{8192} * 128256 * 4;
    EXPECT_LT(hostBytes(true), hostBytes(false) - logProbabilities + 1);
    EXPECT_GT(hostBytes(true), kLayers * kInput + logProbabilities);
}

// The last five tensors wait for their copies; at the loss of each layer's input none is left.
TEST(TrlOffload, FreesInputsOfLayersInForward) {
    const std::int64_t plain = forwardPeak(Offload::None, true);
    const std::int64_t inLine = forwardPeak(Offload::Activations, false);
    const std::int64_t aside = forwardPeak(Offload::Activations, true);
    EXPECT_GE(plain - inLine, kLayers * kInput) << plain << " " << inLine << " " << aside;
    EXPECT_GT(aside, inLine);
    EXPECT_LT(aside, inLine + 5 * 2 * kInput);
}

}  // namespace
}  // namespace fabricast
