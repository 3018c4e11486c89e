#include "planner/launch/import_launch.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

/// What is read of settings.lora.targets where "peft" says this, or why nothing was.
std::string nemoTargets(const std::string& peft) {
    const auto noFile = [](const std::string& name) -> Result<std::string> {
        return fail(Error::Code::NotFound, name, "is not there");
    };
    const auto layers = [](const std::string&) { return std::optional(std::int64_t{8}); };
    const auto run = importLaunch(
        "trainer: {devices: 8}\nmodel:\n"
        "  tensor_model_parallel_size: 1\n  micro_batch_size: 1\n"
        "  global_batch_size: 8\n  peft: " +
            peft + "\n",
        "gpt.yaml",
        {.read = noFile, .layers = layers});
    if (!run) {
        return run.error().text();
    }
    const JsonValue* const settings = run->find("settings");
    const JsonValue* const lora = settings == nullptr ? nullptr : settings->find("lora");
    return lora == nullptr ? "-" : lora->find("targets")->text().value();
}

TEST(ImportOfNemo, ReadsTargetModulesByItsNames) {
    const auto of = [](const std::string& modules) {
        return nemoTargets(
            "{peft_scheme: lora, lora_tuning: {adapter_dim: 8, target_modules: " + modules + "}}");
    };
    EXPECT_EQ(nemoTargets("{peft_scheme: lora, lora_tuning: {adapter_dim: 8}}"), "q+k+v");
    EXPECT_EQ(of("[attention_qkv]"), "q+k+v");
    EXPECT_EQ(of("[attention_dense, mlp_fc2]"), "o+down");
    EXPECT_EQ(of("[attention]"), "q+k+v+o");
    EXPECT_EQ(of("[mlp, mlp_fc1]"), "gate+up+down");
    EXPECT_EQ(of("[all]"), "q+k+v+o+gate+up+down");
    EXPECT_EQ(of("[q_proj]"),
              "gpt.yaml:6:59: model.peft.lora_tuning.target_modules \"q_proj\" is not modelled "
              "(attention_qkv, attention_dense, mlp_fc1, mlp_fc2, attention, mlp or all)");
}

// The usual number of layers is a formula: all but the last.
TEST(ImportOfNemo, ReadsActivationsOnTheHost) {
    const auto offloadOf = [](const std::string& more) {
        const auto noFile = [](const std::string& name) -> Result<std::string> {
            return fail(Error::Code::NotFound, name, "is not there");
        };
        const auto run = importLaunch(
                             "trainer: {devices: 8}\nmodel:\n"
                             "  tensor_model_parallel_size: 1\n  micro_batch_size: 1\n"
                             "  global_batch_size: 8\n  num_layers: 32\n" +
                                 more,
                             "gpt.yaml",
                             {.read = noFile, .layers = {}})
                             .value();
        const JsonValue* const offload = run.find("layout")->find("offload");
        return offload == nullptr ? "-" : offload->text().value() + " " + offload->where();
    };
    EXPECT_EQ(offloadOf("  cpu_offloading: False\n  cpu_offloading_num_layers: 31\n"), "-");
    EXPECT_EQ(offloadOf("  cpu_offloading: True\n"
                        "  cpu_offloading_num_layers: ${sum:${.num_layers},-1}\n"),
              "activations gpt.yaml:7:3");
    EXPECT_EQ(offloadOf("  cpu_offloading: True\n  cpu_offloading_num_layers: 4\n"),
              "activations gpt.yaml:7:3");
    EXPECT_EQ(offloadOf("  cpu_offloading: True\n  cpu_offloading_num_layers: 4\n"
                        "  cpu_offloading_activations: False\n"),
              "-");
}

// Where nothing starts a program of NeMo 2 its Trainer says how many ranks there are.
TEST(ImportOfNemo, ReadsTheRanksOfItsTrainer) {
    const auto ranks = [](const std::string& trainer) {
        const auto noFile = [](const std::string& name) -> Result<std::string> {
            return fail(Error::Code::NotFound, name, "is not there");
        };
        const auto run = importLaunch(
            "trainer = nl.Trainer(" + trainer +
                ", strategy=nl.MegatronStrategy(tensor_model_parallel_size=2))\n"
                "data = llm.MockDataModule(micro_batch_size=1, global_batch_size=16)\n",
            "train.py",
            {.read = noFile, .layers = {}});
        const JsonValue* const dp = run ? run->find("layout")->find("dp") : nullptr;
        return run ? dp == nullptr ? "-" : dp->shown() + " " + dp->where() : run.error().text();
    };
    EXPECT_EQ(ranks("devices=8, num_nodes=2"), "8 train.py:1:33");
    EXPECT_EQ(ranks("devices=8"), "4 train.py:1:22");
    EXPECT_EQ(ranks("devices=-1, num_nodes=2"), "-");
    EXPECT_EQ(ranks("devices=GPUS"), "-");
}

TEST(ImportOfNemo, RefusesOtherTuning) {
    EXPECT_EQ(nemoTargets("{peft_scheme: null}"), "-");
    EXPECT_EQ(
        nemoTargets("{peft_scheme: qlora}"),
        "gpt.yaml:6:10: model.peft.peft_scheme qlora is not modelled: NeMo's base is forecast "
        "in 16 bits (lora; --stack axolotl --tuning qlora asks for 4 bits)");
    EXPECT_EQ(nemoTargets("{peft_scheme: ptuning}"),
              "gpt.yaml:6:10: model.peft.peft_scheme is not modelled (lora, or null: all weights "
              "are trained)");
    EXPECT_EQ(nemoTargets("{peft_scheme: lora, lora_tuning: {layer_selection: [1, 2]}}"),
              "gpt.yaml:6:43: model.peft.lora_tuning.layer_selection is not modelled (adapters of "
              "every layer: leave it out)");
}

}  // namespace
}  // namespace fabricast
