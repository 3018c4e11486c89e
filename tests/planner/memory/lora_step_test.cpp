#include "planner/memory/check_memory.h"
#include "planner/memory/make_engines.h"
#include "planner/memory/program/ordered_stages.h"
#include "planner/memory/walk/step_walk.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

Scenario loraScenario() {
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
    settings.precision.autocast = true;
    settings.tuning = Tuning::Lora;
    settings.lora.rank = 4;
    return scenario;
}

void expectSettled(const Scenario& scenario, const std::string& what) {
    const auto program = stageProgram(scenario, 0);
    ASSERT_TRUE(program) << what;
    Device device;
    const auto engine = makeEngine(scenario, device, *program, {});
    ASSERT_TRUE(engine) << what;
    StepWalk walk(device, **engine, *program, scenario.settings.precision.autocast);
    const auto order = pipelineOrder(scenario, 0);
    walk.run(*order, *makeBoundary(scenario, device, *program, *order, 0));
    EXPECT_EQ(device.live(), walk.betweenSteps()) << what;
    EXPECT_GT(device.peak(), walk.betweenSteps()) << what;
}

// Whatever is quantised, dropped, decomposed or recomputed, every tensor of a step is freed by its
// end, and no byte twice.
TEST(LoraStep, EndsWithWhatItBeganWith) {
    for (const Dtype base : {Dtype::Bf16, Dtype::Fp32, Dtype::Nf4, Dtype::Int8}) {
        for (int variant = 0; variant < 32; ++variant) {
            Scenario scenario = loraScenario();
            LoraSettings& lora = scenario.settings.lora;
            lora.base = base;
            lora.dora = (variant & 1) != 0;
            lora.dropout = (variant & 2) != 0 ? 0.1 : 0;
            lora.preparedForKbit = (variant & 4) != 0;
            scenario.settings.precision.autocast = (variant & 8) != 0;
            scenario.settings.recompute.kind =
                (variant & 16) != 0 ? Checkpointing::Full : Checkpointing::None;
            expectSettled(scenario, "variant " + std::to_string(variant));
        }
    }
}

TEST(LoraStep, RefusesWhatItDoesNotModel) {
    const auto why = [](const auto& change) {
        Scenario scenario = loraScenario();
        change(scenario);
        const auto checked = checkLora(scenario);
        return checked ? std::string() : checked.error().text();
    };
    EXPECT_EQ(why([](Scenario&) {}), "");
    EXPECT_NE(why([](Scenario& s) { s.settings.lora.rank = 0; }).find("settings.lora.rank"),
              std::string::npos);
    EXPECT_NE(why([](Scenario& s) { s.settings.lora.targets = {"gates"}; }).find("gate"),
              std::string::npos);
    EXPECT_NE(why([](Scenario& s) { s.settings.lora.base = Dtype::Fp8; }).find("fp8"),
              std::string::npos);
    EXPECT_NE(why([](Scenario& s) { s.settings.lora.rank = s.model.hidden + 1; }).find("hidden"),
              std::string::npos);
    EXPECT_NE(why([](Scenario& s) { s.settings.lora.doubleQuantization = true; }).find("nf4"),
              std::string::npos);
    EXPECT_NE(why([](Scenario& s) {
                  s.model.mlp.kind = MlpKind::Plain;
                  s.settings.lora.targets = {"gate"};
              }).find("no gate"),
              std::string::npos);
    EXPECT_NE(why([](Scenario& s) { s.layout.tp = 2; }).find("layout.tp"), std::string::npos);
    EXPECT_EQ(why([](Scenario& s) { s.settings.engine = Engine::Fsdp2; }), "");
    EXPECT_NE(why([](Scenario& s) {
                  s.settings.engine = Engine::Fsdp2;
                  s.settings.lora.base = Dtype::Int8;
              }).find("a sharded base in int8"),
              std::string::npos);
    EXPECT_NE(why([](Scenario& s) { s.settings.kernels.code = ModelCode::Torch; }).find("torch's"),
              std::string::npos);
    EXPECT_NE(why([](Scenario& s) { s.settings.engine = Engine::DeepSpeed; }).find("DeepSpeed"),
              std::string::npos);
}

TEST(LoraStep, RefusesUnderShardedEnginesWhatTheyCannot) {
    const auto why = [](Engine engine, const auto& change) {
        Scenario scenario = loraScenario();
        scenario.settings.engine = engine;
        scenario.layout.shard = engine == Engine::DeepSpeed ? Shard::Zero3 : Shard::Fsdp;
        scenario.settings.lora.dtype = scenario.settings.precision.compute;
        scenario.settings.precision.parameters = scenario.settings.lora.dtype;
        change(scenario);
        const auto checked = checkLora(scenario);
        return checked ? std::string() : checked.error().text();
    };
    const auto dora = [](Scenario& s) { s.settings.lora.dora = true; };
    for (const Engine engine : {Engine::DeepSpeed, Engine::Fsdp1}) {
        EXPECT_EQ(why(engine, [](Scenario&) {}), "");
        EXPECT_EQ(why(engine, [](Scenario& s) { s.settings.lora.dropout = 0.1; }), "");
        EXPECT_EQ(why(engine, [](Scenario& s) { s.layout.offload = Offload::ParametersCpu; }), "");
    }
    EXPECT_EQ(why(Engine::DeepSpeed, dora), "");
    EXPECT_NE(why(Engine::Fsdp1, dora).find("lora.dora"), std::string::npos);
    EXPECT_NE(
        why(Engine::DeepSpeed, [](Scenario& s) { s.layout.offload = Offload::ParametersNvme; })
            .find("states on drives"),
        std::string::npos);
    EXPECT_NE(why(Engine::DeepSpeed,
                  [](Scenario& s) {
                      s.settings.lora.dora = true;
                      s.settings.recompute.kind = Checkpointing::Full;
                      s.settings.deepspeed.persistenceThreshold = 1;
                  })
                  .find("persistence_threshold"),
              std::string::npos);
    EXPECT_NE(why(Engine::Fsdp1,
                  [](Scenario& s) {
                      s.settings.lora.dtype = Dtype::Fp32;
                      s.settings.precision.autocast = false;
                  })
                  .find("same dtype"),
              std::string::npos);
    EXPECT_NE(
        why(Engine::Fsdp1, [](Scenario& s) { s.layout.shard = Shard::None; }).find("NO_SHARD"),
        std::string::npos);
}

/// Of layers that are the framework's own.
TEST(LoraStep, RefusesWhatWasNotRecordedOfFrameworks) {
    for (const ModelCode code : {ModelCode::TorchTitan, ModelCode::TransformerEngine}) {
        const auto why = [&](auto change) {
            Scenario scenario = loraScenario();
            scenario.settings.engine =
                code == ModelCode::TorchTitan ? Engine::Fsdp2 : Engine::Megatron;
            scenario.settings.kernels.code = code;
            scenario.layout.tp = 2;
            change(scenario);
            const auto checked = checkLora(scenario);
            return checked ? std::string() : checked.error().text();
        };
        EXPECT_EQ(why([](Scenario&) {}), "");
        EXPECT_NE(why([](Scenario& s) { s.model.moe = MoeSpec{}; }).find("beside experts"),
                  std::string::npos);
        EXPECT_NE(why([](Scenario& s) {
                      s.model.attention.kind = AttentionKind::Latent;
                  }).find("latent attention"),
                  std::string::npos);
        EXPECT_NE(why([](Scenario& s) {
                      s.settings.kernels.quantization = Quantization::Fp8Rowwise;
                  }).find("fp8_rowwise"),
                  std::string::npos);
        EXPECT_NE(why([](Scenario& s) {
                      s.layout.offload = Offload::OptimizerCpu;
                  }).find("layout.offload"),
                  std::string::npos);
        EXPECT_NE(why([](Scenario& s) { s.settings.lora.dora = true; }).find("DoRA"),
                  std::string::npos);
        EXPECT_NE(why([](Scenario& s) { s.settings.engine = Engine::MegatronFsdp; }).find("under"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace fabricast
