#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

using TrlFolder = LaunchFolder;

std::string firstOfTrl(const TrlFolder& folder) {
    return folder.contains("run.sh") ? "run.sh" : folder.begin()->first;
}

std::string trlRead(const TrlFolder& folder, const std::string& path) {
    return readFrom(folder, firstOfTrl(folder), path);
}

const std::string kTrl = "trl sft --model_name_or_path a/b --output_dir o ";

// Trainer makes no optimizer where DeepSpeed's file has one.
TEST(ImportOfTrl, TakesDeepspeedsOwnOptimizer) {
    const std::string run =
        "deepspeed --num_gpus 8 t.py --output_dir o --bf16 --deepspeed ds.json "
        "--optim paged_adamw_8bit\n";
    const std::string zero = R"("zero_optimization": {"stage": 2}})";
    EXPECT_EQ(trlRead({{"run.sh", run}, {"ds.json", "{" + zero}}, "workload.optimizer"),
              "\"paged_adamw_8bit\"");
    EXPECT_EQ(trlRead({{"run.sh", run}, {"ds.json", R"({"optimizer": {"type": "AdamW"}, )" + zero}},
                      "workload.optimizer"),
              "-");
}

// TRL 1.16: SFTConfig, scripts/sft.py and cli/accelerate_config.py.
TEST(ImportOfTrl, HasItsDefaults) {
    const TrlFolder run = {{"run.sh", kTrl}};
    EXPECT_EQ(trlRead(run, "workload.precision"), "\"bf16\"");
    EXPECT_EQ(trlRead(run, "workload.sequence"), "1024");
    EXPECT_EQ(trlRead(run, "layout.recompute"), "\"full\"");
    EXPECT_EQ(trlRead(run, "layout.micro_batch"), "8");
    const TrlFolder said = {
        {"run.sh",
         kTrl + "--bf16 False --gradient_checkpointing False --max_length 4096 --num_processes 4"}};
    EXPECT_EQ(trlRead(said, "workload.precision"), "\"fp32\"");
    EXPECT_EQ(trlRead(said, "workload.sequence"), "4096");
    EXPECT_EQ(trlRead(said, "layout.recompute"), "\"none\"");
    EXPECT_EQ(trlRead(said, "layout.dp"), "4");
    const TrlFolder program = {
        {"a.py",
         "t = SFTTrainer(model=\"a/b\", args=SFTConfig(\"o\"), peft_config=LoraConfig())\n"}};
    EXPECT_EQ(trlRead(program, "model"), "\"a/b\"");
    EXPECT_EQ(trlRead(program, "workload.precision"), "\"bf16\"");
    EXPECT_EQ(trlRead(program, "settings.lora.base"), "\"fp32\"");
    const TrlFolder typed = {{"a.py",
                              "t = SFTTrainer(\"a/b\", args=SFTConfig(\"o\", "
                              "model_init_kwargs={\"dtype\": \"bfloat16\"}),\n"
                              "  peft_config=LoraConfig())\n"}};
    EXPECT_EQ(trlRead(typed, "settings.lora.base"), "\"bf16\"");
    // Trainer itself has both off, and weights in the checkpoint's type.
    EXPECT_EQ(trlRead({{"a.py", "a = TrainingArguments(\"o\")\n"}}, "workload.precision"),
              "\"pure_bf16\"");
}

// What it gives to from_pretrained is looked at item by item.
TEST(ImportOfTrl, SaysWhichDictionaryOfAModelIsNotRead) {
    const auto notesOf = [](const std::string& items) {
        const TrlFolder run = {
            {"a.py",
             "t = SFTTrainer(\"a/b\", args=SFTConfig(\"o\", model_init_kwargs={" + items +
                 "}))\n"}};
        std::string notes;
        const auto scenario = importedFrom(run, "a.py");
        EXPECT_TRUE(scenario);
        for (const JsonValue& one : scenario->find("imported")->find("notes")->items()) {
            notes += one.text().value_or("") + "\n";
        }
        return notes;
    };
    const std::string unread = "not looked at: --model_init_kwargs";
    EXPECT_EQ(notesOf("\"dtype\": \"bfloat16\"").find(unread), std::string::npos);
    EXPECT_EQ(notesOf("\"attn_implementation\": \"eager\"").find(unread), std::string::npos);
    EXPECT_NE(notesOf("\"dtype\": \"bfloat16\", \"x_y\": 1").find(unread), std::string::npos);
}

// A copy of its sft.py, named alone, is started with the same defaults.
TEST(ImportOfTrl, KnowsItsScriptByName) {
    const std::string typed = "--model_name_or_path a/b --dataset_name c/d --output_dir o\n";
    const TrlFolder copy = {{"run.sh", "accelerate launch --num_processes 8 sft.py " + typed}};
    EXPECT_EQ(trlRead(copy, "workload.sequence"), "1024");
    EXPECT_EQ(trlRead(copy, "layout.recompute"), "\"full\"");
    EXPECT_EQ(trlRead(copy, "workload.precision"), "\"bf16\"");
    const TrlFolder other = {{"run.sh", "accelerate launch --num_processes 8 train.py " + typed}};
    EXPECT_EQ(trlRead(other, "layout.recompute"), "-");
}

TEST(ImportOfTrl, ReadsTheFilesThatItNames) {
    const TrlFolder run = {
        {"run.sh", "trl sft --config sft.yaml --per_device_train_batch_size 4 --num_processes 2"},
        {"sft.yaml",
         "model_name_or_path: a/b\nper_device_train_batch_size: 2\nmax_length: 2048\n"
         "accelerate_config: zero3\n"}};
    EXPECT_EQ(trlRead(run, "model"), "\"a/b\"");
    EXPECT_EQ(trlRead(run, "layout.micro_batch"), "4");
    EXPECT_EQ(trlRead(run, "workload.sequence"), "2048");
    EXPECT_EQ(trlRead(run, "layout.shard"), "\"zero3\"");
    EXPECT_EQ(trlRead(run, "layout.dp"), "2");
    EXPECT_EQ(trlRead({{"run.sh", kTrl + "--accelerate_config fsdp2"}}, "layout.dp"), "8");
    EXPECT_EQ(trlRead({{"run.sh", kTrl + "--accelerate_config own.yaml"},
                       {"own.yaml", "distributed_type: MULTI_GPU\nnum_processes: 3\n"}},
                      "layout.dp"),
              "3");
    EXPECT_EQ(trlRead({{"run.sh", kTrl + "--accelerate_config zero9"}}, "layout.dp"),
              "run.sh:1:49: accelerate launch --config_file trl/accelerate_configs/zero9.yaml: TRL "
              "has no "
              "such file (--accelerate_config fsdp1, fsdp2, multi_gpu, single_gpu, zero1, zero2, "
              "zero3, or a YAML file)");
}

// DeepSpeed casts the model that it is given, where others keep what was loaded.
TEST(ImportOfTrl, KnowsTheTypeOfAFrozenBase) {
    EXPECT_EQ(trlRead({{"run.sh", kTrl + "--use_peft"}}, "settings.lora.base"), "\"fp32\"");
    EXPECT_EQ(
        trlRead({{"run.sh", kTrl + "--use_peft --accelerate_config zero2"}}, "settings.lora.base"),
        "-");
    EXPECT_EQ(trlRead({{"run.sh", kTrl + "--use_peft --dtype bfloat16"}}, "settings.lora.base"),
              "\"bf16\"");
}

TEST(ImportOfTrl, RefusesWhatIsNotPlainTraining) {
    const auto whyNot = [](const std::string& line) {
        const std::string text = trlRead({{"run.sh", line}}, "layout.dp");
        return text.substr(0, text.find(" ("));
    };
    const std::string rest = " --model_name_or_path a/b --output_dir o";
    EXPECT_EQ(whyNot("trl dpo" + rest),
              "run.sh:1:5: trl dpo: dpo is not modelled, plain training is");
    EXPECT_EQ(whyNot("accelerate launch x/run_grpo.py" + rest),
              "run.sh:1:19: x/run_grpo.py: grpo is not modelled, plain training is");
    EXPECT_EQ(whyNot("torchrun train.py --beta 0.1" + rest),
              "run.sh:1:19: --beta is of training on preferences, which is not modelled");
    EXPECT_EQ(whyNot("torchrun --nproc-per-node 8 train.py --device_map auto" + rest),
              "run.sh:1:38: --device_map auto is refused by Accelerate where several ranks are "
              "started: each would have its layers on all GPUs");
    EXPECT_EQ(whyNot("f.yaml"), "run.sh: no command of it starts a training script");
    EXPECT_EQ(trlRead({{"a.yaml", "model_name_or_path: a\nstage: sft\nfinetuning_type: lora\n"}},
                      "layout.dp"),
              "a.yaml:3:1: finetuning_type is of LLaMA-Factory, whose files are not read (its "
              "arguments in a script, with DeepSpeed's or Accelerate's file)");
}

TEST(ImportOfTrl, KnowsLayersSpreadOverTheGpusOfAProcess) {
    const std::string run = "python train.py --output_dir o --bf16 --device_map auto\n";
    EXPECT_EQ(trlRead({{"run.sh", run}}, "imported.device_map"), "true");
    EXPECT_EQ(trlRead({{"run.sh", "export CUDA_VISIBLE_DEVICES=1\n" + run}}, "imported.device_map"),
              "-");
    EXPECT_EQ(trlRead({{"a.py",
                        "m = AutoModelForCausalLM.from_pretrained(\"a/b\", device_map=\"auto\")\n"
                        "t = Trainer(m, TrainingArguments(\"o\"))\n"}},
                      "imported.device_map"),
              "true");
}

}  // namespace
}  // namespace fabricast
