#include "planner/memory/walk/step_walk.h"

#include "planner/memory/engines/megatron/megatron_states.h"
#include "planner/memory/make_engines.h"
#include "planner/memory/program/ordered_stages.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>

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

/// Megatron's, of which each pass is walked operation by operation.
class WalkedEngine final : public ParallelEngine {
public:
    WalkedEngine(Device& device, MegatronStates states) : engine_(device, std::move(states)) {}
    [[nodiscard]] bool tiedWeightsAreOneTensor() const override { return true; }
    void holdStates() override { engine_.holdStates(); }
    void beginForward() override { engine_.beginForward(); }
    void beforeForward(int unit) override { engine_.beforeForward(unit); }
    void afterForward(int unit) override { engine_.afterForward(unit); }
    void beforeBackward(int unit) override { engine_.beforeBackward(unit); }
    void takeGradient(int unit, int weight, Storage gradient) override {
        engine_.takeGradient(unit, weight, gradient);
    }
    void afterBackward(int unit) override { engine_.afterBackward(unit); }
    void optimizerStep() override { engine_.optimizerStep(); }
    [[nodiscard]] std::int64_t gradientWidth() const override { return engine_.gradientWidth(); }
    void beginMicroStep(std::int64_t index, std::int64_t count) override {
        engine_.beginMicroStep(index, count);
    }

private:
    MegatronEngine engine_;
};

/// The device behind a step of a stage's rank.
template <class SomeEngine>
Device walkedWith(const Scenario& scenario, std::int64_t stage, const StageProgram& program) {
    Device device;
    SomeEngine engine(
        device, megatronStates(stageShape(scenario, stage).value(), program, {.stage = stage}));
    StepWalk walk(device, engine, program, false);
    const auto order = pipelineOrder(scenario, stage);
    EXPECT_TRUE(
        walk.run(*order, *makeBoundary(scenario, device, program, *order, stage)).has_value());
    return device;
}

void expectSameEvents(const Device& played, const Device& walked) {
    EXPECT_EQ(played.peak(), walked.peak());
    EXPECT_EQ(played.peakRounded(), walked.peakRounded());
    EXPECT_EQ(played.peakEvent(), walked.peakEvent());
    EXPECT_EQ(played.peakMoment(), walked.peakMoment());
    EXPECT_EQ(played.atPeak().bytes, walked.atPeak().bytes);
    ASSERT_EQ(played.events().size(), walked.events().size());
    for (std::size_t i = 0; i < played.events().size(); ++i) {
        const DeviceEvent& a = played.events()[i];
        const DeviceEvent& b = walked.events()[i];
        ASSERT_EQ(std::tie(a.storage, a.pool, a.kind, a.bytes, a.what),
                  std::tie(b.storage, b.pool, b.kind, b.bytes, b.what))
            << "event " << i;
    }
}

// What a segment did once is done again as it would be, whatever it is made of.
TEST_P(StepWalkTest, RepeatsPassesToTheEvent) {
    for (const bool sequenceParallel : {false, true}) {
        for (const bool hasExperts : {false, true}) {
            for (const std::int64_t chunks : {1, 2}) {
                for (const std::int64_t stage : {0, 1, 2}) {
                    Scenario scenario = megatronScenario(GetParam(), sequenceParallel);
                    scenario.model.layers = 12;
                    scenario.model.tiedEmbeddings = stage == 1;
                    if (hasExperts) {
                        scenario.model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 32};
                    }
                    scenario.layout.pp = 3;
                    scenario.layout.vpp = chunks;
                    scenario.layout.schedule =
                        chunks > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneFOneB;
                    scenario.workload.globalBatch = 12;
                    const auto program = stageProgram(scenario, stage);
                    ASSERT_TRUE(program) << program.error().text();
                    SCOPED_TRACE(std::to_string(chunks) + " chunks, stage " +
                                 std::to_string(stage) + (hasExperts ? ", experts" : ""));
                    expectSameEvents(walkedWith<MegatronEngine>(scenario, stage, *program),
                                     walkedWith<WalkedEngine>(scenario, stage, *program));
                }
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
