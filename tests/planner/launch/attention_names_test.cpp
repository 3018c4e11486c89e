#include "planner/launch/import_launch.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

/// The stack of a file and what its adapters are of, or why nothing is read.
std::string attentionRead(const std::string& text, const std::string& source) {
    const auto read = [](const std::string& name) -> Result<std::string> {
        return name == "a.yaml"
                   ? Result<std::string>(std::string("base_model: a/b\nmicro_batch_size: 1\n"))
                   : Result<std::string>(fail(Error::Code::NotFound, name, "is not there"));
    };
    const auto run = importLaunch(text, source, {.read = read, .layers = {}});
    if (!run) {
        return run.error().text();
    }
    const JsonValue* const settings = run->find("settings");
    const JsonValue* const lora = settings == nullptr ? nullptr : settings->find("lora");
    const JsonValue* const targets = lora == nullptr ? nullptr : lora->find("targets");
    return run->find("stack")->text().value() +
           (targets == nullptr ? "" : " " + targets->text().value());
}

/// What is said of a plan for this GPU whose attention is of this kernel.
std::string attentionRefused(Scenario scenario, const char* family, AttentionCode code) {
    scenario.cluster.node.gpu.family = family;
    scenario.settings.kernels.attentionCode = code;
    const LaunchTarget& target = **findLaunchTarget(scenario.stack);
    const auto launch = launchFiles(target, factsOf(scenario, std::string(target.newest)));
    return launch ? "" : launch.error().text();
}

TEST(AttentionNames, AreThoseThatTransformersHas) {
    const std::string yaml = "base_model: a/b\nfsdp_version: 2\nattn_implementation: ";
    EXPECT_EQ(
        attentionRead(yaml + "flashy\n", "x.yaml"),
        "x.yaml:3:1: attn_implementation \"flashy\" is not an attention of transformers "
        "(flash_attention_2, flash_attention_3, sdpa, eager, flex_attention, or a kernel of the "
        "Hub)");
    for (const char* const name :
         {"flash_attention_2", "flash_attention_3", "flex_attention", "owner/kernel", "sage"}) {
        EXPECT_EQ(attentionRead(yaml + name + "\n", "x.yaml"), "axolotl") << name;
    }
    EXPECT_NE(attentionRead("torchrun --nproc_per_node 8 sft.py --output_dir o "
                            "--attn_implementation flash3\n",
                            "x.sh")
                  .find("x.sh:1:51: --attn_implementation \"flash3\" is not an attention"),
              std::string::npos);
}

TEST(AttentionNames, OfAnotherGpusKernelAreRefused) {
    for (const char* const stack : {"fsdp2", "accelerate", "axolotl"}) {
        const Scenario scenario = layoutsOf(stack, "llama-3.1-8b").front();
        EXPECT_EQ(attentionRefused(scenario, "Hopper", AttentionCode::Flash3), "") << stack;
        EXPECT_EQ(attentionRefused(scenario, "Ampere", AttentionCode::Flash2), "") << stack;
        const std::string refused = attentionRefused(scenario, "Ampere", AttentionCode::Flash3);
        EXPECT_NE(refused.find("flash_attention_3 runs on Hopper alone"), std::string::npos)
            << stack << refused;
        EXPECT_NE(refused.find("--set settings.kernels.attention_code=flash2"), std::string::npos)
            << stack << refused;
    }
}

TEST(AttentionNames, AreNoListWhereAdaptersHaveParametersAlone) {
    const std::string yaml =
        "base_model: a/b\nfsdp_version: 2\nadapter: lora\nlora_r: 8\nlora_target_modules: []\n"
        "lora_target_parameters: [mlp.experts.gate_up_proj, mlp.experts.down_proj]\n";
    EXPECT_EQ(attentionRead(yaml, "x.yaml"), "axolotl experts");
}

// `axolotl preprocess` alone starts no training; a script that also trains is read for that.
TEST(CommandsOfAxolotl, ThatTrainNothingAreRefusedByName) {
    EXPECT_EQ(attentionRead("axolotl preprocess a.yaml\n", "x.sh"),
              "x.sh:1:9: axolotl preprocess does not train (a script that calls axolotl train, or "
              "its YAML)");
    EXPECT_EQ(attentionRead("axolotl preprocess a.yaml --debug\naxolotl train a.yaml\n", "x.sh"),
              "axolotl");
}

TEST(FilesOfOthers, AreRefusedByName) {
    EXPECT_EQ(attentionRead("pip list\nllamafactory-cli train a.yaml\n", "x.sh"),
              "x.sh:2:1: llamafactory-cli is of LLaMA-Factory, whose files are not read (its "
              "arguments in a script, with DeepSpeed's or Accelerate's file)");
    EXPECT_EQ(
        attentionRead("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n", "job.yaml"),
        "job.yaml: is a job of Kubernetes, which is not read (the files that its command starts, "
        "as run.sh)");
}

}  // namespace
}  // namespace fabricast
