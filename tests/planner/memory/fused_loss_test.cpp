#include "planner/memory/check_memory.h"
#include "planner/memory/run_phases.h"
#include "planner/memory/walk_stage.h"
#include "planner/stack/stack.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

Scenario fusedScenario(const std::string& stack, const std::string& family) {
    Scenario scenario;
    scenario.stack = stack;
    scenario.model.family = family;
    scenario.layout.dp = 8;
    scenario.settings = defaultSettings(*findStack(stack).value(), scenario.model, scenario.layout);
    scenario.settings.kernels.loss = LossKernel::Liger;
    return scenario;
}

std::string whyRefused(const Scenario& scenario) {
    const auto checked = checkModelled(scenario);
    return checked ? "" : checked.error().where + ": " + checked.error().why;
}

TEST(FusedLoss, IsForModelsThatLigerHas) {
    for (const char* const stack : {"ddp", "fsdp2", "deepspeed", "accelerate", "axolotl"}) {
        EXPECT_EQ(whyRefused(fusedScenario(stack, "llama")), "") << stack;
    }
    EXPECT_EQ(whyRefused(fusedScenario("ddp", "gpt2")),
              "settings.kernels.loss: Liger has no fused loss for transformers' \"gpt2\"");
    Scenario experts = fusedScenario("fsdp2", "mixtral");
    experts.model.moe = MoeSpec{};
    EXPECT_EQ(whyRefused(experts), "");
    EXPECT_EQ(whyRefused(fusedScenario("fsdp2", "deepseek_v3")),
              "settings.kernels.loss: the fused loss of Liger is not modelled for transformers' "
              "\"deepseek_v3\"");
}

TEST(FusedLoss, IsRefusedByNameWhereItIsNotModelled) {
    EXPECT_EQ(whyRefused(fusedScenario("torchtitan", "llama")),
              "settings.kernels.loss: liger is a loss of transformers' models, not of "
              "torchtitan's");
    Scenario split = fusedScenario("accelerate", "llama");
    split.layout.tp = 2;
    EXPECT_EQ(whyRefused(split), "layout.tp: the fused loss of Liger is not modelled with tp");
    Scenario host = fusedScenario("fsdp2", "llama");
    host.layout.offload = Offload::Activations;
    EXPECT_EQ(whyRefused(host),
              "layout.offload: the fused loss of Liger is not modelled beside activations on the "
              "host");
    Scenario reference = fusedScenario("fsdp2", "llama");
    reference.settings.reference = Reference::Whole;
    EXPECT_EQ(whyRefused(reference),
              "settings.kernels.loss: the fused loss of Liger is not modelled beside a reference "
              "model");
}

// Trainer says skip_logits where it asks for the loss alone; what else evaluates makes logits.
TEST(FusedLoss, IsEvaluatedByTheEagerOneUnlessATrainerSkipsTheLogits) {
    Scenario trainer = fusedScenario("accelerate", "llama");
    trainer.settings.phases.evaluationBatch = 2;
    EXPECT_EQ(whyRefused(trainer),
              "settings.kernels.loss: an evaluation is not modelled with a loss that is fused with "
              "the head");
    trainer.settings.phases.keptLogits = 1;
    EXPECT_EQ(whyRefused(trainer), "");
    Scenario axolotl = fusedScenario("axolotl", "llama");
    axolotl.settings.phases.evaluationBatch = 2;
    EXPECT_EQ(whyRefused(axolotl), "");
    EXPECT_EQ(evaluatedScenario(axolotl).settings.kernels.loss, LossKernel::HuggingFace);
}

Scenario smallFused(const char* stack) {
    Scenario fused = fusedScenario(stack, "llama");
    fused.model.layers = 2;
    fused.model.hidden = 64;
    fused.model.vocab = 4096;
    fused.model.mlp.width = 192;
    fused.model.attention = {.heads = 4, .kvHeads = 2, .headDim = 16};
    fused.workload = {.sequence = 512, .globalBatch = 8};
    return fused;
}

// Two ranks have half of a sequence each: what the loss saves them is what it saves of half as long
// a sequence.
TEST(FusedLoss, IsOfTheRowsThatARankHasOfASequence) {
    const auto saved = [](std::int64_t sequence, std::int64_t cp) {
        Scenario fused = smallFused("accelerate");
        fused.layout = {.dp = 8 / cp, .cp = cp, .shard = Shard::Fsdp};
        fused.workload = {.sequence = sequence, .globalBatch = 8 / cp};
        Scenario eager = fused;
        eager.settings.kernels.loss = LossKernel::HuggingFace;
        return walkStage(eager, {}).value().requested - walkStage(fused, {}).value().requested;
    };
    EXPECT_GT(saved(16384, 1), Bytes(16384 * 4096 * 4));  // more than once the logits in fp32
    EXPECT_EQ(saved(32768, 2), saved(16384, 1));
}

TEST(FusedLoss, TakesOfAnEvaluationWhatTheEagerOneTakes) {
    Scenario fused = smallFused("ddp");
    fused.settings.phases.evaluationBatch = 8;
    Scenario eager = fused;
    eager.settings.kernels.loss = LossKernel::HuggingFace;
    const auto ofFused = walkStage(fused, {});
    const auto ofEager = walkStage(eager, {});
    ASSERT_TRUE(ofFused && ofEager);
    ASSERT_EQ(ofFused->phases.back().name, "evaluation");
    EXPECT_EQ(ofFused->phases.back().requested, ofEager->phases.back().requested);
    EXPECT_LT(ofFused->phases.front().requested, ofFused->phases.back().requested);
}

TEST(LigerKernels, AreRefusedByNameWhereTheyAreNotModelled) {
    Scenario layers = fusedScenario("ddp", "llama");
    layers.settings.kernels.loss = LossKernel::HuggingFace;
    layers.settings.kernels.norm = NormKernel::Liger;
    layers.settings.kernels.activation = ActivationKernel::Liger;
    EXPECT_EQ(whyRefused(layers), "");
    layers.model.family = "phi";
    EXPECT_EQ(whyRefused(layers),
              "settings.kernels.norm: Liger has no norm for transformers' \"phi\"");
    Scenario split = fusedScenario("accelerate", "llama");
    split.settings.kernels.loss = LossKernel::HuggingFace;
    split.settings.kernels.rope = RopeKernel::Liger;
    split.layout.cp = 2;
    EXPECT_EQ(whyRefused(split), "");  // of the rows and heads that a rank has
    split.settings.kernels.loss = LossKernel::Liger;
    EXPECT_EQ(whyRefused(split), "");
    Scenario titan = fusedScenario("torchtitan", "llama");
    titan.settings.kernels.loss = LossKernel::Chunked;
    titan.settings.kernels.activation = ActivationKernel::Liger;
    EXPECT_EQ(whyRefused(titan),
              "settings.kernels.activation: liger is a kernel of transformers' models, not of "
              "torchtitan's");
}

// Norms and positions are those of dense layers; its activation multiplies the experts, too, but
// for gpt-oss, whose MLP it leaves alone.
TEST(LigerKernels, OfModelsWithExpertsAreRefusedForTheExpertsAlone) {
    Scenario experts = fusedScenario("axolotl", "qwen3_moe");
    experts.model.moe = MoeSpec{};
    experts.settings.kernels.norm = NormKernel::Liger;
    experts.settings.kernels.rope = RopeKernel::Liger;
    EXPECT_EQ(whyRefused(experts), "");
    experts.layout.tp = 2;
    experts.settings.kernels.loss = LossKernel::HuggingFace;
    EXPECT_EQ(whyRefused(experts), "");
    experts.settings.kernels.activation = ActivationKernel::Liger;
    EXPECT_EQ(whyRefused(experts),
              "settings.kernels.activation: the activation of Liger is not modelled of experts, "
              "whose products are its kernels too");
    experts.model.family = "gpt_oss";
    EXPECT_EQ(whyRefused(experts), "");
}

}  // namespace
}  // namespace fabricast
