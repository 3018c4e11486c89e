#include "planner/launch/torchtune.h"
#include "planner/text/text_files.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

std::string tuneExample(const std::string& name) {
    return readTextFile(FABRICAST_SOURCE_DIR "/tests/cases/launch_files/examples/" + name).value();
}

/// A script that starts a recipe with a config.
LaunchFolder tuned(const std::string& recipe,
                   const std::string& config,
                   const std::string& behind = "",
                   const std::string& before = "") {
    return {{"run.sh", "tune run " + before + recipe + " --config a.yaml " + behind + "\n"},
            {"a.yaml", config}};
}

TEST(ImportOfTune, ReadsEveryExample) {
    const LaunchFolder folder = {{"tune.sh", tuneExample("tune.sh")},
                                 {"tune_full.yaml", tuneExample("tune_full.yaml")},
                                 {"tune_lora.yaml", tuneExample("tune_lora.yaml")},
                                 {"tune_qlora.yaml", tuneExample("tune_qlora.yaml")},
                                 {"tune_paged.yaml", tuneExample("tune_paged.yaml")}};
    for (const auto& [name, text] : folder) {
        const auto run = importedFrom(folder, name);
        ASSERT_TRUE(run) << name << ": " << run.error().text();
        for (const JsonValue& note : run->find("imported")->find("notes")->items()) {
            EXPECT_FALSE(note.text().value().starts_with("not looked at"))
                << name << ": " << note.text().value();
        }
    }
    EXPECT_EQ(readFrom(folder, "tune_full.yaml", "stack"), "\"fsdp2\"");
    EXPECT_EQ(readFrom(folder, "tune_full.yaml", "workload.sequence"), "8192");
    EXPECT_EQ(readFrom(folder, "tune_full.yaml", "workload.global_batch"), "\"8 per rank\"");
    EXPECT_EQ(readFrom(folder, "tune_full.yaml", "workload.precision"), "\"pure_bf16\"");
    EXPECT_EQ(readFrom(folder, "tune_full.yaml", "settings.kernels.loss"), "\"chunked\"");
    EXPECT_EQ(readFrom(folder, "tune.sh", "layout.dp"), "16");
    EXPECT_EQ(readFrom(folder, "tune.sh", "layout.micro_batch"), "2");
    EXPECT_EQ(readFrom(folder, "tune.sh", "settings.lora.rank"), "32");
    EXPECT_EQ(readFrom(folder, "tune.sh", "settings.lora.targets"), "\"q+v+gate+up+down\"");
    EXPECT_EQ(readFrom(folder, "tune.sh", "settings.lora.base"), "\"bf16\"");
}

// lora_finetune_single_device.py of 0.6.1: no wrapper around the model, and NF4 of torchao.
TEST(ImportOfTune, PutsOneDeviceUnderNoWrapper) {
    const LaunchFolder folder =
        tuned("lora_finetune_single_device", tuneExample("tune_qlora.yaml"));
    EXPECT_EQ(readFrom(folder, "run.sh", "stack"), "\"axolotl\"");
    EXPECT_EQ(readFrom(folder, "run.sh", "layout.shard"), "\"none\"");
    EXPECT_EQ(readFrom(folder, "run.sh", "layout.dp"), "1");
    EXPECT_EQ(readFrom(folder, "run.sh", "settings.lora.base"), "\"nf4\"");
    EXPECT_EQ(readFrom(folder, "run.sh", "settings.lora.double_quantization"), "true");
    EXPECT_EQ(readFrom(folder, "run.sh", "settings.lora.dtype"), "\"bf16\"");
    EXPECT_EQ(readFrom(folder, "run.sh", "settings.lora.targets"), "\"q+k+v+o+gate+up+down\"");
    EXPECT_EQ(readFrom(folder, "run.sh", "settings.kernels.loss"), "\"fp32_upcast\"");
    EXPECT_EQ(readFrom(folder, "run.sh", "layout.offload"), "-");  // beside adapters: said
    const LaunchFolder paged = tuned("full_finetune_single_device", tuneExample("tune_paged.yaml"));
    EXPECT_EQ(readFrom(paged, "run.sh", "workload.optimizer"), "\"paged_adamw_8bit\"");
}

TEST(ImportOfTune, ReadsWhatFsdp2DoesOtherwise) {
    const std::string config = tuneExample("tune_full.yaml");
    const auto read = [&config](const std::string& behind, const std::string& path) {
        return readFrom(tuned("full_finetune_distributed", config, behind, "--nproc_per_node 4 "),
                        "run.sh",
                        path);
    };
    EXPECT_EQ(read("", "layout.dp"), "4");
    EXPECT_EQ(read("", "settings.torch.sync"), "\"each_micro_batch\"");
    EXPECT_EQ(read("fsdp_cpu_offload=True", "layout.offload"), "\"parameters_cpu\"");
    EXPECT_EQ(read("fsdp_reshard_after_forward=False", "settings.torch.reshard"), "\"never\"");
    EXPECT_EQ(read("enable_activation_offloading=True", "layout.offload"), "\"activations\"");
    EXPECT_EQ(
        read("optimizer._component_=bitsandbytes.optim.PagedAdamW", "settings.precision.moments"),
        "\"fp32\"");
    EXPECT_EQ(read("dtype=fp16", "layout.dp"),
              "run.sh:1:71: dtype \"fp16\" is not trained in (bf16)");
    EXPECT_EQ(read("optimizer_in_bwd=True", "layout.dp").substr(0, 46),
              "run.sh:1:71: optimizer_in_bwd is not modelled ");
    EXPECT_EQ(
        read("enable_activation_offloading=True enable_activation_checkpointing=False", "layout.dp")
            .substr(0, 70),
        "run.sh:1:71: enable_activation_offloading needs enable_activation_chec");
}

// torchtune/config/_utils.py of 0.6.1: what has a _component_ takes its name from "model=…".
TEST(ImportOfTune, NamesComponentsByTheirSections) {
    const std::string config = tuneExample("tune_full.yaml");
    const auto read = [&config](const std::string& behind, const std::string& path) {
        return readFrom(tuned("full_finetune_distributed", config, behind, "--nproc_per_node 4 "),
                        "run.sh",
                        path);
    };
    EXPECT_EQ(read("model=torchtune.models.llama3_1.llama3_1_8b", "model"), "\"llama3.1-8b\"");
    EXPECT_EQ(read("model=torchtune.models.llama3_1.llama3_1_70b", "model"), "\"llama3.1-70b\"");
    EXPECT_EQ(read("optimizer=bitsandbytes.optim.PagedAdamW8bit optimizer.fused=False",
                   "workload.optimizer"),
              "\"paged_adamw_8bit\"");
    EXPECT_EQ(read("loss=torch.nn.CrossEntropyLoss", "settings.kernels.loss"), "\"fp32_upcast\"");
    EXPECT_EQ(read("loss=own.Loss", "layout.dp").substr(0, 53),
              "run.sh:1:71: loss._component_ \"own.Loss\" is not model");
}

TEST(ImportOfTune, LeavesOutWhatATildeRemoves) {
    const std::string config = tuneExample("tune_full.yaml") + "optimizer_in_bwd: True\n";
    const auto read = [&config](const std::string& behind, const std::string& path) {
        return readFrom(tuned("full_finetune_distributed", config, behind, "--nproc_per_node 4 "),
                        "run.sh",
                        path);
    };
    EXPECT_EQ(read("'~optimizer_in_bwd'", "layout.dp"), "4");
    EXPECT_EQ(read("~optimizer_in_bwd batch_size=3", "layout.micro_batch"), "3");
    EXPECT_EQ(read("~optimizer_in_bwd ~tokenizer.max_seq_len", "workload.sequence"), "-");
    EXPECT_EQ(read("~optimizer_in_bwd ~tokenizer", "layout.dp").substr(0, 60),
              "run.sh:1:89: ~tokenizer is a component, which torchtune remo");
    EXPECT_EQ(read("~optimizer_in_bwd packed", "layout.dp"),
              "run.sh:1:89: packed is no key and value (batch_size=2, or ~clip_grad_norm)");
}

// torchtune/config/_parse.py and _utils.py of 0.6.1.
TEST(ImportOfTune, RefusesWhatItsCommandLineDoes) {
    const std::string config = tuneExample("tune_full.yaml");
    const auto whyNot = [&config](const std::string& behind, const std::string& recipe) {
        return readFrom(
            tuned(recipe, config, behind, "--nproc_per_node 4 "), "run.sh", "layout.dp");
    };
    const std::string recipe = "full_finetune_distributed";
    EXPECT_EQ(whyNot("--batch_size=4", recipe),
              "run.sh:1:71: --batch_size is refused by torchtune, whose recipes take keys without "
              "dashes (batch_size=4)");
    EXPECT_EQ(whyNot("--batch_size 4", recipe).substr(0, 60),
              "run.sh:1:71: --batch_size is refused by torchtune, whose rec");
    EXPECT_EQ(whyNot("seed=1=2", recipe),
              "run.sh:1:71: seed is no key and value (batch_size=2, or ~clip_grad_norm)");
    EXPECT_EQ(whyNot("", "full_finetune_single_device"),
              "run.sh:1:10: torchrun --nproc_per_node is refused by tune run: "
              "full_finetune_single_device is not distributed (leave it out, or name the recipe "
              "that ends with _distributed)");
}

// OmegaConf 2.4 raises "found duplicate key".
TEST(ImportOfTune, RefusesAKeyThatStandsTwice) {
    const std::string config = tuneExample("tune_full.yaml") + "batch_size: 4\n";
    EXPECT_EQ(
        readFrom({{"a.yaml", config}}, "a.yaml", "layout.dp"),
        "a.yaml:18:1: batch_size is said again in line 33: its framework's loader takes no key "
        "twice (say it once)");
}

TEST(ImportOfTune, NamesTheLineOfAConfigThatIsNotThere) {
    EXPECT_EQ(readFrom({{"run.sh", "tune run lora_finetune_distributed --config no.yaml\n"}},
                       "run.sh",
                       "layout.dp")
                  .substr(0, 27),
              "run.sh:1:36: --config: no.y");
    EXPECT_EQ(
        readFrom({{"run.sh", "tune run lora_finetune_distributed --config mine\n"}},
                 "run.sh",
                 "layout.dp"),
        "run.sh:1:36: --config mine is no file, and no config of torchtune (tune ls lists its "
        "own: llama3_1/8B_full; a file ends with .yaml)");
}

TEST(ImportOfTune, RefusesOtherRecipesByName) {
    const auto whyNot = [](const std::string& line) {
        const std::string text = readFrom({{"run.sh", line}}, "run.sh", "layout.dp");
        return text.substr(0, text.find(" ("));
    };
    EXPECT_EQ(whyNot("tune run --nproc_per_node 4 lora_dpo_distributed --config a.yaml\n"),
              "run.sh:1:29: tune run lora_dpo_distributed is not modelled");
    EXPECT_EQ(whyNot("srun bash -c 'tune run own/recipe.py --config a.yaml'\n"),
              "run.sh:1:24: tune run own/recipe.py is not modelled");
    EXPECT_EQ(whyNot("tune run lora_finetune --config llama3_1/8B_lora\n"),
              "run.sh:1:10: \"lora_finetune\" is no recipe of torchtune 0.6");
    EXPECT_EQ(whyNot("tune run lora_finetune_distributed --config llama3_1/8B_lora\n"),
              "run.sh:1:36: --config llama3_1/8B_lora is a config that torchtune has itself");
    EXPECT_EQ(whyNot("tune run lora_finetune_distributed\n"), "run.sh:1:10: tune names no config");
}

// A builder is its family's, with the size behind it.
TEST(ImportOfTune, FindsTheModelByItsBuilder) {
    const ImportContext known{.read = {}, .layers = [](const std::string& name) {
                                  const bool isKnown = name == "llama3.1-8b" ||
                                                       name == "qwen2-0.5b" || name == "llama-2-7b";
                                  return isKnown ? std::optional(std::int64_t{8}) : std::nullopt;
                              }};
    const auto nameOf = [&known](const std::string& component) {
        return tuneModel("torchtune.models." + component, known).name;
    };
    EXPECT_EQ(nameOf("llama3_1.llama3_1_8b"), "llama3.1-8b");
    EXPECT_EQ(nameOf("llama3_1.qlora_llama3_1_8b"), "llama3.1-8b");
    EXPECT_EQ(nameOf("qwen2.lora_qwen2_0_5b"), "qwen2-0.5b");
    EXPECT_EQ(nameOf("qwen2.qwen2_0_5b_instruct"), "qwen2-0.5b");
    EXPECT_EQ(nameOf("llama2.llama2_7b"), "llama-2-7b");
    EXPECT_EQ(nameOf("llama3_2_vision.llama3_2_vision_11b"), "");
    EXPECT_EQ(nameOf("x"), "");
    EXPECT_EQ(tuneModel("", known).name, "");
    EXPECT_TRUE(tuneModel("torchtune.models.llama2.qlora_llama2_7b", known).quantizes);
    EXPECT_FALSE(tuneModel("torchtune.models.llama2.lora_llama2_7b", known).quantizes);
}

}  // namespace
}  // namespace fabricast
