#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace fabricast {
namespace {

const std::string kExamples = FABRICAST_SOURCE_DIR "/tests/cases/launch_files/examples/";

TEST(Import, IsAnsweredAsTheScenarioThatItIs) {
    const std::string script = kExamples + "pretrain_70b.sh";
    const ProgramOutput scenario = ran("import " + script + " -c dgx-h100 -f json");
    ASSERT_EQ(scenario.code, ExitCode::Ok) << scenario.err;
    const std::string file = tempFolder() + "imported.json";
    ASSERT_TRUE(writeTextFile(file, scenario.out));
    for (const std::string section : {"memory", "time", "all"}) {
        const std::string asked = " -f json --no-fail --section " + section;
        const ProgramOutput direct = ran("explain " + script + " -c dgx-h100" + asked);
        const ProgramOutput saved = ran("explain " + file + asked);
        ASSERT_EQ(direct.code, ExitCode::Ok) << direct.err;
        EXPECT_EQ(direct.out, saved.out) << section << saved.err;
    }
}

TEST(Import, WritesAScenarioIntoAFileThatEndsSo) {
    const std::string script = kExamples + "pretrain_70b.sh";
    const std::string file = tempFolder() + "by_ending.json";
    ASSERT_EQ(ran("import " + script + " -c dgx-h100", {"-o", file}).code, ExitCode::Ok);
    EXPECT_EQ(readTextFile(file).value_or(""),
              ran("import " + script + " -c dgx-h100 -f json").out);
}

TEST(Import, TakesFlagsOverTheFile) {
    const std::string yaml = kExamples + "qlora.yaml";
    const ProgramOutput answer =
        ran("explain " + yaml + " --gpu rtx-4090 --gpus 1 --layout micro_batch=1 --seq 2048");
    EXPECT_NE(answer.out.find("sequence 2048"), std::string::npos) << answer.out << answer.err;
    EXPECT_NE(answer.out.find("LoRA rank 32 over nf4"), std::string::npos);
}

// A name typed over a file is of the model that the file trains, or is refused with both.
TEST(Import, RefusesANameOfAnotherModelThanTheFileTrains) {
    const std::string script = tempFolder() + "sizes.sh";
    const std::string arguments =
        "torchrun --nproc-per-node 8 pretrain_gpt.py --bf16 --lr 1e-4 "
        "--micro-batch-size 1 --global-batch-size 8 --seq-length 4096 ";
    ASSERT_TRUE(writeTextFile(script, arguments + "--num-layers 80 --hidden-size 8192\n"));
    const std::string asked = " " + script + " -m llama-3.1-8b -c dgx-h100";
    for (const std::string command : {"explain", "check", "plan"}) {
        const ProgramOutput answer = ran(command + asked);
        EXPECT_EQ(answer.code, ExitCode::BadInput) << command;
        EXPECT_NE(answer.err.find(script + ":1:123: the file trains 80 layers, hidden size 8192, "
                                           "and llama-3.1-8b has 32 layers, hidden size 4096"),
                  std::string::npos)
            << command << answer.err;
    }
    ASSERT_TRUE(writeTextFile(script, arguments + "--num-layers 32 --hidden-size 4096\n"));
    EXPECT_NE(ran("explain" + asked).code, ExitCode::BadInput);
}

/// Qwen3-30B-A3B on two nodes, as Megatron-LM's arguments have it.
std::string megatronQwen(const std::string& experts, const std::string& more) {
    return "torchrun --nproc-per-node 8 --nnodes 2 pretrain_gpt.py --num-layers 48 "
           "--hidden-size 2048 --ffn-hidden-size 6144 --num-attention-heads 32 --kv-channels 128 "
           "--group-query-attention --num-query-groups 4 --qk-layernorm --swiglu "
           "--disable-bias-linear --normalization RMSNorm --position-embedding-type rope "
           "--moe-ffn-hidden-size 768 --moe-grouped-gemm --expert-model-parallel-size 8 "
           "--micro-batch-size 1 --global-batch-size 256 --seq-length 4096 --bf16 "
           "--use-distributed-optimizer --untie-embeddings-and-output-weights " +
           experts + " " + more + "\n";
}

struct OtherModel {
    const char* experts;
    const char* more;
    const char* said;
};

// Each argument that says what the model does not have is refused, and so is a default of
// Megatron's that it does not have.
TEST(Import, RefusesEachArgumentOfAnotherModel) {
    constexpr const char* kExperts = "--num-experts 128 --moe-router-topk 8";
    constexpr const char* kTokens = "--tokenizer-type NullTokenizer --vocab-size 151935";
    const std::string script = tempFolder() + "other_model.sh";
    const std::string asked = "explain " + script + " -m qwen3-30b-a3b -c dgx-h100 -n 2 --no-fail";
    ASSERT_TRUE(writeTextFile(script, megatronQwen(kExperts, kTokens)));
    EXPECT_EQ(ran(asked).code, ExitCode::Ok) << ran(asked).err;
    for (const OtherModel& other :
         {OtherModel{"--num-experts 256 --moe-router-topk 8", kTokens, "256 experts"},
          OtherModel{"--num-experts 128", kTokens, "2 experts a token"},
          OtherModel{"", kTokens, "no experts"},
          OtherModel{kExperts, "--moe-ffn-hidden-size 1536", "expert width 1536"},
          OtherModel{kExperts, "--kv-channels 256", "heads of 256"},
          OtherModel{kExperts, "--vocab-size 500000", "vocabulary 500000"},
          OtherModel{kExperts, "--mtp-num-layers 1", "1 layers of multi-token prediction"},
          OtherModel{kExperts, "--moe-layer-freq 2", "24 layers with experts"},
          OtherModel{kExperts, "--moe-layer-freq '([0]*3+[1]*45)'", "45 layers with experts"},
          OtherModel{kExperts, "--add-qkv-bias", "biases of queries, keys and values"},
          OtherModel{kExperts, "--multi-latent-attention", "multi-latent attention"},
          OtherModel{kExperts,
                     "--moe-shared-expert-intermediate-size 4096",
                     "shared experts of width 4096"}}) {
        ASSERT_TRUE(writeTextFile(script, megatronQwen(other.experts, other.more)));
        const ProgramOutput answer = ran(asked);
        EXPECT_EQ(answer.code, ExitCode::BadInput) << other.said;
        EXPECT_EQ(answer.err.find("error: " + script + ":1:"), 0U) << answer.err;
        EXPECT_NE(answer.err.find("the file trains " + std::string(other.said)), std::string::npos)
            << other.said << ": " << answer.err;
    }
}

// A tokenizer's own vocabulary is that of the model it is named for.
TEST(Import, ReadsAShapeBesideATokenizerOfTheHub) {
    const std::string script = tempFolder() + "tokenizer.sh";
    const std::string tokenizer = "--tokenizer-type HuggingFaceTokenizer --tokenizer-model ";
    const std::string experts = "--num-experts 128 --moe-router-topk 8 " + tokenizer;
    const std::string asked = "explain " + script + " -c dgx-h100 -n 2 --no-fail";
    ASSERT_TRUE(writeTextFile(script, megatronQwen(experts, "Qwen/Qwen3-30B-A3B")));
    EXPECT_NE(ran(asked).out.find("qwen3-30b-a3b on 2 x dgx-h100"), std::string::npos)
        << ran(asked).err;
    // By its sizes alone.
    ASSERT_TRUE(writeTextFile(script, megatronQwen(experts, "/data/tokenizer")));
    EXPECT_NE(ran(asked).out.find("qwen3-30b-a3b on 2 x dgx-h100"), std::string::npos)
        << ran(asked).err;
    ASSERT_TRUE(writeTextFile(script, megatronQwen(experts, "Qwen/Qwen3-30B-A3B --num-layers 24")));
    EXPECT_NE(ran(asked).out.find("  model on 2 x dgx-h100"), std::string::npos) << ran(asked).err;
}

// Models whose arguments are no decoder of Hugging Face's are known by all of their sizes.
TEST(Import, KnowsTheModelOfEmittedArguments) {
    for (const std::string model : {"glm-4.5-air", "qwen1.5-moe-a2.7b"}) {
        const std::string folder = tempFolder() + "sizes_of_" + model.substr(0, 3);
        const std::string flags = " -c dgx-h200 -n 8";
        ASSERT_EQ(
            ran("emit -m " + model + flags + " --stack megatron --no-fail --out " + folder).code,
            ExitCode::Ok);
        const ProgramOutput answer = ran("explain " + folder + flags + " --no-fail");
        EXPECT_NE(answer.out.find(model + " on 8 x dgx-h200"), std::string::npos) << answer.err;
    }
}

// torchtune's recipe of one device has no wrapper around the model.
TEST(Import, TakesTorchtunesRecipeOfOneDeviceForOneGpu) {
    const std::string yaml = kExamples + "tune_lora.yaml";
    const std::string one = ran("explain " + yaml + " --gpu h100 --gpus 1 --no-fail").out;
    EXPECT_NE(one.find("shard=none"), std::string::npos) << one;
    EXPECT_NE(one.find("assumed: one GPU, of which the single-device recipe reads this config"),
              std::string::npos)
        << one;
    const std::string eight = ran("explain " + yaml + " --gpu h100 --gpus 8 --no-fail").out;
    EXPECT_NE(eight.find("shard=fsdp"), std::string::npos) << eight;
    EXPECT_NE(eight.find("tune run lora_finetune_single_device --config"), std::string::npos)
        << eight;
}

// What lint calls an error, a forecast of the same files says too.
TEST(Import, SaysWhatEndsTheRunAtItsStart) {
    const std::string folder = tempFolder() + "twice";
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(writeTextFile(
        folder + "/acc.yaml",
        "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n"
        "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
        "  fsdp_transformer_layer_cls_to_wrap: LlamaDecoderLayer\n"
        "  fsdp_activation_checkpointing: true\nmixed_precision: bf16\nnum_processes: 8\n"));
    ASSERT_TRUE(
        writeTextFile(folder + "/train.py",
                      "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
                      "model = AutoModelForCausalLM.from_pretrained(\"meta-llama/Llama-3.1-8B\")\n"
                      "args = TrainingArguments(\"o\", bf16=True, per_device_train_batch_size=1, "
                      "gradient_checkpointing=True)\nTrainer(model=model, args=args).train()\n"));
    const std::string files = folder + "/acc.yaml " + folder + "/train.py -c dgx-h100 --seq 2048";
    ASSERT_NE(ran("lint " + files).out.find("HF07"), std::string::npos) << ran("lint " + files).out;
    for (const std::string command :
         {"explain ", "check ", "plan ", "advise ", "simulate ", "size --global-batch 64 "}) {
        const std::string out = ran(command + files + " --no-fail").out;
        EXPECT_NE(out.find("\nlint: error HF07 at "), std::string::npos) << command << out;
    }
    const std::string compared = ran("compare " + files + " --with layout.recompute=none").out;
    EXPECT_NE(compared.find("\nlint: error HF07 at "), std::string::npos) << compared;
    // Which lists what lint finds by itself.
    const std::string imported = ran("import " + files).out;
    EXPECT_EQ(imported.find("lint: "), std::string::npos) << imported;
}

// What is assumed for want of a word of the file is not said beside the word that was typed.
TEST(Import, DropsAnAssumptionAboutWhatIsTyped) {
    const std::string script = tempFolder() + "sft.sh";
    ASSERT_TRUE(
        writeTextFile(script, "trl sft --model_name_or_path llama-3.1-8b --output_dir o\n"));
    const std::string asked = "explain " + script + " --gpu h100 --gpus 8";
    const std::string length = "max_length is 1024, as TRL has it";
    const std::string precision = "bf16: what TRL has from 0.19 on";
    const std::string before = ran(asked).out;
    EXPECT_NE(before.find("assumed: " + length), std::string::npos) << before;
    EXPECT_NE(before.find("assumed: " + precision), std::string::npos) << before;
    const std::string typed = ran(asked + " --seq 2048").out;
    EXPECT_EQ(typed.find(length), std::string::npos) << typed;
    EXPECT_NE(typed.find(precision), std::string::npos) << typed;
    EXPECT_EQ(ran(asked + " --precision bf16").out.find(precision), std::string::npos);
    EXPECT_NE(ran("import " + script + " --gpu h100 --gpus 8").out.find(length), std::string::npos);
}

TEST(Import, SaysWhatDeepspeedsFileLeavesToItsProgram) {
    const std::string folder = tempFolder() + "recomputed";
    ASSERT_EQ(ran("emit -m llama-3.2-1b -c dgx-h100 --stack deepspeed --layout "
                  "dp=8,shard=zero3,recompute=full --out " +
                  folder)
                  .code,
              ExitCode::Ok);
    const std::string flags = " -m llama-3.2-1b -c dgx-h100";
    const std::string asked = "explain " + folder + "/deepspeed.json" + flags;
    const std::string said = "assumed: recomputation is not said here";
    const std::string whole = ran("explain " + folder + flags).out;  // run.sh says it
    EXPECT_EQ(whole.find(said), std::string::npos) << whole;
    EXPECT_NE(whole.find("recompute=full"), std::string::npos) << whole;
    EXPECT_NE(ran(asked).out.find(said), std::string::npos) << ran(asked).out;
    const ProgramOutput typed = ran(asked + " --layout recompute=full");
    EXPECT_EQ(typed.out.find(said), std::string::npos) << typed.out;
    EXPECT_NE(typed.out.find("recompute=full"), std::string::npos) << typed.out << typed.err;
}

TEST(Import, TakesAFolderByTheFileThatStartsTheOthers) {
    const std::string folder = tempFolder() + "import_folder";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder + "/empty");
    ASSERT_EQ(ran("emit -m llama-3.1-8b -c dgx-h100 -n 2 --stack deepspeed --layout shard=zero3 "
                  "--launcher slurm --out " +
                  folder)
                  .code,
              ExitCode::Ok);
    ASSERT_TRUE(writeTextFile(folder + "/train.py", "args = TrainingArguments(\"out\")\n"));
    ASSERT_TRUE(writeTextFile(folder + "/data.py", "print(1)\n"));
    const std::string flags = " -m llama-3.1-8b -c dgx-h100 -n 2 --seq 4096";
    for (const std::string command : {"import ", "explain "}) {
        const ProgramOutput whole = ran(command + folder + flags);
        EXPECT_EQ(whole.code, ExitCode::Ok) << whole.err;
        EXPECT_EQ(whole.out, ran(command + folder + "/job.sbatch" + flags).out);
    }
    const std::string alone = folder + "/alone";  // arguments of a script name the model
    std::filesystem::create_directories(alone);
    std::filesystem::copy_file(folder + "/deepspeed.json", alone + "/deepspeed.json");
    const ProgramOutput nameless = ran("explain " + alone + " -c dgx-h100 -n 2 --seq 4096");
    EXPECT_EQ(nameless.code, ExitCode::BadInput);
    EXPECT_EQ(nameless.out, "");
    EXPECT_EQ(nameless.err,
              "error: model: no model given: " + alone +
                  "/deepspeed.json does not name what it trains\n"
                  "  try: -m llama-3.1-8b, or -m FOLDER with the model's config.json\n");
    const ProgramOutput empty = ran("import " + folder + "/empty");
    EXPECT_EQ(empty.code, ExitCode::BadInput);
    EXPECT_EQ(empty.err.find("error: " + folder + "/empty: is a folder without launch files"), 0U)
        << empty.err;
    ASSERT_TRUE(writeTextFile(folder + "/other.yaml", "base_model: a/b\nmicro_batch_size: 1\n"));
    const ProgramOutput several = ran("explain " + folder + flags);
    EXPECT_EQ(several.code, ExitCode::BadInput);
    EXPECT_NE(several.err.find("is a folder of several runs: job.sbatch, other.yaml"),
              std::string::npos)
        << several.err;
    EXPECT_NE(ran("lint " + folder).out.find("train.py"), std::string::npos);
    EXPECT_EQ(ran("lint " + folder).out.find("data.py"), std::string::npos);
}

TEST(Import, TakesAFoldersConfigurationOfAccelerateBesideItsProgram) {
    const std::string folder = tempFolder() + "import_launched";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    const std::string fsdp =
        "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nmixed_precision: bf16\n"
        "num_processes: 8\nfsdp_config:\n  fsdp_version: 2\n"
        "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n";
    ASSERT_TRUE(
        writeTextFile(folder + "/train.py", "args = TrainingArguments(\"o\", bf16=True)\n"));
    ASSERT_TRUE(writeTextFile(folder + "/fsdp.yaml", fsdp));
    const std::string flags = " -m llama-3.2-1b -c dgx-h100 --seq 512 --no-fail";
    const ProgramOutput whole = ran("explain " + folder + flags);
    EXPECT_EQ(whole.code, ExitCode::Ok) << whole.err;
    EXPECT_NE(whole.out.find("shard=fsdp"), std::string::npos) << whole.out;
    EXPECT_EQ(whole.out,
              ran("explain " + folder + "/train.py " + folder + "/fsdp.yaml" + flags).out);
    ASSERT_TRUE(writeTextFile(folder + "/other.yaml", fsdp));
    const ProgramOutput several = ran("explain " + folder + flags);
    EXPECT_EQ(several.code, ExitCode::BadInput);
    EXPECT_NE(several.err.find("has several configurations that train.py may be started with: "
                               "fsdp.yaml, other.yaml"),
              std::string::npos)
        << several.err;
}

TEST(Import, RefusesOneProcessOfTrainerOnSeveralGpus) {
    const std::string folder = tempFolder() + "import_one_process";
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(writeTextFile(folder + "/full.py", "args = TrainingArguments(\"out\")\n"));
    ASSERT_TRUE(writeTextFile(folder + "/run.sh", "python full.py\n"));
    const std::string asked = folder + "/run.sh -m llama-3.1-8b -c dgx-h100 --seq 4096 --no-fail";
    const ProgramOutput several = ran("explain " + asked);
    EXPECT_EQ(several.code, ExitCode::BadInput);
    EXPECT_EQ(several.out, "");
    EXPECT_EQ(several.err.find("error: " + folder + "/run.sh:1:1: python starts one process"), 0U)
        << several.err;
    EXPECT_NE(several.err.find("torchrun --nproc-per-node 8"), std::string::npos);
    EXPECT_NE(ran("import " + asked).out.find("not forecast: " + folder + "/run.sh:1:1: python"),
              std::string::npos);
    EXPECT_EQ(ran("explain " + asked + " --gpus 1").code, ExitCode::Ok);
}

TEST(Import, RefusesLayersOfOneProcessOnSeveralGpus) {
    const std::string file = tempFolder() + "device_map.sh";
    ASSERT_TRUE(writeTextFile(file, "python train.py --output_dir o --bf16 --device_map auto\n"));
    const std::string asked = "explain " + file + " -m llama-3.2-1b -c dgx-h100 --no-fail";
    const ProgramOutput several = ran(asked);
    EXPECT_EQ(several.code, ExitCode::BadInput);
    EXPECT_EQ(several.err.find("error: " + file + ":1:39: device_map spreads the layers"), 0U)
        << several.err;
    EXPECT_EQ(ran(asked + " --gpus 1").code, ExitCode::Ok);
    EXPECT_EQ(ran(asked + " --layout dp=8").code, ExitCode::Ok);
}

// What a program decides and is not read is an error, until somebody says it.
TEST(Import, LeavesToItsUserWhatAProgramTrains) {
    const std::string file = tempFolder() + "freezes.py";
    ASSERT_TRUE(writeTextFile(file,
                              "model = AutoModelForCausalLM.from_pretrained("
                              "\"meta-llama/Llama-3.2-1B\", dtype=torch.bfloat16)\n"
                              "model.freeze()\nargs = TrainingArguments(\"o\", bf16=True)\n"
                              "Trainer(model=model, args=args).train()\n"));
    const std::string asked = "explain " + file + " --gpu h100 --gpus 1 --seq 1024";
    const ProgramOutput answer = ran(asked);
    EXPECT_EQ(answer.code, ExitCode::BadInput);
    EXPECT_EQ(answer.out, "");
    EXPECT_EQ(answer.err.find("error: " + file +
                              ":2:7: requires_grad: which weights the program "
                              "trains was not read"),
              0U)
        << answer.err;
    for (const std::string typed : {" --train last:2", " --train all", " --tuning lora"}) {
        EXPECT_EQ(ran(asked + typed).code, ExitCode::Ok) << typed;
    }
}

// Llama 3.2 1B's head is its embedding's table: where one is trained, both are.
TEST(Import, TrainsTheTableOfATiedHead) {
    const std::string file = tempFolder() + "tied.py";
    for (const auto& [name, train] : {std::pair("meta-llama/Llama-3.2-1B", "an upper bound"),
                                      std::pair("meta-llama/Llama-3.1-8B", "train=last:1")}) {
        ASSERT_TRUE(
            writeTextFile(file,
                          "model = AutoModelForCausalLM.from_pretrained(\"" + std::string(name) +
                              "\", dtype=torch.bfloat16)\nfor n, p in "
                              "model.named_parameters():\n  p.requires_grad = \"lm_head\" in n\n"
                              "args = TrainingArguments(\"o\", bf16=True)\n"
                              "Trainer(model=model, args=args).train()\n"));
        const ProgramOutput answer =
            ran("explain " + file + " --gpu h200 --gpus 1 --seq 512 --layout micro_batch=1");
        EXPECT_NE(answer.out.find(train), std::string::npos) << answer.out << answer.err;
    }
}

TEST(Import, SearchesTheGpusThatTheFileStarts) {
    const std::string file = tempFolder() + "two_nodes.toml";
    ASSERT_TRUE(writeTextFile(file,
                              "[job]\ndescription = \"two nodes\"\n"
                              "[model]\nname = \"llama3\"\nflavor = \"8B\"\n"
                              "[training]\nlocal_batch_size = 1\nseq_len = 4096\n[parallelism]\n"
                              "data_parallel_shard_degree = 8\ntensor_parallel_degree = 2\n"
                              "pipeline_parallel_degree = 1\n"
                              "[activation_checkpoint]\nmode = \"full\"\n"));
    const std::string asked = "plan " + file + " -c dgx-h100 --top 1";
    for (const std::string& more : {std::string(), std::string(" --set layout=null")}) {
        const ProgramOutput plans = ran(asked + more);
        EXPECT_NE(plans.out.find("on 2 x dgx-h100 (16 "), std::string::npos) << plans.out;
        EXPECT_NE(plans.out.find("16 GPUs, as many as the file starts (-n)"), std::string::npos)
            << plans.out;
    }
    const ProgramOutput typed = ran(asked + " -n 4 --set layout=null");
    EXPECT_NE(typed.out.find("on 4 x dgx-h100 (32 "), std::string::npos) << typed.out;
    EXPECT_EQ(ran("import " + file + " -f json").out.find("\"gpus\""), std::string::npos);
    const std::string read = ran("import " + file).out;
    EXPECT_NE(read.find("layout.pp"), std::string::npos) << read;
    EXPECT_EQ(read.find("\"description\" is no key"), std::string::npos) << read;
}

// Four ranks on each node of eight GPUs leave half of them idle: their tensor ranks cross nodes.
TEST(Import, TakesAsManyGpusOfANodeAsTheFileStarts) {
    const std::string file = tempFolder() + "four_each.sbatch";
    ASSERT_TRUE(writeTextFile(file,
                              "#!/bin/bash\n#SBATCH --nodes=16\n#SBATCH --ntasks-per-node=4\n"
                              "srun python pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
                              "--num-attention-heads 32 --seq-length 4096 "
                              "--max-position-embeddings 4096 --micro-batch-size 1 "
                              "--global-batch-size 64 --tensor-model-parallel-size 8 --bf16 "
                              "--vocab-size 32000\n"));
    const std::vector<std::string> ask = {
        file, "-m", "llama-2-7b", "-c", "dgx-h100", "--section", "time"};
    const auto with = [&ask](std::vector<std::string> more) {
        more.insert(more.begin(), ask.begin(), ask.end());
        return ran("explain", more);
    };
    const std::string own = with({}).out;
    EXPECT_NE(own.find("on 16 x dgx-h100 (64 h100-sxm5-80gb)"), std::string::npos) << own;
    EXPECT_NE(own.find("assumed: 4 of the 8 GPUs of each node, as the file starts"),
              std::string::npos)
        << own;
    const auto step = [](const std::string& text) {
        const std::size_t at = text.find("step");
        return text.substr(at, text.find('\n', at) - at);
    };
    EXPECT_EQ(step(own), step(with({"-n", "16", "--gpus-per-node", "4"}).out));
    EXPECT_NE(step(own), step(with({"--gpus-per-node", "8"}).out));
}

TEST(Import, NeedsAFile) {
    const ProgramOutput answer = ran("import -m llama-3.1-8b");
    EXPECT_EQ(answer.code, ExitCode::BadInput);
    EXPECT_EQ(answer.out, "");
    EXPECT_EQ(answer.err.find("error: import: needs a launch file"), 0U) << answer.err;
}

TEST(Import, SaysWhatIsMissingAndShowsWhatWasRead) {
    const ProgramOutput answer = ran("import " + kExamples + "qlora.yaml");
    EXPECT_EQ(answer.code, ExitCode::Ok);
    EXPECT_NE(answer.out.find("qlora.yaml:5:1"), std::string::npos);
    EXPECT_NE(answer.out.find("not forecast: "), std::string::npos) << answer.out;
}

// 256 = 4 x 2 x 32 ranks: DeepSpeed ends where more or fewer are started.
TEST(Import, RefusesDeepspeedsBatchOnOtherClusters) {
    const std::string file = tempFolder() + "batch_of_32.json";
    ASSERT_TRUE(writeTextFile(file,
                              R"({"train_batch_size": 256, "train_micro_batch_size_per_gpu": 4,
 "gradient_accumulation_steps": 2, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}})"));
    const std::string asked = " -m llama-3.2-1b --seq 2048 -c dgx-h100";
    for (const std::string command : {"explain ", "simulate "}) {
        EXPECT_NE(ran(command + file + asked + " -n 4").out, "");
        const ProgramOutput refused = ran(command + file + asked + " -n 8");
        EXPECT_EQ(refused.code, ExitCode::BadInput) << refused.out;
        EXPECT_EQ(refused.out, "");
        EXPECT_EQ(refused.err.find("error: " + file +
                                   ":1:22: train_batch_size is micro-batch x "
                                   "gradient_accumulation_steps x 32 ranks"),
                  0U)
            << refused.err;
        EXPECT_NE(ran(command + file + asked + " -n 8 --global-batch 512").out, "");
    }
    const ProgramOutput found = ran("lint " + file + asked + " -n 8");
    EXPECT_EQ(found.code, ExitCode::DoesNotFit) << found.err;
    EXPECT_NE(found.out.find(":1:22: error DS02: "), std::string::npos) << found.out;
}

TEST(Import, ReadsBackWhatEmitWrote) {
    const std::string folder = tempFolder() + "emitted";
    const std::string question =
        "-m llama-3.1-8b -c dgx-h100 -n 2 --stack accelerate --layout shard=zero2";
    ASSERT_EQ(ran("emit " + question + " --out " + folder).code, ExitCode::Ok);
    const ProgramOutput direct = ran("explain " + question + " -f csv");
    const ProgramOutput read =
        ran("explain " + folder + "/accelerate.yaml -m llama-3.1-8b -c dgx-h100 -n 2 -f csv");
    EXPECT_EQ(read.out, direct.out) << read.err;
}

// A script's own data ranks are those of its cluster: with another one typed they follow from it.
TEST(Import, TakesTheGpusThatAreTyped) {
    const std::string script = kExamples + "pretrain_70b.sh";
    const ProgramOutput answer = ran("explain " + script + " -c dgx-h100 -n 8 --no-fail");
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_NE(answer.out.find("8 x dgx-h100 (64"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("dp=2,tp=8"), std::string::npos) << answer.out;
}

TEST(Import, IsABaselineOfACheckOnTheSameHardware) {
    const std::string before = kExamples + "pretrain_70b.sh";
    const std::string after = tempFolder() + "after.sh";
    std::string text = readTextFile(before).value();
    const std::string small = "--micro-batch-size 1";
    ASSERT_NE(text.find(small), std::string::npos);
    text.replace(text.find(small), small.size(), "--micro-batch-size 2");
    ASSERT_TRUE(writeTextFile(after, text));
    const ProgramOutput answer = ran("check " + after + " -c dgx-h100 --baseline " + before +
                                     " --require step_s<=baseline*10 --no-fail -f json");
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_NE(answer.out.find("layout.micro_batch"), std::string::npos) << answer.out;
}

}  // namespace
}  // namespace fabricast
