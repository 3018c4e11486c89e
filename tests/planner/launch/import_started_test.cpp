#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

/// What was read of a key, or why nothing was.
std::string readOf(const LaunchFolder& folder,
                   std::string_view part,
                   std::string_view key,
                   const std::string& name = "run.sh") {
    const auto run = importedFrom(folder, name);
    if (!run) {
        return run.error().text();
    }
    const JsonValue* const section = run->find(part);
    const JsonValue* const value = section == nullptr ? nullptr : section->find(key);
    return value == nullptr ? "-" : value->shown();
}

// What stands behind "--" is of the launcher that axolotl starts.
TEST(ImportOfStarted, CountsTheRanksOfAxolotl) {
    const std::string yaml = "base_model: a/b\nmicro_batch_size: 1\n";
    const auto ranks = [&yaml](const std::string& start, const std::string& more = "") {
        return readOf({{"run.sh", start}, {"a.yaml", yaml + more}}, "layout", "dp");
    };
    const std::string behind = "axolotl train a.yaml --launcher torchrun -- ";
    EXPECT_EQ(ranks(behind + "--nnodes 2 --nproc_per_node 8\n"), "16");
    EXPECT_EQ(ranks(behind + "--nnodes 2 --nproc-per-node 8\n", "tensor_parallel_size: 4\n"), "4");
    EXPECT_EQ(ranks("srun " + behind + "--nnodes=2 --nproc-per-node=8\n"), "16");
    EXPECT_EQ(ranks("axolotl train a.yaml --launcher accelerate -- --num_processes 4\n"), "4");
    EXPECT_EQ(ranks("torchrun --nnodes 2 --nproc-per-node 4 -m axolotl.cli.train a.yaml\n"), "8");
    EXPECT_EQ(ranks("axolotl train a.yaml\n"), "-");
    EXPECT_EQ(ranks("python -m axolotl.cli.train a.yaml\n"), "1");  // no launcher starts more
    EXPECT_EQ(ranks(behind + "--nproc_per_node 6\n", "context_parallel_size: 4\n"),
              "run.sh:1:45: torchrun --nproc_per_node starts 6 ranks, which is not a multiple of "
              "the 4 of tensor and context parallelism (a multiple of 4 ranks)");
    EXPECT_EQ(readOf({{"job.sbatch", "#SBATCH --nodes=2\nsrun bash run.sh\n"},
                      {"run.sh", behind + "--nnodes 2 --nproc_per_node 8\n"},
                      {"a.yaml", yaml}},
                     "layout",
                     "dp",
                     "job.sbatch"),
              "16");
}

// DeepSpeed's own options are not those of srun before it.
TEST(ImportOfStarted, CountsTheRanksOfDeepspeedUnderSlurm) {
    const std::string batch = "#SBATCH --nodes=2 --gpus-per-node=8 --ntasks-per-node=1\n";
    const std::string line = "deepspeed --num_nodes 2 --num_gpus 8 t.py --output_dir o --bf16\n";
    EXPECT_EQ(readOf({{"run.sh", batch + line}}, "layout", "dp"), "16");
    EXPECT_EQ(readOf({{"run.sh", batch + "srun " + line}}, "layout", "dp"), "16");
}

const std::string kProgram =
    "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.float32)\n"
    "args = TrainingArguments(\"o\", per_device_train_batch_size=2,\n"
    "                         gradient_accumulation_steps=4)\n";

// Accelerate's file says how, and the program what.
TEST(ImportOfStarted, ReadsTheProgramBesideAcceleratesFile) {
    LaunchFolder folder = {
        {"run.sh", "accelerate launch --config_file f.yaml full.py\n"},
        {"f.yaml",
         "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 16\n"
         "fsdp_config:\n  fsdp_version: 2\n  fsdp_activation_checkpointing: true\n"
         "parallelism_config:\n  parallelism_config_tp_size: 2\n"},
        {"full.py", kProgram}};
    EXPECT_EQ(readOf(folder, "layout", "micro_batch"), "2");
    EXPECT_EQ(readOf(folder, "workload", "global_batch"), "\"8 per rank\"");
    EXPECT_EQ(readOf(folder, "workload", "precision"), "-");
    EXPECT_EQ(readOf(folder, "layout", "dp"), "8");
    EXPECT_EQ(readOf(folder, "layout", "shard"), "\"fsdp\"");
    EXPECT_EQ(readOf(folder, "layout", "recompute"), "\"full\"");
    folder["run.sh"] = "accelerate launch --config_file f.yaml --num_processes 32 full.py\n";
    EXPECT_EQ(readOf(folder, "layout", "dp"), "16");
    folder["run.sh"] = "accelerate launch --num_processes 8 --mixed_precision bf16 full.py\n";
    EXPECT_EQ(readOf(folder, "layout", "dp"), "8");
    EXPECT_EQ(readOf(folder, "workload", "precision"), "\"bf16\"");
    folder["run.sh"] = "accelerate launch --config_file f.yaml other.py\n";
    EXPECT_EQ(readOf(folder, "layout", "micro_batch"), "-");
    EXPECT_EQ(readOf(folder, "layout", "dp"), "8");
}

// What could be a file may stand in the program.
TEST(ImportOfStarted, ReadsDictionariesOfPrograms) {
    const auto read = [](const std::string& program, const char* part, const char* key) {
        return readOf({{"a.py", program}}, part, key, "a.py");
    };
    for (const char* const off : {"\"\"", "[]", "None", "False"}) {
        const std::string program = "TrainingArguments(\"o\", fsdp=" + std::string(off) + ")\n";
        EXPECT_EQ(read(program, "layout", "shard"), "\"none\"") << off;
    }
    const std::string fsdp = "TrainingArguments(\"o\", fsdp=\"full_shard\", fsdp_config=";
    for (const std::string said : {"{\"activation_checkpointing\": True, \"version\": 2})\n",
                                   "dict(activation_checkpointing=True))\n",
                                   "conf)\nconf = {\"activation_checkpointing\": True}\n"}) {
        EXPECT_EQ(read(fsdp + said, "layout", "recompute"), "\"full\"") << said;
        EXPECT_EQ(read(fsdp + said, "layout", "shard"), "\"fsdp\"") << said;
    }
    const std::string zero = "z = {\"stage\": 3}\nTrainingArguments(\"o\", deepspeed=";
    EXPECT_EQ(read(zero + "{\"zero_optimization\": z, \"bf16\": {\"enabled\": \"auto\"}})\n",
                   "layout",
                   "shard"),
              "\"zero3\"");
    EXPECT_EQ(
        read(zero + "made())\n", "layout", "shard"),
        "a.py:2:24: --deepspeed is worked out when the program runs, and nothing is run to find "
        "it (the name of a JSON file, or its keys in {…})");
    EXPECT_EQ(
        read(
            "a = {\"x\": a, \"y\": a}\nTrainingArguments(\"o\", deepspeed=a)\n", "layout", "shard"),
        "a.py: has more calls than a training script (the script that starts the training)");
}

// A dictionary of the program is no file that its script would name.
TEST(ImportOfStarted, ReadsDictionariesOfProgramsThatAScriptStarts) {
    const std::string program =
        "c = {\"train_micro_batch_size_per_gpu\": 2, \"zero_optimization\": {\"stage\": 2}}\n"
        "m = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16)\n"
        "e, _, _, _ = deepspeed.initialize(model=m, model_parameters=m.parameters(), config=c)\n"
        "for b in batches():\n  e.backward(e(**b).loss)\n  e.step()\n";
    const LaunchFolder folder = {{"a.py", program}, {"run.sh", "deepspeed --num_gpus 8 a.py\n"}};
    EXPECT_EQ(readOf(folder, "layout", "micro_batch"), "2");
    EXPECT_EQ(readOf(folder, "layout", "shard"), "\"zero2\"");
}

// Trainer takes nn.DataParallel where python alone starts it.
TEST(ImportOfStarted, KnowsOneProcessOfTrainer) {
    const auto read = [](const std::string& start, const char* part, const char* key) {
        return readOf({{"run.sh", start}, {"full.py", kProgram}}, part, key);
    };
    for (const std::string start : {"python full.py\n",
                                    "/opt/bin/python3 full.py\n",
                                    "CUDA_VISIBLE_DEVICES=0,1 python full.py\n"}) {
        EXPECT_EQ(read(start, "imported", "one_process"), "true") << start;
    }
    for (const std::string start : {"python -m torch.distributed.run --nproc-per-node 8 full.py\n",
                                    "srun --ntasks 8 python full.py\n",
                                    "torchrun --nproc-per-node 8 full.py\n"}) {
        EXPECT_EQ(read(start, "imported", "one_process"), "-") << start;
        EXPECT_EQ(read(start, "layout", "dp"), "8") << start;
    }
    const std::string one = "export CUDA_VISIBLE_DEVICES=3\npython full.py\n";
    EXPECT_EQ(read(one, "imported", "one_process"), "-");
    EXPECT_EQ(read(one, "layout", "dp"), "1");
    EXPECT_EQ(readOf({{"full.py", kProgram}}, "imported", "one_process", "full.py"), "-");
}

TEST(ImportOfStarted, ReadsAxolotlBesideAcceleratesFile) {
    LaunchFolder folder = {
        {"run.sh", "accelerate launch --config_file a.yaml -m axolotl.cli.train ax.yaml\n"},
        {"a.yaml", "distributed_type: MULTI_GPU\nnum_processes: 4\n"},
        {"ax.yaml", "base_model: a/b\nmicro_batch_size: 2\n"}};
    EXPECT_EQ(readOf(folder, "layout", "micro_batch"), "2");
    EXPECT_EQ(readOf(folder, "layout", "dp"), "4");
    folder["a.yaml"] = "distributed_type: FSDP\nfsdp_config: {fsdp_version: 2}\n";
    EXPECT_EQ(readOf(folder, "layout", "dp"),
              "a.yaml:1:1: distributed_type FSDP beside Axolotl's own file is not read "
              "(fsdp_config or deepspeed in ax.yaml)");
}

TEST(ImportOfStarted, LetsArgumentsWinOverAxolotlsFile) {
    LaunchFolder folder = {{"a.yaml", "base_model: a/b\nmicro_batch_size: 1\nbf16: true\n"},
                           {"ds.json", R"({"zero_optimization": {"stage": 3}})"}};
    const auto read = [&folder](const std::string& start, const char* part, const char* key) {
        folder["run.sh"] = start + "\n";
        return readOf(folder, part, key);
    };
    const std::string train = "axolotl train a.yaml ";
    EXPECT_EQ(read(train, "layout", "micro_batch"), "1");
    EXPECT_EQ(read(train + "--micro-batch-size 8", "layout", "micro_batch"), "8");
    EXPECT_EQ(read(train + "--micro_batch_size=8", "layout", "micro_batch"), "8");
    EXPECT_EQ(read(train + "--sequence-len 8192", "workload", "sequence"), "8192");
    EXPECT_EQ(read(train + "--num-processes 4 --launcher accelerate", "layout", "dp"), "4");
    EXPECT_EQ(read(train + "--gradient-checkpointing", "layout", "recompute"), "\"full\"");
    EXPECT_EQ(read(train + "--no-gradient-checkpointing", "layout", "recompute"), "\"none\"");
    const std::string module = "accelerate launch --num_processes 8 -m axolotl.cli.train a.yaml ";
    EXPECT_EQ(read(module + "--deepspeed ds.json", "layout", "shard"), "\"zero3\"");
    EXPECT_EQ(read(module + "--micro_batch_size x", "layout", "micro_batch"),
              "run.sh:1:65: micro_batch_size must be a number, not \"x\" (write the number itself: "
              "nothing is run to find it)");
}

// Of DPO a forecast of plain training has neither the second model nor the pairs.
TEST(ImportOfStarted, RefusesTrainingOnPreferences) {
    const std::string dpo = "args = DPOConfig(\"o\", bf16=True)\n";
    const std::string run = "accelerate launch --num_processes 8 dpo.py\n";
    const std::string why =
        " is not modelled (SFTConfig and SFTTrainer without arguments of preferences, and for the "
        "memory of a frozen reference model, which adapters do without, --set "
        "settings.reference=whole (fabricast help dpo))";
    EXPECT_EQ(readOf({{"dpo.py", dpo}}, "layout", "dp", "dpo.py"), "dpo.py:1:8: DPOConfig" + why);
    EXPECT_EQ(readOf({{"run.sh", run}, {"dpo.py", dpo}}, "layout", "dp"),
              "dpo.py:1:8: DPOConfig" + why);
    EXPECT_EQ(
        readOf({{"dpo.py", kProgram + "DPOTrainer(model, args=args)\n"}}, "layout", "dp", "dpo.py"),
        "dpo.py:4:1: DPOTrainer" + why);
}

/// Files that name themselves, or a program where a file of DeepSpeed is due.
TEST(ImportOfStarted, RefusesCircles) {
    const std::string program =
        "from transformers import TrainingArguments\n"
        "TrainingArguments(\"o\", deepspeed=\"NAME\")\n";
    const auto naming = [&program](const std::string& name) {
        std::string text = program;
        return text.replace(text.find("NAME"), 4, name);
    };
    const LaunchFolder folder = {
        {"a.py", naming("a.py")},
        {"b.py", naming("c.py")},
        {"c.py", naming("b.py")},
        {"a.sh", "torchrun --nproc_per_node 8 b.py\n"},
        {"x.yaml", "base_model: a/b\nmicro_batch_size: 1\ndeepspeed: x.yaml\n"}};
    for (const char* const name : {"a.py", "b.py", "a.sh", "x.yaml"}) {
        const auto run = importedFrom(folder, name);
        ASSERT_FALSE(run) << name;
        EXPECT_NE(run.error().text().find("is no file of DeepSpeed"), std::string::npos)
            << run.error().text();
    }
}

// argparse and os.environ.get: what a script says holds, and else what the program has.
TEST(ImportOfStarted, TakesWhatAScriptTypesBehindItsProgram) {
    const std::string program =
        "p = argparse.ArgumentParser()\n"
        "p.add_argument(\"-b\", \"--micro-batch\", type=int, default=2)\n"
        "args = p.parse_args()\n"
        "a = TrainingArguments(\"o\", per_device_train_batch_size=args.micro_batch,\n"
        "    gradient_accumulation_steps=int(os.environ.get(\"STEPS\", \"4\")))\n";
    const auto read = [&program](const std::string& before,
                                 const std::string& typed,
                                 const std::string& more,
                                 const std::string& path) {
        return readFrom({{"a.py", program + more},
                         {"a.sh", before + "torchrun --nproc_per_node 8 a.py " + typed + "\n"}},
                        "a.sh",
                        path);
    };
    EXPECT_EQ(read("", "", "", "layout.micro_batch"), "2");
    EXPECT_EQ(read("", "--micro-batch 8", "", "layout.micro_batch"), "8");
    EXPECT_EQ(read("", "--micro-batch=16", "", "layout.micro_batch"), "16");
    EXPECT_EQ(read("", "", "", "workload.global_batch"), "\"8 per rank\"");
    EXPECT_EQ(read("export STEPS=16\n", "", "", "workload.global_batch"), "\"32 per rank\"");
    EXPECT_EQ(read("STEPS=3 ", "--micro-batch 8", "", "workload.global_batch"), "\"24 per rank\"");
    // What is not read is said.
    EXPECT_EQ(read("", "-b 8", "", "layout.micro_batch").substr(0, 5), "a.py:");
    EXPECT_EQ(read("", "", "args.micro_batch = 4\n", "layout.micro_batch").substr(0, 5), "a.py:");
}

TEST(ImportOfStarted, RefusesASecondTraining) {
    const std::string first = "torchrun --nproc_per_node 8 t.py --output_dir o --bf16\n";
    const auto dp = [](const std::string& script) {
        return readFrom({{"run.sh", script}}, "run.sh", "layout.dp");
    };
    EXPECT_EQ(dp(first), "8");
    EXPECT_EQ(dp(first + first), "8");
    EXPECT_EQ(
        dp("python prepare_data.py --x 1\n" + first + "torchrun evaluate.py --output_dir o\n"),
        "8");
    EXPECT_EQ(dp("echo torchrun t.py --output_dir p --bf16 --max_length 9\n" + first), "8");
    EXPECT_EQ(dp(first + "torchrun --nproc_per_node 8 u.py --output_dir o --bf16 --lr 1\n"),
              "run.sh:1:1: t.py is started beside the training of line 2, and one training is "
              "forecast (a script with one of them, or the other in a comment)");
    EXPECT_EQ(dp("if $BIG; then\n  " + first + "else\n  deepspeed t.py --output_dir o\nfi\n")
                  .substr(0, 11),
              "run.sh:4:3:");
}

// What a branch types of a training, or does not, is not left out.
TEST(ImportOfStarted, RefusesArgumentsOfABranch) {
    const auto batch = [](const std::string& sets, const std::string& variable) {
        return readFrom({{"run.sh",
                          sets +
                              "torchrun --nproc_per_node 8 t.py --output_dir o --bf16 "
                              "--per_device_train_batch_size 2 " +
                              variable + "\n"}},
                        "run.sh",
                        "layout.micro_batch");
    };
    EXPECT_EQ(batch("E=\"\"\nif $LONG; then\n  E=\"--max_length 65536\"\nfi\n", "$E"),
              "run.sh:5:88: $E is set in a branch (--max_length 65536), and whether it is was not "
              "read (its value, or none, in its place)");
    EXPECT_EQ(batch("[ -n \"$L\" ] && E=\"--fsdp full_shard\"\n", "${E}").substr(0, 7), "run.sh:");
    EXPECT_EQ(batch("if $OLD; then R=\"--resume_from_checkpoint o\"; fi\n", "$R"), "2");
    EXPECT_EQ(batch("if $LONG; then E=\"--max_length 9\"; fi\nE=\n", "$E"), "2");
    EXPECT_EQ(batch("", "$E"), "2");
}

// What another file may set has no usual value.
TEST(ImportOfStarted, KnowsNoUsualValueBehindASourcedFile) {
    const auto batch = [](const std::string& before) {
        return readFrom({{"run.sh",
                          before + "torchrun --nproc_per_node 8 t.py --output_dir o --bf16 "
                                   "--per_device_train_batch_size ${BS:-2}\n"}},
                        "run.sh",
                        "layout.micro_batch");
    };
    EXPECT_EQ(batch(""), "2");
    EXPECT_EQ(batch("source ~/.bashrc\nsource venv/bin/activate\n. /etc/profile.d/x.sh\n"), "2");
    for (const char* const source :
         {"source ./env.sh\n", ". settings/env\n", "if [ -f env.sh ]; then source env.sh; fi\n"}) {
        EXPECT_EQ(batch(source).substr(0, 7), "run.sh:") << source;
        EXPECT_EQ(batch(source + std::string("BS=4\n")), "4") << source;
    }
}

TEST(ImportOfStarted, BelievesNoValueThatAProgramChanges) {
    const auto batch = [](const std::string& text) {
        return readOf({{"a.py", "from transformers import TrainingArguments\n" + text}},
                      "layout",
                      "micro_batch",
                      "a.py");
    };
    const std::string call = "a = TrainingArguments(\"o\", per_device_train_batch_size=";
    EXPECT_EQ(batch("x = 4\n" + call + "x)\n"), "4");
    EXPECT_EQ(
        batch("d = {\"per_device_train_batch_size\": 4}\na = TrainingArguments(\"o\", **d)\n"),
        "4");
    EXPECT_EQ(batch(call + "4)\na.per_device_train_batch_size = 4\n"), "4");
    EXPECT_EQ(batch(call + "4)\na.per_device_train_batch_size = 32\n"), "32");
    const std::vector<std::string> changed = {
        "x = 4\nx *= 2\n" + call + "x)\n",
        "x = 4\nx **= 2\n" + call + "x)\n",
        "x = 4\nx <<= 2\n" + call + "x)\n",
        call + "4)\nif x:\n  a.per_device_train_batch_size = 32\n",
        call + "4)\nb = TrainingArguments(\"p\", per_device_train_batch_size=8)\n",
        "a = TrainingArguments(\"o\", **kw)\n",
        "d = {\"per_device_train_batch_size\": 4}\nd[\"per_device_train_batch_size\"] = 8\n"
        "a = TrainingArguments(\"o\", **d)\n",
        "d = {\"per_device_train_batch_size\": 4}\nd.update(more)\n"
        "a = TrainingArguments(\"o\", **d)\n"};
    for (const std::string& text : changed) {
        EXPECT_NE(batch(text).find("a.py:"), std::string::npos) << text << batch(text);
    }
}

/// "<<" of arithmetic begins no text, and neither does "<<<".
TEST(ImportOfStarted, ReadsOnBehindArithmetic) {
    const std::string train =
        "torchrun --nproc_per_node $N pretrain_gpt.py --num-layers 24 --hidden-size 2048 "
        "--num-attention-heads 16 --seq-length 2048 --micro-batch-size 2 --global-batch-size 64\n";
    const auto sample = [&train](const std::string& before) {
        return readOf({{"run.sh", before + train}}, "layout", "micro_batch");
    };
    EXPECT_EQ(sample("N=8\ncat <<< \"EOF\"\n"), "2");
    EXPECT_EQ(sample("M=$((1<<3))\nN=8\n"), "2");
    EXPECT_EQ(sample("((M=1<<3))\nN=8\n"), "2");
    EXPECT_EQ(sample("N=8\ncat <<EOF\nN=4\nEOF\n"), "2");
    const auto ranks = [&train](const std::string& before) {
        return readOf({{"run.sh", before + train}}, "layout", "dp");
    };
    EXPECT_EQ(ranks("N=8\n"), "8");
    EXPECT_EQ(ranks("N=$((1<<3))\n"), "-");
    EXPECT_EQ(ranks("N=4\n((N*=2))\n"), "-");
}

// What Slurm sets is what the job's own lines say, in arithmetic, too, and whoever starts the
// ranks.
TEST(ImportOfStarted, KnowsTheRanksOfSlurm) {
    const std::string job =
        "#SBATCH -N 4\n#SBATCH --ntasks-per-node=1 --gres=gpu:a100:8\nGPUS=8\n"
        "WORLD=$((SLURM_NNODES * GPUS))\n";
    const LaunchFolder yaml = {
        {"a.yaml", "distributed_type: MULTI_GPU\nnum_machines: 2\nnum_processes: 16\n"}};
    const auto ranks = [&](const std::string& start) {
        LaunchFolder folder = yaml;
        folder["run.sh"] = job + start + " t.py --output_dir o --bf16\n";
        return readOf(folder, "layout", "dp");
    };
    const std::string accelerate = "srun accelerate launch --config_file a.yaml ";
    EXPECT_EQ(ranks(accelerate + "--num_processes $WORLD"), "32");
    EXPECT_EQ(ranks(accelerate + "--num_processes $(( $SLURM_NNODES*(4 + 4) ))"), "32");
    EXPECT_EQ(ranks(accelerate), "16");
    EXPECT_EQ(ranks(accelerate + "--num_processes $((OTHERS * 8))"), "-");
    EXPECT_EQ(ranks("L=\"" + accelerate + "--num_processes $((SLURM_NNODES * 8))\"\n$L"), "32");
    EXPECT_EQ(ranks("L=\"" + accelerate + "--num_processes $((OTHERS * 8))\"\n$L"), "-");
    EXPECT_EQ(ranks("srun torchrun --nnodes $SLURM_JOB_NUM_NODES --nproc-per-node "
                    "$SLURM_GPUS_ON_NODE"),
              "32");
    EXPECT_EQ(ranks("torchrun --nproc-per-node $((7/0))"), "-");
    EXPECT_EQ(ranks(accelerate + "--num_processes 8 8"),
              "run.sh:5:45: accelerate launch --num_processes must be one number (write the number "
              "itself: nothing is run to find it)");
}

TEST(ImportOfStarted, AssumesNothingOfCheckpointingThatIsTyped) {
    LaunchFolder folder = {{"z.json", R"({"zero_optimization": {"stage": 3}})"}};
    const auto assumed = [&folder](const std::string& more) {
        folder["run.sh"] = "deepspeed --num_gpus 4 t.py --output_dir o --bf16 " + more + "\n";
        const std::string all = readFrom(folder, "run.sh", "imported.assumed");
        return all.find("recomputation is not said") != std::string::npos;
    };
    EXPECT_FALSE(assumed("--deepspeed z.json --gradient_checkpointing"));
}

}  // namespace
}  // namespace fabricast
