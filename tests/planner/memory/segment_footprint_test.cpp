#include "planner/memory/walk/saved_values.h"
#include "planner/ops/layer_segment.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

Scenario smallScenario() {
    Scenario scenario;
    ModelSpec& model = scenario.model;
    model.layers = 3;
    model.hidden = 64;
    model.vocab = 256;
    model.mlp.width = 192;
    model.attention = {.heads = 4, .kvHeads = 2, .headDim = 16};
    scenario.workload = {.sequence = 128, .globalBatch = 2};
    Settings& settings = scenario.settings;
    settings.engine = Engine::Local;
    settings.kernels = {.code = ModelCode::HuggingFace,
                        .norm = NormKernel::Fp32,
                        .rope = RopeKernel::CosSin,
                        .loss = LossKernel::HuggingFace};
    return scenario;
}

/// What a layer keeps is known when its forward is done.
TEST(SegmentFootprint, KeepsTheSameWithoutABackward) {
    const Result<LayerOps> layers = layerOps(smallScenario());
    ASSERT_TRUE(layers && layers->dense);
    for (const Checkpointing kind :
         {Checkpointing::None, Checkpointing::Selective, Checkpointing::Full}) {
        for (const bool reentrant : {false, true}) {
            for (const bool autocast : {false, true}) {
                const SegmentCheckpoint checkpoint{kind, reentrant, autocast};
                const SegmentFootprint whole = segmentFootprint(*layers->dense, checkpoint);
                EXPECT_EQ(keptBySegment(*layers->dense, checkpoint), whole.kept);
                EXPECT_GT(whole.kept, 0);
                EXPECT_GT(whole.backward, whole.kept);
            }
        }
    }
}

}  // namespace
}  // namespace fabricast
