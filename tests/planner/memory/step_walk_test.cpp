#include "planner/memory/walk/step_walk.h"

#include "planner/memory/engines/megatron/megatron_states.h"
#include "planner/memory/make_engines.h"
#include "planner/memory/program/ordered_stages.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

Scenario megatronScenario(const std::string& recompute, bool sequenceParallel) {
    Scenario scenario;
    ModelSpec& model = scenario.model;
    model.layers = 4;
    model.hidden = 64;
    model.vocab = 256;
    model.mlp.width = 192;
    model.attention = {.heads = 4, .kvHeads = 2, .headDim = 16};
    scenario.workload = {.sequence = 128, .globalBatch = 4};
    scenario.layout = {.dp = 2, .tp = sequenceParallel ? 2 : 1, .sp = sequenceParallel};
    Settings& settings = scenario.settings;
    settings.engine = Engine::Megatron;
    settings.kernels.code = ModelCode::Megatron;
    settings.precision = {.parameters = Dtype::Bf16, .masterWeights = true};
    if (recompute == "full") {
        settings.recompute.kind = Checkpointing::Full;
    } else if (recompute == "block") {
        settings.recompute = {.kind = Checkpointing::Block, .modules = {}, .layers = 2};
    } else if (recompute == "uniform") {
        settings.recompute = {.kind = Checkpointing::Full, .modules = {}, .layers = 2};
    } else if (recompute != "none") {
        settings.recompute = {.kind = Checkpointing::Modules, .modules = {recompute}};
    }
    return scenario;
}

class StepWalkTest : public testing::TestWithParam<std::string> {};

// Whatever is recomputed, every tensor of a step is freed by its end, and no byte twice.
TEST_P(StepWalkTest, EndsWithWhatItBeganWith) {
    for (const bool sequenceParallel : {false, true}) {
        const Scenario scenario = megatronScenario(GetParam(), sequenceParallel);
        const auto program = stageProgram(scenario, 0);
        ASSERT_TRUE(program) << program.error().text();
        Device device;
        MegatronEngine engine(device,
                              megatronStates(stageShape(scenario, 0).value(), *program, {}));
        StepWalk walk(device, engine, *program, false);
        const auto order = pipelineOrder(scenario, 0);
        walk.run(*order, *makeBoundary(scenario, device, *program, *order, 0));
        EXPECT_EQ(device.live(), walk.betweenSteps());
        EXPECT_GT(device.peak(), walk.betweenSteps());
    }
}

// So do the tensors between pipeline stages, regardless of their owner.
TEST(PipelineWalk, EndsWithWhatItBeganWith) {
    for (const std::int64_t chunks : {1, 2}) {
        for (const std::int64_t microBatches : {1, 2, 8}) {
            for (std::int64_t stage = 0; stage < 4; ++stage) {
                Scenario scenario = megatronScenario("none", false);
                scenario.model.layers = 8;
                scenario.layout.pp = 4;
                scenario.layout.vpp = chunks;
                scenario.layout.schedule =
                    chunks > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneFOneB;
                scenario.workload.globalBatch = 2 * microBatches;
                const auto program = stageProgram(scenario, stage);
                const auto order = pipelineOrder(scenario, stage);
                ASSERT_TRUE(program && order);
                Device device;
                MegatronEngine engine(
                    device,
                    megatronStates(
                        stageShape(scenario, stage).value(), *program, {.stage = stage}));
                StepWalk walk(device, engine, *program, false);
                walk.run(*order, *makeBoundary(scenario, device, *program, *order, stage));
                EXPECT_EQ(device.live(), walk.betweenSteps())
                    << chunks << " chunks, " << microBatches << " microbatches, stage " << stage;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    ,
    StepWalkTest,
    testing::Values("none", "full", "block", "uniform", "core_attn", "mlp", "layernorm"),
    [](const auto& test) { return test.param; });

}  // namespace
}  // namespace fabricast
