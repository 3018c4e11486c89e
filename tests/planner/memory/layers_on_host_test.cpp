#include "planner/memory/walk_stage.h"
#include "planner/ops/megatron_layer.h"
#include "planner/ops/packed_saves.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

Scenario offloadedRun(const std::string& stack, std::int64_t layers) {
    const Shard shard = stack == "megatron" ? Shard::Zero1 : Shard::Fsdp;
    Scenario run =
        exampleRun(stack, {.dp = 4, .tp = 2, .shard = shard, .offload = Offload::Activations});
    run.settings.megatron.offloadedLayers = layers;
    return run;
}

OpList layerOf(const Scenario& scenario) {
    return megatronLayer(scenario, 0).value();
}

std::string markedIn(const Scenario& scenario) {
    std::string names;
    for (const Op& op : layerOf(scenario).ops) {
        if (!op.toHost.empty()) {
            names += (names.empty() ? "" : " ") + std::string(op.name) + ":" +
                     std::to_string(op.toHost.size()) + "/" + std::to_string(op.saved.size());
        }
    }
    return names;
}

// What its modules and cuDNN's attention save; flash-attn saves its output and statistics itself,
// and the functions that exchange keys mark nothing.
TEST(LayersOnHost, MoveWhatTransformerEngineMarks) {
    Scenario run = offloadedRun("megatron", 0);
    EXPECT_EQ(markedIn(run),
              "rms_norm:2/2 linear_qkv:1/1 attention:6/6 linear_proj:1/1 rms_norm:2/2 "
              "linear_fc1:1/1 swiglu:1/1 linear_fc2:1/1");
    run.settings.kernels.attentionCode = AttentionCode::Flash2;
    EXPECT_NE(markedIn(run).find("attention:3/6"), std::string::npos) << markedIn(run);
    run.layout.cp = 2;
    run.layout.dp = 2;
    EXPECT_EQ(markedIn(run).find("attention"), std::string::npos) << markedIn(run);
    run.settings.kernels.code = ModelCode::Megatron;
    EXPECT_EQ(markedIn(run), "");
}

// The loss comes when all of them are on the host: the peak is lower by what each keeps, a storage
// once, but for the input of the first, for which the model's forward has a name. The host has what
// each saves, a tensor by itself.
TEST(LayersOnHost, AreNotOnTheDeviceWhenTheLossIs) {
    for (const std::string stack : {"megatron", "megatron-fsdp"}) {
        Scenario without = offloadedRun(stack, 0);
        without.layout.offload = Offload::None;
        const StageMemory all = walkStage(without, {}).value();
        ASSERT_EQ(all.peakAt, "forward of loss");
        for (const std::int64_t layers : {1, 8, 31}) {
            const Scenario run = offloadedRun(stack, layers);
            const StageMemory memory = walkStage(run, {}).value();
            const OpList layer = layerOf(run);
            EXPECT_EQ(memory.peakAt, "forward of loss");
            EXPECT_EQ((all.requested - memory.requested).count(),
                      layers * savedBytes(layer, true) - layer.tensor(layer.input).bytes)
                << stack << " " << layers;
            EXPECT_EQ(memory.host.count(), layers * markedBytes(layer)) << stack << " " << layers;
        }
    }
}

// Transformer Engine's handler has no window where no layer is moved.
TEST(LayersOnHost, AreAtMostAllButOne) {
    Scenario run = offloadedRun("megatron", 0);
    const Stack& stack = *findStack("megatron").value();
    EXPECT_TRUE(stack.check(run));
    run.model.layers = 1;
    EXPECT_FALSE(stack.check(run));
}

// flash-attn's own copies of its output stay, so that moving them for the product behind frees
// nothing.
TEST(LayersOnHost, FreeWhatNothingElseKeeps) {
    Scenario run = offloadedRun("megatron", 8);
    const StageMemory cudnn = walkStage(run, {}).value();
    run.settings.kernels.attentionCode = AttentionCode::Flash2;
    const StageMemory flash = walkStage(run, {}).value();
    std::int64_t stays = 0;
    for (const Op& op : layerOf(run).ops) {
        for (const TensorId id : op.kind == OpKind::Attention ? op.outputs : TensorIds{}) {
            stays += layerOf(run).tensor(id).bytes;
        }
    }
    EXPECT_EQ((flash.requested - cudnn.requested).count(), 8 * stays);
}

}  // namespace
}  // namespace fabricast
