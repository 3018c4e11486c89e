#include "planner/text/json_document.h"
#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

namespace fabricast {
namespace lint_command_test {

const std::string kExamples = FABRICAST_SOURCE_DIR "/tests/cases/launch_files/examples/";

TEST(Lint, FailsWhereSomethingDoesNotStart) {
    const ProgramOutput careless = ran("lint " + kExamples + "pretrain_careless.sh");
    EXPECT_EQ(careless.code, ExitCode::DoesNotFit) << careless.out;
    EXPECT_NE(careless.out.find("pretrain_careless.sh:2:19: error LN01"), std::string::npos)
        << careless.out;
    EXPECT_NE(careless.out.find("did you mean --use-distributed-optimizer?"), std::string::npos);
    const ProgramOutput careful = ran("lint " + kExamples + "pretrain_70b.sh -c dgx-h100");
    EXPECT_EQ(careful.code, ExitCode::Ok) << careful.out;
    EXPECT_EQ(careful.out.substr(0, 4), "ok  ") << careful.out;
    const ProgramOutput unforecast = ran("lint " + kExamples + "pretrain_70b.sh");
    EXPECT_TRUE(unforecast.out.starts_with("keys ok  ")) << unforecast.out;
}

TEST(Lint, LeavesOutWhatIsNotWanted) {
    const std::string file = kExamples + "pretrain_careless.sh";
    const std::string without = "lint " + file + " --ignore LN01 --ignore KEY1";
    EXPECT_EQ(ran(without).code, ExitCode::Ok) << ran(without).out;
    EXPECT_EQ(ran(without + " --fail-on warning").code, ExitCode::DoesNotFit);
    EXPECT_EQ(ran("lint " + file + " --least error").out.find("warning LN06"), std::string::npos);
    EXPECT_EQ(ran("lint " + file + " --ignore LN99").code, ExitCode::BadInput);
}

// What the forecast shows stands at the line that says it.
TEST(Lint, LooksAtTheForecast) {
    const std::string file = tempFolder() + "ds.json";
    ASSERT_TRUE(
        writeTextFile(file,
                      "{\"train_micro_batch_size_per_gpu\": 16,\n \"bf16\": {\"enabled\": true},\n"
                      " \"zero_optimization\": {\"stage\": 3}}\n"));
    const ProgramOutput big = ran("lint " + file + " -m llama-3.1-70b -c dgx-h100 --seq 8192");
    EXPECT_NE(big.out.find("ds.json:1:36: error FC01: the run needs"), std::string::npos)
        << big.out;
    EXPECT_EQ(big.code, ExitCode::DoesNotFit);
    EXPECT_NE(big.out.find("DOES NOT FIT  llama-3.1-70b"), std::string::npos) << big.out;
    const ProgramOutput kept =
        ran("lint " + kExamples + "pretrain_70b.sh -c dgx-h100 --layout micro_batch=16");
    EXPECT_NE(kept.out.find("error FC01: the run needs"), std::string::npos) << kept.out;
    const ProgramOutput unknown = ran("lint " + file);
    EXPECT_NE(unknown.out.find("not forecast: "), std::string::npos) << unknown.out;
}

/// What a file is linted as, after it was written.
std::string lintedText(const std::string& name, const std::string& text, const std::string& flags) {
    const std::string file = tempFolder() + name;
    EXPECT_TRUE(writeTextFile(file, text));
    const ProgramOutput output = ran("lint " + file + flags);
    return output.out + output.err;
}

// A fix is written as the file would say it.
TEST(Lint, SaysFixesInTheFilesOwnKeys) {
    const std::string model = " -m llama-3.1-8b -c dgx-h100";
    const std::string titan = lintedText("own.toml",
                                         "[model]\nname = \"llama3\"\nflavor = \"8B\"\n"
                                         "[training]\nlocal_batch_size = 2\nseq_len = 8192\n"
                                         "[activation_checkpoint]\nmode = \"none\"\n",
                                         " -c dgx-h100");
    EXPECT_NE(titan.find("Fix: activation_checkpoint.mode = \"full\""), std::string::npos) << titan;
    const std::string nemo = lintedText(
        "own.yaml",
        "trainer: {devices: 8, num_nodes: 2, precision: bf16}\nmodel:\n  micro_batch_size: 4\n"
        "  global_batch_size: 64\n  tensor_model_parallel_size: 4\n  encoder_seq_length: 8192\n",
        model);
    EXPECT_NE(nemo.find("Fix: model.activations_checkpoint_granularity full"), std::string::npos)
        << nemo;
    EXPECT_NE(nemo.find("MG15: 4 tensor ranks without model.sequence_parallel: true"),
              std::string::npos)
        << nemo;
    EXPECT_NE(nemo.find("own.yaml:5:3: note MG39"), std::string::npos) << nemo;
    const std::string axolotl =
        lintedText("axolotl.yaml",
                   "base_model: meta-llama/Llama-3.2-1B\nsequence_len: 8192\nmicro_batch_size: 64\n"
                   "bf16: true\ngradient_checkpointing: false\nfsdp_version: 2\n",
                   " -c dgx-h100 --gpus 8");
    EXPECT_EQ(axolotl.find("--set settings"), std::string::npos) << axolotl;
    const std::string trainer =
        lintedText("trainer.sh",
                   "torchrun --nproc_per_node 8 run_clm.py --per_device_train_batch_size 16 --bf16 "
                   "--block_size 8192 --gradient_checkpointing --fsdp full_shard --output_dir o\n",
                   model);
    EXPECT_NE(trainer.find("Fix: --per_device_train_batch_size 2, --gradient_accumulation_steps 8"),
              std::string::npos)
        << trainer;
}

// torchtune offloads what checkpoints keep, and ends at the start where there are none.
TEST(Lint, ProposesForTorchtuneWhatItStartsWith) {
    std::string config = readTextFile(kExamples + "tune_full.yaml").value_or("");
    const std::string on = "enable_activation_checkpointing: True";
    ASSERT_NE(config.find(on), std::string::npos);
    config.replace(config.find(on), on.size(), "enable_activation_checkpointing: False");
    const std::string one = lintedText("tune.yaml", config, " --gpu h200-sxm-141gb --gpus 1");
    EXPECT_NE(one.find("error FC01"), std::string::npos) << one;
    EXPECT_EQ(one.find("Fix: enable_activation_offloading"), std::string::npos) << one;
    EXPECT_NE(one.find("Fix: enable_activation_checkpointing: True"), std::string::npos) << one;
}

// What emit writes is read as it was asked for; the manifest beside it is no launch file.
TEST(Lint, ReadsAnEmittedFolderOfDeepspeed) {
    const std::string folder = tempFolder() + "emitted_deepspeed";
    const std::string model = " -m llama-3.1-8b -c dgx-h100";
    const ProgramOutput written =
        ran("emit" + model +
            " --stack deepspeed --layout shard=zero3,recompute=full --seq 8k --launcher kubernetes "
            "--out " +
            folder);
    ASSERT_EQ(written.code, ExitCode::Ok) << written.err;
    const ProgramOutput linted = ran("lint " + folder + model);
    EXPECT_EQ(linted.out.find("FL02"), std::string::npos) << linted.out;
    EXPECT_NE(linted.out.find("recompute=full, bf16 adamw, sequence 8192"), std::string::npos)
        << linted.out;
}

TEST(Lint, HasNoWarningAboutWhatEmitWrites) {
    const std::string folder = tempFolder() + "emitted_megatron";
    const std::string model = " -m llama-3.1-8b -c dgx-h100";
    const ProgramOutput written =
        ran("emit" + model +
            " --stack megatron --layout tp=2,sp=on,recompute=full --seq 8k --out " + folder);
    ASSERT_EQ(written.code, ExitCode::Ok) << written.err;
    const ProgramOutput linted = ran("lint " + folder + model + " --fail-on warning");
    EXPECT_EQ(linted.code, ExitCode::Ok) << linted.out;
    EXPECT_TRUE(linted.out.starts_with("0 errors, 0 warnings")) << linted.out;
}

TEST(Lint, SaysThatALengthIsAssumed) {
    const std::string config =
        "{\"train_micro_batch_size_per_gpu\": 16, \"bf16\": {\"enabled\": true}, "
        "\"zero_optimization\": {\"stage\": 3}}\n";
    const std::string flags = " -m llama-3.1-70b -c dgx-h100";
    const std::string assumed = "samples of 4096 tokens are assumed";
    const std::string text = lintedText("length.json", config, flags);
    EXPECT_NE(text.find(assumed), std::string::npos) << text;
    const std::string said = lintedText("length.json", config, flags + " --seq 4096");
    EXPECT_EQ(said.find(assumed), std::string::npos) << said;
}

// The host of a typed GPU is not known: what it has is to be stated, and then nothing is amiss.
TEST(Lint, AsksForTheHostMemoryThatIsNotKnown) {
    const std::string config =
        "{\"train_micro_batch_size_per_gpu\": 1,\n \"bf16\": {\"enabled\": true},\n"
        " \"zero_optimization\": {\"stage\": 3,\n  \"offload_optimizer\": {\"device\": \"cpu\"},\n"
        "  \"offload_param\": {\"device\": \"cpu\"}}}\n";
    const std::string flags =
        " -m llama-3.1-8b --gpu rtx-4090 --gpus 2 --seq 1024 --layout recompute=full";
    const std::string text = lintedText("offload.json", config, flags);
    EXPECT_NE(text.find("warning FC05: host memory per node: "), std::string::npos) << text;
    const std::size_t at = text.find("Fix: --host-memory ");
    ASSERT_NE(at, std::string::npos) << text;
    const std::string fix = text.substr(at + 5, text.find("GB", at) + 2 - at - 5);
    const std::string stated = lintedText("offload.json", config, flags + " " + fix);
    EXPECT_EQ(stated.find(" FC0"), std::string::npos) << stated;
}

// What takes no communication away is no fix for a run that waits for it.
TEST(Lint, ProposesForCommunicationWhatTakesSomeAway) {
    const std::string text = lintedText(
        "experts.sh",
        "torchrun --nnodes 8 --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
        "--ffn-hidden-size 14336 --num-attention-heads 32 --num-query-groups 8 "
        "--group-query-attention --swiglu --normalization RMSNorm --vocab-size 32000 "
        "--untie-embeddings-and-output-weights --disable-bias-linear --num-experts 8 "
        "--moe-router-topk 2 --expert-model-parallel-size 8 --moe-token-dispatcher-type alltoall "
        "--moe-grouped-gemm --micro-batch-size 1 --global-batch-size 64 --seq-length 4096 --bf16 "
        "--use-distributed-optimizer --tensor-model-parallel-size 8 --sequence-parallel "
        "--expert-tensor-parallel-size 1\n",
        " -c dgx-h100");
    const std::size_t at = text.find("warning FC03");
    ASSERT_NE(at, std::string::npos) << text;
    const std::string fix = text.substr(text.find("Fix: ", at));
    EXPECT_EQ(fix.find("compile"), std::string::npos) << text;
    EXPECT_EQ(fix.find("Fix: another layout: fabricast plan "), 0U) << text;
}

TEST(Lint, SaysWhatIsRefused) {
    const std::string text =
        lintedText("dpo.sh",
                   "torchrun dpo.py --model_name_or_path meta-llama/Llama-3.2-1B --output_dir o\n",
                   " -c dgx-h100");
    EXPECT_NE(text.find("dpo.sh:1:10: warning FL03: not forecast: dpo.py: dpo is not modelled"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("0 errors, 1 warning"), 0U) << text;
    const std::string fsdp = lintedText("bridge.py",
                                        "c = ConfigContainer(model=GPTModelProvider(),\n"
                                        "  dist=DistributedInitConfig(\n"
                                        "    use_torch_fsdp2=True))\n",
                                        " -m llama-3.1-8b -c dgx-h100");
    EXPECT_NE(fsdp.find("bridge.py:3:5: dist.use_torch_fsdp2=True is not modelled"),
              std::string::npos)
        << fsdp;
}

// A run that is not forecast has its cluster and its ranks all the same.
TEST(Lint, LooksAtTheRanksOfWhatIsRefused) {
    const std::string batch =
        R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 2,
 "gradient_accumulation_steps": 4, "zero_optimization": {"stage": 2},
 "compile": {"deepcompile": true}})";
    const std::string refused = lintedText("ds.json", batch, " -m llama-3.1-8b -c dgx-h100");
    EXPECT_NE(refused.find("FL03"), std::string::npos) << refused;
    EXPECT_NE(lintedText("ds.json", batch, " -m llama-3.1-8b -c dgx-h100 -n 1").find("DS02"),
              std::string::npos);
    const std::string titan = lintedText("wide.toml",
                                         "[parallelism]\ndata_parallel_shard_degree = 7\n"
                                         "tensor_parallel_degree = 16\n",
                                         " -m llama-3.1-8b -c dgx-h100 -n 2");
    EXPECT_NE(titan.find("TT01: the degrees make 16 x 7, and 16 ranks start"), std::string::npos)
        << titan;
    EXPECT_NE(titan.find("TT08: 8 key-value heads over 16 tensor ranks"), std::string::npos)
        << titan;
}

TEST(Lint, LooksAtTheProgramBesideAcceleratesFile) {
    const std::string folder = tempFolder() + "lint_program";
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(
        writeTextFile(folder + "/a.yaml", "distributed_type: MULTI_GPU\nmixed_precision: bf16\n"));
    ASSERT_TRUE(
        writeTextFile(folder + "/p.py", "a = TrainingArguments(\"o\", bf16=True, fp16=True)\n"));
    ASSERT_TRUE(writeTextFile(folder + "/run.sh", "accelerate launch --config_file a.yaml p.py\n"));
    const ProgramOutput output = ran("lint " + folder + "/run.sh");
    EXPECT_NE(output.out.find("p.py:1:39: error HF02: fp16 and bf16 are both given"),
              std::string::npos)
        << output.out;
}

TEST(Lint, ReadsFilesThatBelongTogether) {
    const std::string folder = tempFolder();
    ASSERT_TRUE(writeTextFile(folder + "accelerate.yaml",
                              "distributed_type: DEEPSPEED\nmixed_precision: bf16\n"
                              "deepspeed_config:\n  deepspeed_config_file: ds.json\n"));
    ASSERT_TRUE(writeTextFile(
        folder + "ds.json", "{\"train_batch_size\": \"auto\",\n \"fp16\": {\"enabled\": true}}\n"));
    const ProgramOutput one = ran("lint " + folder + "accelerate.yaml");
    EXPECT_NE(one.out.find("ds.json:2:22: error AG01"), std::string::npos) << one.out;
    EXPECT_EQ(one.out.find("DS04"), std::string::npos) << one.out;
    const ProgramOutput both = ran("lint " + folder + "ds.json " + folder + "accelerate.yaml");
    EXPECT_EQ(both.out, one.out);
}

TEST(Lint, SaysWhatItDoesNotLookAt) {
    const std::string file = tempFolder() + "stranger.sbatch";
    ASSERT_TRUE(
        writeTextFile(file, "#!/bin/bash\n#SBATCH --nodes=2\nsrun python train.py --lr 1\n"));
    const ProgramOutput output = ran("lint " + file);
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_EQ(output.out.find("not looked at  "), 0U) << output.out;
    EXPECT_NE(output.out.find("stranger.sbatch:3:13: warning FL02: not looked at: the framework of "
                              "train.py is not known"),
              std::string::npos)
        << output.out;
    EXPECT_EQ(ran("lint " + file + " --fail-on warning").code, ExitCode::DoesNotFit);
    EXPECT_NE(ran("lint " + file + " -f json").out.find("FL02"), std::string::npos);
}

TEST(Lint, LooksAtTheFilesOfAFolder) {
    const std::string folder = tempFolder() + "lint_folder";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder + "/empty");
    const ProgramOutput none = ran("lint " + folder);
    EXPECT_EQ(none.code, ExitCode::BadInput);
    EXPECT_EQ(none.out, "");
    EXPECT_EQ(none.err.find("error: " + folder + ": is a folder without launch files"), 0U)
        << none.err;
    ASSERT_TRUE(writeTextFile(folder + "/accelerate.yaml",
                              "distributed_type: DEEPSPEED\nmixed_precision: bf16\n"
                              "deepspeed_config:\n  deepspeed_config_file: ds.json\n"));
    ASSERT_TRUE(writeTextFile(
        folder + "/ds.json",
        "{\"train_micro_batch_size_per_gpu\": 0,\n \"bf16\": {\"enabled\": true}}\n"));
    ASSERT_TRUE(writeTextFile(folder + "/notes.yaml", "a: 1\n"));
    ASSERT_TRUE(writeTextFile(folder + "/README.md", "# no launch file\n"));
    const ProgramOutput all = ran("lint " + folder);
    EXPECT_EQ(all.code, ExitCode::DoesNotFit) << all.err;
    EXPECT_NE(all.out.find("ds.json:1:36: error SZ01: "), std::string::npos) << all.out;
    EXPECT_NE(all.out.find("not looked at  " + folder + "/notes.yaml"), std::string::npos)
        << all.out;
    EXPECT_EQ(all.out.find("README"), std::string::npos) << all.out;
}

// Whatever names a file and wherever from, it is one file.
TEST(Lint, CountsAFileOnce) {
    const std::string folder = tempFolder() + "lint_once";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(writeTextFile(folder + "/a.yaml", "base_model: a/b\nmicro_batch_size: 1\n"));
    const std::string from = "-C " + folder + " lint ";
    const ProgramOutput one = ran(from + "a.yaml");
    EXPECT_EQ(one.out.find(" with "), std::string::npos) << one.out;
    EXPECT_EQ(ran(from + ".").out, one.out);
    EXPECT_EQ(ran(from + "a.yaml ./a.yaml .").out, one.out);
}

TEST(Lint, LooksAtNoFolderOfThousands) {
    const std::string folder = tempFolder() + "many";
    std::filesystem::create_directories(folder);
    for (int i = 0; i <= 1000; ++i) {
        ASSERT_TRUE(writeTextFile(folder + "/" + std::to_string(i) + ".yaml", "a: b\n"));
    }
    const ProgramOutput answer = ran("lint " + folder);
    EXPECT_EQ(answer.code, ExitCode::BadInput);
    EXPECT_EQ(answer.out, "");
    EXPECT_NE(answer.err.find("has more than 1000 files that may be launch files"),
              std::string::npos)
        << answer.err;
}

TEST(Lint, FindsANamedFileThatIsNotThereAndLooksAtTheRest) {
    const std::string file = tempFolder() + "axolotl.yaml";
    ASSERT_TRUE(writeTextFile(file,
                              "base_model: meta-llama/Llama-3.1-8B\nmicro_batch_size: 1\n"
                              "deepspeed: not_there.json\nsaple_packing: true\n"
                              "datasets: [{path: a/b, type: alpaca}]\n"));
    const ProgramOutput output = ran("lint " + file);
    EXPECT_EQ(output.code, ExitCode::DoesNotFit) << output.err;
    EXPECT_NE(output.out.find("axolotl.yaml:3:1: error FL01: deepspeed: "), std::string::npos)
        << output.out;
    EXPECT_NE(output.out.find("KEY2"), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("not forecast: "), std::string::npos) << output.out;
    EXPECT_EQ(ran("lint " + file + " --ignore FL01").code, ExitCode::Ok);
    EXPECT_NE(ran("lint --rules").out.find("FL01"), std::string::npos);
}

// What is typed behind tune run is mended there; the shell hook of conda starts nothing.
TEST(Lint, SaysFixesInTheWordsOfTheLine) {
    const std::string folder = tempFolder() + "typed/";
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(writeTextFile(folder + "lora.yaml",
                              "model: {_component_: torchtune.models.llama3_1.llama3_1_8b}\n"
                              "checkpointer: {_component_: torchtune.training."
                              "FullModelHFCheckpointer}\n"
                              "optimizer: {_component_: torch.optim.AdamW}\ndtype: bf16\n"));
    ASSERT_TRUE(writeTextFile(folder + "tune.sh",
                              "tune run full_finetune_single_device --config lora.yaml "
                              "dtype=fp16\n"));
    const ProgramOutput tuned = ran("lint " + folder + "tune.sh");
    EXPECT_NE(tuned.out.find(" TN10: dtype is fp16\n"), std::string::npos) << tuned.out;
    EXPECT_NE(tuned.out.find("Fix: dtype=bf16\n"), std::string::npos) << tuned.out;
    // What is typed is a key of the config, and an argument of the program: it is said once.
    ASSERT_TRUE(writeTextFile(folder + "tune.sh",
                              "tune run full_finetune_single_device --config lora.yaml "
                              "batch_size=nan\n"));
    const std::string sizes = ran("lint " + folder + "tune.sh").out;
    EXPECT_NE(sizes.find("error SZ01"), std::string::npos) << sizes;
    EXPECT_EQ(sizes.find("error SZ01"), sizes.rfind("error SZ01")) << sizes;
    ASSERT_TRUE(writeTextFile(folder + "job.sbatch",
                              "#SBATCH -N 2\neval \"$(conda shell.bash hook)\"\n"
                              "srun my_launcher --cfg conf\n"));
    const ProgramOutput job = ran("lint " + folder + "job.sbatch");
    EXPECT_EQ(job.out.find("FL01"), std::string::npos) << job.out;
}

/// A change that is no key of the file is as it is typed behind it.
TEST(Lint, ProposesWhatCanBeTyped) {
    const std::string file = tempFolder() + "sft_fix.py";
    ASSERT_TRUE(
        writeTextFile(file,
                      "from trl import SFTTrainer, SFTConfig\nfrom peft import LoraConfig\n"
                      "SFTTrainer(\"meta-llama/Llama-3.1-8B\", args=SFTConfig(output_dir=\"o\", "
                      "per_device_train_batch_size=4, gradient_accumulation_steps=2, bf16=True), "
                      "peft_config=LoraConfig(r=16, lora_alpha=32), train_dataset=ds).train()\n"));
    const std::string flags = file + " --gpu rtx-4090 --gpus 1";
    const std::string out = ran("lint " + flags).out;
    const std::string mark = "FC01: the run needs";
    const std::size_t found = out.find(mark);
    ASSERT_NE(found, std::string::npos) << out;
    const std::size_t at = out.find("Fix: ", found) + 5;
    const std::string fix = out.substr(at, out.find(" (", at) - at);
    EXPECT_TRUE(fix.starts_with("--set ")) << out;
    const ProgramOutput typed = ran("explain " + flags + " " + fix);
    EXPECT_EQ(typed.code, ExitCode::Ok) << typed.out << typed.err;
}

// --use_liger_kernel turns all of its kernels on: that is what is forecast, too.
TEST(Lint, ProposesLigersKernelsAsTheTrainerTakesThem) {
    const std::string file = tempFolder() + "liger.sh";
    ASSERT_TRUE(writeTextFile(file,
                              "torchrun --nproc_per_node 8 sft.py --model_name_or_path "
                              "meta-llama/Llama-3.1-8B --output_dir o --bf16 True --max_length "
                              "32768 --per_device_train_batch_size 1 --gradient_checkpointing "
                              "true --fsdp full_shard\n"));
    const ProgramOutput output = ran("lint " + file + " -c dgx-h100");
    EXPECT_NE(output.out.find("Fix: --use_liger_kernel true (needs liger-kernel)"),
              std::string::npos)
        << output.out;
    EXPECT_EQ(output.out.find("--liger_kernel_config"), std::string::npos) << output.out;
    const ProgramOutput explained = ran("explain " + file + " -c dgx-h100");
    EXPECT_NE(explained.out.find("--set settings.kernels.loss=liger --set "
                                 "settings.kernels.norm=liger --set settings.kernels.rope=liger "
                                 "--set settings.kernels.activation=liger"),
              std::string::npos)
        << explained.out;
}

// Axolotl's examples name files of the folder that it is started in, which is above theirs.
TEST(Lint, LooksForNamedFilesInTheFoldersAbove) {
    const std::string folder = tempFolder() + "above/";
    std::filesystem::create_directories(folder + "examples/llama");
    std::filesystem::create_directories(folder + "configs");
    ASSERT_TRUE(writeTextFile(folder + "configs/zero2.json",
                              "{\"zero_optimization\": {\"stage\": 2, \"overlap_com\": true},\n"
                              " \"train_micro_batch_size_per_gpu\": \"auto\"}\n"));
    ASSERT_TRUE(writeTextFile(folder + "examples/llama/axolotl.yaml",
                              "base_model: meta-llama/Llama-3.1-8B\nmicro_batch_size: 1\n"
                              "deepspeed: configs/zero2.json\n"));
    const ProgramOutput output = ran("lint " + folder + "examples/llama/axolotl.yaml");
    EXPECT_EQ(output.out.find("FL01"), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("above/configs/zero2.json:1:"), std::string::npos) << output.out;
    EXPECT_EQ(output.out.find(".."), std::string::npos) << output.out;
}

TEST(Lint, DoesNotCallAFileMissingThatOnlyTheMachineOfTheRunHas) {
    const std::string file = tempFolder() + "elsewhere.sh";
    for (const char* const named : {"/fsx/not_there/ds.json", "$CONFIGS/ds.json"}) {
        ASSERT_TRUE(writeTextFile(
            file, "deepspeed --num_gpus 8 train.py --deepspeed_config " + std::string(named)));
        const ProgramOutput output = ran("lint " + file);
        EXPECT_EQ(output.out.find("FL01"), std::string::npos) << output.out;
    }
    ASSERT_TRUE(writeTextFile(
        file, "tune run --nproc_per_node 8 full_finetune_distributed --config llama3_1/8B_full\n"));
    const ProgramOutput tuned = ran("lint " + file);
    EXPECT_EQ(tuned.code, ExitCode::Ok) << tuned.out;
    EXPECT_NE(tuned.out.find("warning FL03"), std::string::npos) << tuned.out;
    EXPECT_NE(tuned.out.find("tune cp llama3_1/8B_full"), std::string::npos) << tuned.out;
}

// What torchtune refuses is an error, and is said once.
TEST(Lint, SaysOnceWhatTorchtuneRefuses) {
    ASSERT_TRUE(writeTextFile(tempFolder() + "refused.yaml",
                              "model: {_component_: torchtune.models.llama3_1.llama3_1_8b}\n"
                              "checkpointer: {_component_: torchtune.training."
                              "FullModelHFCheckpointer}\nbatch_size: 2\n"));
    const std::string file = tempFolder() + "refused.sh";
    ASSERT_TRUE(writeTextFile(
        file, "tune run full_finetune_single_device --config refused.yaml --batch_size=4\n"));
    const ProgramOutput output = ran("lint " + file);
    EXPECT_EQ(output.code, ExitCode::DoesNotFit) << output.out;
    EXPECT_NE(output.out.find("1 error, 0 warnings"), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("TN09: --batch_size is no argument of a recipe"), std::string::npos);
    EXPECT_NE(output.out.find("Fix: batch_size=4"), std::string::npos) << output.out;
}

TEST(Lint, SaysOfANamedFileThatIsThereWhatIsNotRecognised) {
    const std::string file = tempFolder() + "recipe.sh";
    ASSERT_TRUE(writeTextFile(tempFolder() + "recipe.yaml", "batch_size: 2\n"));
    ASSERT_TRUE(writeTextFile(file, "tune run full_finetune_distributed --config recipe.yaml\n"));
    const ProgramOutput output = ran("lint " + file);
    EXPECT_NE(output.out.find("recipe.sh:1:36: warning FL04: --config: "), std::string::npos)
        << output.out;
    EXPECT_NE(output.out.find("torchtune (model and checkpointer"), std::string::npos);
    EXPECT_EQ(output.out.find("FL01"), std::string::npos) << output.out;
}

TEST(Lint, PointsOnceAtADegreeThatIsTypedOverAToml) {
    const std::string file = tempFolder() + "degrees.sh";
    ASSERT_TRUE(writeTextFile(tempFolder() + "degrees.toml",
                              "[parallelism]\ndata_parallel_shard_degree = 8\n"));
    ASSERT_TRUE(writeTextFile(file,
                              "torchrun --nproc-per-node 8 -m torchtitan.train --job.config_file "
                              "degrees.toml --parallelism.data_parallel_replicate_degree 3\n"));
    const std::string out = ran("lint " + file).out;
    EXPECT_NE(out.find("degrees.sh:1:80: error TT01: "), std::string::npos) << out;
    EXPECT_NE(out.find("Fix: --parallelism.data_parallel_replicate_degree 1"), std::string::npos);
    EXPECT_EQ(out.find("FL03"), std::string::npos) << out;
}

// The rule and the forecast name the same share of a step.
TEST(Lint, SaysWhatGradientsCostAsExplainDoes) {
    const std::string file = tempFolder() + "waiting.sh";
    std::string script = readTextFile(kExamples + "pretrain_70b.sh").value_or("");
    for (const std::string flag : {" --overlap-grad-reduce", " --overlap-param-gather"}) {
        script.erase(script.find(flag), flag.size());
    }
    ASSERT_TRUE(writeTextFile(file, script));
    const ProgramOutput found = ran("lint " + file + " -c dgx-h100");
    const std::string before = "are reduced at the end: ";
    const std::size_t at = found.out.find(before);
    ASSERT_NE(at, std::string::npos) << found.out;
    const std::string share =
        found.out.substr(at + before.size(), found.out.find(" of a step", at) - at - before.size());
    const ProgramOutput explained = ran("explain --section time " + file + " -c dgx-h100");
    const std::size_t row = explained.out.find("sharding: parameters and gradients");
    ASSERT_NE(row, std::string::npos) << explained.out;
    const std::string line = explained.out.substr(row, explained.out.find('\n', row) - row);
    EXPECT_TRUE(line.ends_with(" " + share)) << line << share;
    EXPECT_EQ(ran("lint " + file).out.find("bound by communication"), std::string::npos);
}

TEST(Lint, WritesReportsForOtherPrograms) {
    const std::string folder = tempFolder();
    const ProgramOutput answer = ran(
        "lint " + kExamples + "pretrain_careless.sh -f json --report sarif=" + folder +
        "lint.sarif --report junit=" + folder + "lint.xml --report github=" + folder + "lint.txt");
    ASSERT_EQ(answer.code, ExitCode::DoesNotFit) << answer.err;
    const JsonValue json = parseJson(answer.out, "answer").value();
    EXPECT_EQ(json.find("schema")->text(), "fabricast.lint/1");
    const JsonValue sarif =
        parseJson(readTextFile(folder + "lint.sarif").value(), "lint.sarif").value();
    EXPECT_EQ(sarif.find("version")->text(), "2.1.0");
    EXPECT_NE(readTextFile(folder + "lint.xml").value().find("failures=\"2\""), std::string::npos);
    EXPECT_EQ(readTextFile(folder + "lint.txt").value().substr(0, 12), "::error file");
}

TEST(Lint, RefusesWhatIsNoLaunchFile) {
    const std::string file = tempFolder() + "run.json";
    ASSERT_TRUE(writeTextFile(file, "{\"model\": \"llama-3.1-8b\"}"));
    EXPECT_EQ(ran("lint " + file).code, ExitCode::BadInput);
    EXPECT_EQ(ran("lint").code, ExitCode::BadInput);
    EXPECT_EQ(ran("lint --rules").code, ExitCode::Ok);
}

// What a file may hold, and what its findings are then.
TEST(Lint, EndsWithAnErrorWhereAFileIsNone) {
    const std::string folder = tempFolder();
    ASSERT_TRUE(writeTextFile(folder + "self.yaml", "base_model: a/b\ndeepspeed: ./self.yaml\n"));
    EXPECT_NE(ran("lint " + folder + "self.yaml").err.find("names itself"), std::string::npos);
    for (const auto& [name, text] : std::map<std::string, std::string>{
             {"empty.toml", ""}, {"key.toml", "#\n[!"}, {"empty.yaml", "{}"}}) {
        ASSERT_TRUE(writeTextFile(folder + name, text));
        EXPECT_EQ(ran("lint " + folder + name).code, ExitCode::BadInput) << name;
    }
}

TEST(Lint, SaysVeryManyOfAKindOnce) {
    std::string text = "torchrun pretrain_gpt.py --num-layers 2 --optimizer - - -";
    for (int i = 0; i < 3000; ++i) {
        text += " --badarg" + std::to_string(i) + " 1";
    }
    const std::string file = tempFolder() + "many.sh";
    ASSERT_TRUE(writeTextFile(file, text));
    const ProgramOutput answer = ran("lint " + file);
    EXPECT_NE(answer.out.find("(and 2980 more like it)"), std::string::npos) << answer.out;
    EXPECT_EQ(answer.out.find("does not take \"-\""), answer.out.rfind("does not take \"-\""));
}

TEST(Lint, FailsByWhatIsFoundAndNotByWhatIsShown) {
    const std::string file = kExamples + "pretrain_careless.sh";
    const std::string flags = " --ignore LN01 --ignore KEY1 --least error --fail-on warning";
    const ProgramOutput answer = ran("lint " + file + flags);
    EXPECT_EQ(answer.code, ExitCode::DoesNotFit);
    EXPECT_EQ(answer.out.find("warning LN06"), std::string::npos);
}

// Bytes that are no text, and marks of Markdown and XML, leave every report well-formed.
TEST(Lint, WritesReportsOfAnyBytes) {
    const std::string folder = tempFolder();
    const std::string file = folder + "b.sh";
    ASSERT_TRUE(writeTextFile(file,
                              "torchrun pretrain_gpt.py --num-layers 2 --a\x90"
                              "b 1 '--<img src=x>' "
                              "2 '--[a](http://b)' 3"));
    for (const std::string form : {"junit", "md", "csv", "github"}) {
        const std::string report = folder + "report." + form;
        ASSERT_EQ(ran("lint " + file + " --report " + form + "=" + report).code,
                  ExitCode::DoesNotFit);
        const std::string text = readTextFile(report).value();
        EXPECT_EQ(text.find('\x90'), std::string::npos) << form;
        EXPECT_EQ(form == "md" ? text.find("<img") : std::string::npos, std::string::npos);
        EXPECT_EQ(form == "md" ? text.find("](http") : std::string::npos, std::string::npos);
    }
}

TEST(Lint, IsRunByImport) {
    const std::string file = tempFolder() + "pretrain.sh";
    ASSERT_TRUE(writeTextFile(
        file, "export NCCL_IB_DISABLE=1\n" + readTextFile(kExamples + "pretrain_70b.sh").value()));
    const ProgramOutput answer = ran("import " + file + " -c dgx-h100");
    EXPECT_NE(answer.out.find("warning LN06"), std::string::npos) << answer.out << answer.err;
}

// What a framework refuses of a file that is read is an error, in the file's own keys.
TEST(Lint, SaysWhatAFrameworkRefusesInItsOwnKeys) {
    const std::string text = lintedText("wide.yaml",
                                        "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\n"
                                        "micro_batch_size: 1\nbf16: true\nfsdp_version: 2\n"
                                        "datasets: [{path: a/b, type: alpaca}]\n"
                                        "fsdp_config: {auto_wrap_policy: TRANSFORMER_BASED_WRAP}\n"
                                        "tensor_parallel_size: 3\n",
                                        " --gpu h100 --gpus 6");
    EXPECT_NE(
        text.find("wide.yaml:8:1: error FL06: layout.tp: 8 key-value heads do not divide over "
                  "tp 3\n"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("Fix: tensor_parallel_size: 1, 2, 4 or 8\n"), std::string::npos) << text;
}

// Everybody reads one set of files, and says the same of it.
TEST(Lint, SaysOfRefusedFilesWhatTheOthersSay) {
    const std::string file = tempFolder() + "heads.toml";
    ASSERT_TRUE(writeTextFile(file,
                              "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\n"
                              "local_batch_size = 2\nseq_len = 4096\n[parallelism]\n"
                              "tensor_parallel_degree = 16\n"
                              "[activation_checkpoint]\nmode = \"full\"\n"));
    const std::string more = " " + file + " -c dgx-h100 -n 4";
    for (const char* const command : {"import", "explain", "check"}) {
        const ProgramOutput answer = ran(command + more);
        const std::string text = answer.out + answer.err;
        EXPECT_NE(text.find("heads.toml:8:1: layout.tp: tensor_parallel_degree (16) must divide "
                            "n_kv_heads (8)."),
                  std::string::npos)
            << command << "\n"
            << text;
    }
    const std::string linted = ran("lint" + more).out;
    EXPECT_NE(linted.find("heads.toml:8:1: error TT08: 8 key-value heads over 16 tensor ranks"),
              std::string::npos)
        << linted;
}

// A job of Kubernetes starts files that are not beside it: the others are looked at all the same.
TEST(Lint, LooksAtTheFilesBesideAJob) {
    const std::string folder = tempFolder();
    const std::string job = folder + "job.yaml";
    ASSERT_TRUE(writeTextFile(job,
                              "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n"
                              "  pytorchReplicaSpecs: {Master: {replicas: 1}}\n"));
    const std::string other = folder + "beside.yaml";
    ASSERT_TRUE(writeTextFile(other, "base_model: a/b\nadapter: qlora\n"));
    const ProgramOutput linted = ran("lint " + job + " " + other);
    EXPECT_EQ(linted.code, ExitCode::DoesNotFit) << linted.err;
    EXPECT_NE(linted.out.find("AX01"), std::string::npos) << linted.out;
    EXPECT_NE(linted.out.find("FL02"), std::string::npos) << linted.out;
}

// The named model's config says what a script of Megatron leaves to its defaults.
TEST(Lint, KnowsWhatTheNamedModelDoesOtherwise) {
    const std::string script =
        "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
        "--num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 "
        "--micro-batch-size 1 --global-batch-size 32 --bf16 --position-embedding-type rope\n";
    const std::string text = lintedText("bare.sh", script, " -m llama-3.1-8b -c dgx-h100");
    EXPECT_NE(text.find("Fix: --rotary-base 500000\n"), std::string::npos) << text;
    EXPECT_NE(text.find("Fix: --attention-dropout 0 --hidden-dropout 0\n"), std::string::npos)
        << text;
    const std::string other = lintedText("bare.sh", script, " -m gpt2 -c dgx-h100");
    EXPECT_EQ(other.find("MG58"), std::string::npos) << other;
    EXPECT_EQ(other.find("MG59"), std::string::npos) << other;
}

// A tokenizer of a name that is near has another vocabulary.
TEST(Lint, NamesTheTokenizerThatReadsAnyVocabulary) {
    const std::string text =
        lintedText("tokens.sh",
                   "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
                   "--tokenizer-type Llama3Tokenizer\n",
                   "");
    EXPECT_NE(text.find("Fix: HuggingFaceTokenizer, with its --tokenizer-model"), std::string::npos)
        << text;
}

}  // namespace lint_command_test
}  // namespace fabricast
