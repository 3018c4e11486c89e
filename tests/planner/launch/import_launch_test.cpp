#include "planner/launch/import_launch.h"

#include "planner/launch/pipeline_parts.h"
#include "planner/launch/shell_words.h"
#include "planner/launch/torchtitan_keys.h"
#include "tests/planner/launch/launch_example.h"
#include "tests/support/text_mutator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>

namespace fabricast {
namespace {

Result<std::string> noFile(const std::string& name) {
    return fail(Error::Code::NotFound, name, "is not there");
}

Result<JsonValue> imported(const std::string& text, const std::string& source) {
    const auto layers = [](const std::string&) { return std::optional(std::int64_t{8}); };
    return importLaunch(text, source, {.read = &noFile, .layers = layers});
}

std::string why(const std::string& text, const std::string& source) {
    const auto scenario = imported(text, source);
    return scenario ? "" : scenario.error().where + ": " + scenario.error().why;
}

std::vector<std::vector<std::string>> wordsOf(const std::string& script) {
    std::vector<std::vector<std::string>> commands;
    const ShellScript read = readShellScript(script, "run.sh").value();
    for (const ShellCommand& command : read.commands) {
        std::vector<std::string> words;
        for (const ShellWord& word : command) {
            words.push_back(word.text);
        }
        commands.push_back(words);
    }
    return commands;
}

TEST(ShellWords, AreThoseThatTheShellWouldPass) {
    using Words = std::vector<std::vector<std::string>>;
    EXPECT_EQ(wordsOf("a 'b c' \"d e\" f\\ g # h\n"), (Words{{"a", "b c", "d e", "f g"}}));
    EXPECT_EQ(wordsOf("A=4; B=\"$A$A\"\nx $B ${A} ${C:-7} $D\n"),
              (Words{{"x", "44", "4", "7", "$D"}}));
    EXPECT_EQ(wordsOf("L=(--a 1 # note\n  --b)\nL+=(--c)\nx \"${L[@]}\" y\n"),
              (Words{{"x", "--a", "1", "--b", "--c", "y"}}));
    EXPECT_EQ(wordsOf("S=\"\n  --a 1 \\\n  --b\"\nx $S \"$S\" p$S\n"),
              (Words{{"x", "--a", "1", "--b", "\n  --a 1   --b", "p", "--a", "1", "--b"}}));
    EXPECT_EQ(wordsOf("a \\\n  b\nc && d | e"), (Words{{"a", "b"}, {"c"}, {"d"}, {"e"}}));
    EXPECT_EQ(wordsOf("export N=2\nfor i in 1 2; do x $i; done"),
              (Words{{"for", "i", "in", "1", "2"}, {"x", "$i"}}));
}

// A script within a script is read with the variables that are known around it.
TEST(ShellWords, AreThoseOfAScriptWithinAScript) {
    using Words = std::vector<std::vector<std::string>>;
    EXPECT_EQ(wordsOf("srun -n 2 bash -c 'cd x && torchrun a.py --b \"c d\"'\n"),
              (Words{{"srun", "-n", "2", "cd", "x"},
                     {"srun", "-n", "2", "torchrun", "a.py", "--b", "c d"}}));
    EXPECT_EQ(wordsOf("N=8\nbash -lc \"torchrun --n $N \\\n  a.py \\$RANK $N\"\n"),
              (Words{{"torchrun", "--n", "8", "a.py", "$RANK", "8"}}));
    EXPECT_EQ(wordsOf("C=\"torchrun a.py\"\neval \"$C --b\"\neval $C\n"),
              (Words{{"torchrun", "a.py", "--b"}, {"eval", "torchrun", "a.py"}}));
    EXPECT_EQ(wordsOf("N=1\nbash -c 'N=2; x $N'\ny $N\n"), (Words{{"x", "2"}, {"y", "1"}}));
    EXPECT_EQ(wordsOf("grep -c 'a b' c\n"), (Words{{"grep", "-c", "a b", "c"}}));
    const ShellScript read = readShellScript("bash -c '\n  a \\\n   b'\n", "run.sh").value();
    ASSERT_EQ(read.commands.size(), 1U);
    EXPECT_EQ(read.commands[0][1].line, 3);
    EXPECT_EQ(read.commands[0][1].column, 4);
}

// Whose decoder Megatron's arguments make; what is not known is the model's, which -m names.
TEST(ImportMegatron, ReadsTheShapeOfTheDecodersThatItKnows) {
    const auto typeOf = [](const std::string& more) {
        const auto run = imported(
            "--num-layers 8 --hidden-size 512 --ffn-hidden-size 2048 --num-attention-heads 8 "
            "--normalization RMSNorm --swiglu --vocab-size 32000 --seq-length 4096 "
            "--micro-batch-size 1 --bf16 " +
                more,
            "a.sh");
        const JsonValue* const model = run ? run->find("model") : nullptr;
        const JsonValue* const window = model == nullptr ? nullptr : model->find("sliding_window");
        return model == nullptr ? run ? "" : run.error().text()
                                : model->find("model_type")->text().value() +
                                      (window == nullptr ? "" : " " + window->shown());
    };
    const std::string experts = "--num-experts 8 --moe-ffn-hidden-size 256 --moe-router-topk 2 ";
    EXPECT_EQ(typeOf(""), "llama");
    EXPECT_EQ(typeOf("--add-qkv-bias"), "qwen2");
    EXPECT_EQ(typeOf("--qk-layernorm"), "qwen3");
    EXPECT_EQ(typeOf("--window-size 4095,0"), "mistral 4096");
    EXPECT_EQ(typeOf(experts), "mixtral");
    EXPECT_EQ(typeOf(experts + "--qk-layernorm --moe-layer-freq '([1]*8)'"), "qwen3_moe");
    EXPECT_EQ(typeOf(experts + "--qk-layernorm --moe-layer-freq '([0]*1+[1]*7)'"), "");
    const std::string latent = experts +
                               "--multi-latent-attention --moe-layer-freq "
                               "'([0]*1+[1]*7)' --moe-shared-expert-intermediate-size ";
    EXPECT_EQ(typeOf(latent + "512 --qk-layernorm"), "deepseek_v2");
    EXPECT_EQ(typeOf(latent + "512 --qk-layernorm --moe-router-score-function sigmoid "
                              "--moe-router-enable-expert-bias --mtp-num-layers 1"),
              "deepseek_v3");
    EXPECT_EQ(typeOf(latent + "500 --qk-layernorm"), "");
    EXPECT_EQ(typeOf(latent + "512"), "");
    EXPECT_EQ(typeOf("--add-qkv-bias --qk-layernorm"), "");
    EXPECT_EQ(typeOf("--rotary-percent 0.5"), "");
    EXPECT_EQ(typeOf("--softmax-type learnable"), "");
    EXPECT_EQ(typeOf("--window-size 4095,0 --window-attn-skip-freq 2"), "");
    EXPECT_EQ(typeOf("--window-size wide"),
              "a.sh:1:179: --window-size must be two numbers (4095,0)");
}

TEST(ImportMegatron, ReadsThatRotaryEmbeddingIsWrittenOut) {
    const auto fusionOf = [](const std::string& more) {
        const JsonValue run = imported(
                                  "--num-layers 8 --hidden-size 512 --ffn-hidden-size 2048 "
                                  "--num-attention-heads 8 --normalization RMSNorm --swiglu "
                                  "--vocab-size 32000 --seq-length 4096 --micro-batch-size 1 "
                                  "--bf16 " +
                                      more,
                                  "a.sh")
                                  .value();
        const JsonValue* const settings = run.find("settings");
        const JsonValue* const megatron =
            settings == nullptr ? nullptr : settings->find("megatron");
        const JsonValue* const fusion =
            megatron == nullptr ? nullptr : megatron->find("rope_fusion");
        return fusion == nullptr ? "" : fusion->shown();
    };
    EXPECT_EQ(fusionOf(""), "");
    EXPECT_EQ(fusionOf("--no-rope-fusion"), "false");
}

// Of commands that name a script only those that run it start it.
TEST(ShellKeys, TellWhatIsStartedFromWhatIsNot) {
    const auto started = [](const std::string& lines) {
        const LaunchKeys keys = readShellKeys("#SBATCH -N 2\n" + lines, "job.sbatch").value();
        const LaunchKey* const key = keys.find("starts");
        return key == nullptr ? "" : key->values.front();
    };
    for (const char* const line : {"eval \"$(conda shell.bash hook)\"",
                                   "eval \"$(micromamba shell hook --shell bash)\"",
                                   "[[ -f setup.sh ]] && source setup.sh",
                                   ". \"$(conda info --base)/etc/profile.d/conda.sh\"",
                                   "dos2unix run.sh",
                                   "sed -i s/a/b/ run.sh",
                                   "git add run.sh"}) {
        EXPECT_EQ(started(line), "") << line;
    }
    for (const char* const line : {"bash run.sh",
                                   "./run.sh",
                                   "srun ./run.sh",
                                   "srun --container-image=x bash -c 'cd y && bash run.sh'",
                                   "singularity exec --nv x.sif bash run.sh",
                                   "timeout 10h /bin/bash \"$SLURM_SUBMIT_DIR/run.sh\"",
                                   "eval \"$(conda shell.bash hook)\"\nbash run.sh"}) {
        EXPECT_EQ(started(line).substr(started(line).rfind('/') + 1), "run.sh") << line;
    }
}

// Which branch is taken is not worked out: what they set is not known, and so said.
TEST(ShellWords, KnowNothingThatABranchSets) {
    using Words = std::vector<std::vector<std::string>>;
    EXPECT_EQ(wordsOf("T=2\nif [ $M = 8 ]\nthen T=1; A=(--x)\nfi\nrun $T ${A[@]}\nT=3\nrun $T\n"),
              (Words{{"[", "$M", "=", "8", "]"}, {"run", "$T", "$A[@]"}, {"run", "3"}}));
    EXPECT_EQ(wordsOf("A=(\"--a 1\" b)\nx ${A[@]} \"${A[@]}\" ${C:-\"7\"}\n"),
              (Words{{"x", "--a", "1", "b", "--a 1", "b", "7"}}));
}

TEST(ShellWords, LeaveOutWhatIsNotTheCommands) {
    using Words = std::vector<std::vector<std::string>>;
    EXPECT_EQ(wordsOf("x --a 4 2>&1 | tee log\ny > out 2> err --b\n"),
              (Words{{"x", "--a", "4"}, {"tee", "log"}, {"y", "--b"}}));
    EXPECT_EQ(wordsOf("cat <<'END' > job\nx pretrain_gpt.py\nEND\ny\n"), (Words{{"cat"}, {"y"}}));
    EXPECT_EQ(wordsOf("A=\"--a 1\"\nA+=\" --b\"\nx $A\n"), (Words{{"x", "--a", "1", "--b"}}));
    EXPECT_EQ(wordsOf("T=2\n[ -n \"$B\" ] && T=8\nx $T\n"),
              (Words{{"[", "-n", "$B", "]"}, {"x", "$T"}}));
    EXPECT_EQ(wordsOf("T=2\n(T=8)\nx $T\nU=1 y\nz $U\n"), (Words{{"x", "$T"}, {"y"}, {"z", "$U"}}));
    EXPECT_EQ(wordsOf("T=4; unset T; x ${T:-2}\n").back(), (std::vector<std::string>{"x", "$T"}));
    // As bash has them; what it cuts out of a value is worked out when it runs.
    EXPECT_EQ(
        wordsOf("A=4; E=; x ${A:+--tp $A} ${E:+no} ${E+yes} ${A-1} ${E-1} ${E:-${A}} ${A:?no}\n"),
        (std::vector<std::vector<std::string>>{{"x", "--tp", "4", "yes", "4", "4", "4"}}));
    EXPECT_EQ(wordsOf("A=4096000; x ${A%000} ${A#4} ${A:0:2} ${A/0/1} ${A@Q} ${B:+3}\n"),
              (std::vector<std::vector<std::string>>{{"x", "$A", "$A", "$A", "$A", "$A", "$B"}}));
    EXPECT_EQ(wordsOf("declare -i S=4; S+=2; readonly R=1; declare -x X=3; x $S $R $X\n").back(),
              (std::vector<std::string>{"x", "$S", "1", "3"}));
    std::string deep = "x ";  // as deep as nobody writes it
    for (int level = 0; level < 50'000; ++level) {
        deep += "${A:-";
    }
    EXPECT_EQ(wordsOf(deep + std::string(50'000, '}') + "\n").back(),
              (std::vector<std::string>{"x", "$A"}));
}

TEST(ShellWords, StandWhereTheyAreWritten) {
    const ShellScript script =
        readShellScript("A=(\n    --bf16\n    --seq-length 8)\nrun \"${A[@]}\"\n", "run.sh")
            .value();
    const std::vector<ShellCommand>& commands = script.commands;
    EXPECT_EQ(commands[0][1].line, 2);
    EXPECT_EQ(commands[0][1].column, 5);
    EXPECT_EQ(commands[0][3].line, 3);
    // Words of a value stand where the value was written, through another one, too.
    const ShellCommand quoted =
        readShellScript("A=\"--bf16 \\\n  --lr 1\"\nB=\"$A --c\"\nA+=\" --d\"\nrun $B p$A\n",
                        "run.sh")
            .value()
            .commands[0];
    const auto placeOf = [&quoted](std::size_t word) {
        return quoted[word].text + " " + std::to_string(quoted[word].line) + ":" +
               std::to_string(quoted[word].column);
    };
    ASSERT_EQ(quoted.size(), 9U);
    EXPECT_EQ(placeOf(1), "--bf16 1:4");
    EXPECT_EQ(placeOf(2), "--lr 2:3");
    EXPECT_EQ(placeOf(4), "--c 3:7");
    EXPECT_EQ(placeOf(5), "p--bf16 5:8");
    EXPECT_EQ(placeOf(8), "--d 4:6");
}

// A script that is started as it stands is given no arguments, unless all of them are.
TEST(ShellWords, HaveNothingTypedBehind) {
    for (const char* const typed : {"\"$@\"", "$@", "\"${@}\"", "\"${@:2}\"", "$*"}) {
        const LaunchKeys keys =
            readShellKeys("torchrun pretrain_gpt.py --lr 1 --bf16 " + std::string(typed) + "\n",
                          "run.sh")
                .value();
        EXPECT_TRUE(keys.find("--bf16")->values.empty()) << typed;
        EXPECT_EQ(keys.all().size(), 4U) << typed;  // and torchrun, the script
    }
    const LaunchKeys all = readShellKeys("torchrun pretrain_gpt.py \"$@\"\n", "run.sh").value();
    EXPECT_NE(all.find("$@"), nullptr);
}

// Slurm reads comments, and a command has what is exported before it.
TEST(ShellScripts, HaveABatchAndAnEnvironment) {
    const LaunchKeys keys =
        readShellKeys(
            "#!/bin/bash\n#SBATCH --nodes=2 -n 16\n#SBATCH -N4\n # #SBATCH -n 9\n"
            "A=1\nexport A B=2\nif x; then export C=3; fi\n"
            "D=4 torchrun train.py --bf16\n",
            "run.sh")
            .value();
    const auto value = [&keys](const char* path) {
        const LaunchKey* const key = keys.find(path);
        return key == nullptr ? std::string("-") : key->values.front();
    };
    EXPECT_EQ(value("sbatch --nodes"), "4");
    EXPECT_EQ(value("sbatch --ntasks"), "16");
    EXPECT_EQ(value("env A") + value("env B") + value("env C") + value("env D"), "12-4");
    EXPECT_EQ(keys.where(*keys.find("sbatch --ntasks")), "run.sh:2:19");
}

TEST(Import, NamesThePlaceOfWhatIsWrong) {
    EXPECT_EQ(why("[parallelism]\ntensor_parallel_degree = \"two\"\n", "a.toml").substr(0, 11),
              "a.toml:2:1:");
    EXPECT_EQ(why("[parallelism\n", "a.toml").substr(0, 9), "a.toml:1:");
    EXPECT_EQ(why("base_model: x\noptimizer: best\n", "a.yaml").substr(0, 11), "a.yaml:2:1:");
    EXPECT_EQ(why("base_model: [x\n", "a.yaml").substr(0, 7), "a.yaml:");
    EXPECT_EQ(why("base_model: x\nadapter: qlora\n", "a.yaml"),
              "a.yaml:2:1: adapter Require cfg.load_in_4bit to be True for qlora");
    EXPECT_EQ(why("{\"zero_optimization\": {\"stage\": 4}}", "ds.json"),
              "ds.json:1:33: zero_optimization.stage is 0 to 3");
    EXPECT_EQ(why("--tensor-model-parallel-size $TP\n", "a.sh").substr(0, 9), "a.sh:1:1:");
    EXPECT_EQ(why("echo hello\n", "a.sh"), "a.sh: no command of it starts a training script");
    EXPECT_EQ(why("base_model: x\ndeepspeed: z.json\n", "a.yaml"),
              "a.yaml:2:1: deepspeed: z.json is not there");
}

// Scripts that start each other would be read without end.
// yaml-cpp takes the end of the file for the quote's.
TEST(Import, NamesWhereAQuoteBegins) {
    const auto open = [](const std::string& place, const char* quote) {
        return place + ": a text that began with " + quote + " does not end";
    };
    EXPECT_EQ(why("base_model: \"a/b\nmicro_batch_size: 1\n", "a.yaml"), open("a.yaml:1:13", "\""));
    EXPECT_EQ(why("base_model: a\nx: [b, 'it''s]\n", "a.yaml").substr(0, 7), "a.yaml:");
    EXPECT_EQ(why("base_model: a\n'x: 1\n", "a.yaml").substr(0, 7), "a.yaml:");
    EXPECT_EQ(why("base_model: \"a\\\"b\"\nx: 'it''s'\n", "a.yaml"), "");
    EXPECT_EQ(why("x\ntorchrun \"a.py\n\n", "a.sh"), open("a.sh:2:10", "\""));
    EXPECT_EQ(why("\xff\xfe", "a.yaml"), "a.yaml:1:1: is no YAML of keys and values");
}

TEST(Import, RefusesAScriptThatIsStartedToStartAnother) {
    const auto read = [](const std::string& name) -> Result<std::string> {
        return std::string("#!/bin/bash\nbash ") + (name == "a.sh" ? "b.sh" : "a.sh") + "\n";
    };
    const auto error = importLaunch("#!/bin/bash\nbash a.sh\n", "a.sh", {.read = read});
    ASSERT_FALSE(error);
    EXPECT_EQ(error.error().text(),
              "a.sh:2:6: starts a script again, as a.sh does (give the script that starts the "
              "training)");
}

TEST(Import, TakesTheCommandThatStartsATraining) {
    const std::string check = "if [ ! -f pretrain_gpt.py ]; then exit 1; fi\n";
    const JsonValue scenario =
        imported(check +
                     "torchrun --nproc_per_node 8 pretrain_gpt.py --micro-batch-size 1 "
                     "--tensor-model-parallel-size 2\n",
                 "a.sh")
            .value();
    EXPECT_EQ(scenario.find("layout")->find("tp")->shown(), "2");
    EXPECT_EQ(why("torchrun train.py --lr 1\n", "a.sh"),
              "a.sh:1:10: train.py is not there, and what it trains with is not known");
    EXPECT_EQ(why("deepspeed train.py --deepspeed ds.json\n", "a.sh"),
              "a.sh:1:20: --deepspeed: ds.json is not there");
    EXPECT_EQ(why("case $R in a) L=(--num-layers 2);; esac\nx pretrain_gpt.py --micro-batch-size 1 "
                  "${L[@]}\n",
                  "a.sh"),
              "a.sh:2:40: $L[@] is not known: it is set in a branch, or outside the script");
}

// torchtitan 0.2.2: components are "model" and "loss", of which the model is what compile is
// forecast for.
TEST(Import, ReadsWhichPartsOfTorchtitanAreCompiled) {
    const auto compiles = [](const std::string& more) {
        return readFrom({{"a.toml",
                          "[model]\nname = \"llama3\"\nflavor = "
                          "\"8B\"\n[activation_checkpoint]\nmode = \"full\"\n[compile]\n" +
                              more}},
                        "a.toml",
                        "settings.kernels.compile");
    };
    EXPECT_EQ(compiles("enable = true\n"), "true");
    EXPECT_EQ(compiles("enable = true\ncomponents = [\"model\", \"loss\"]\n"), "true");
    EXPECT_EQ(compiles("enable = true\ncomponents = [\"loss\"]\n"), "false");
}

TEST(Import, ReadsTorchtitansAsynchronousTensorParallelism) {
    for (const char* const section : {"[parallelism]", "[compile]"}) {
        const std::string file =
            "[model]\nname = \"llama3\"\nflavor = \"8B\"\n"
            "[activation_checkpoint]\nmode = \"full\"\n" +
            std::string(section) + "\nenable_async_tensor_parallel = true\n";
        EXPECT_EQ(readFrom({{"a.toml", file}}, "a.toml", "settings.megatron.tensor_overlap"),
                  "true")
            << section;
    }
}

// Megatron's default beside --fp8-format: the copies of weights and inputs are those of tensorwise.
TEST(ImportMegatron, ReadsFp8WithDelayedScales) {
    const auto read = [](const std::string& typed, const std::string& path) {
        return readFrom({{"run.sh",
                          "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 "
                          "--micro-batch-size 1 --bf16 " +
                              typed}},
                        "run.sh",
                        path);
    };
    const std::string quantization = "settings.kernels.quantization";
    const std::string format = "--fp8-format hybrid --fp8-amax-history-len 1024";
    for (const char* const recipe : {"", " --fp8-recipe delayed", " --fp8-recipe tensorwise"}) {
        EXPECT_EQ(read(format + recipe, quantization), "\"fp8_tensorwise\"");
    }
    const std::string assumed = "imported.assumed." + quantization;
    EXPECT_NE(read(format, assumed).find("delayed scales"), std::string::npos);
    EXPECT_EQ(read(format + " --fp8-recipe tensorwise", assumed), "-");
    EXPECT_NE(read(format + " --fp8-recipe custom", quantization).find("custom is not modelled"),
              std::string::npos);
}

// A batch that grows is forecast as it ends: the memory of a step is that of its microbatches.
TEST(ImportMegatron, TakesABatchThatGrows) {
    const LaunchFolder folder = {
        {"run.sh",
         "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --micro-batch-size 1 "
         "--global-batch-size 64 --rampup-batch-size 16 16 5859375 --bf16\n"}};
    EXPECT_EQ(readFrom(folder, "run.sh", "workload.global_batch"), "64");
    EXPECT_EQ(readFrom(folder, "run.sh", "layout.micro_batch"), "1");
}

// Megatron-LM's own example: 16 stages of 8 tensor ranks, and NUM_NODES=1 to be changed.
TEST(Import, SaysWhereTooFewRanksForAModelAreStarted) {
    EXPECT_EQ(readFrom({{"run.sh",
                         "torchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py --num-layers 32 "
                         "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 16\n"}},
                       "run.sh",
                       "layout.dp"),
              "run.sh:1:29: world size (8) is not divisible by total_model_size "
              "(total_model_size=128) (ranks that are a multiple of 128, or a smaller "
              "--pipeline-model-parallel-size)");
}

TEST(Import, ReadsAxolotlAsItWasWritten) {
    const std::string base = "base_model: x\nmicro_batch_size: 1\n";
    const auto layoutOf = [&](const std::string& more) {
        const JsonValue scenario = imported(base + more, "a.yaml").value();
        const JsonValue* const layout = scenario.find("layout");
        const JsonValue* const offload = layout->find("offload");
        return layout->find("shard")->text().value() + " " +
               (offload == nullptr ? "" : offload->text().value());
    };
    EXPECT_EQ(layoutOf("fsdp:\nfsdp_config:\n"), "none ");
    EXPECT_EQ(layoutOf("fsdp: [full_shard, auto_wrap]\nfsdp_config:\n"
                       "  fsdp_offload_params: true\n"),
              "fsdp parameters_cpu");
    EXPECT_EQ(why(base + "fsdp_config:\n  fsdp_sharding_strategy: HYBRID_SHARD\n", "a.yaml"),
              "a.yaml:4:3: fsdp_config.sharding_strategy is not modelled for FSDP2");
}

// Axolotl's check_gradient_checkpointing_w_offload turns `offload` into activation_offloading.
TEST(Import, ReadsAxolotlsOffloadOfActivations) {
    const std::string run = "base_model: m\nmicro_batch_size: 1\ngradient_checkpointing: ";
    const auto read = [&run](const std::string& more) {
        const auto found = imported(run + more + "\n", "a.yaml");
        if (!found) {
            return found.error().text();
        }
        const JsonValue* const offload = found->find("layout")->find("offload");
        const JsonValue* const settings = found->find("settings");
        const bool isLegacy = settings != nullptr && settings->find("torch") != nullptr &&
                              settings->find("torch")->find("offload_stream") != nullptr;
        return (offload == nullptr ? "none" : offload->text().value()) +
               (isLegacy ? " in line" : "") + " " +
               found->find("layout")->find("recompute")->text().value();
    };
    EXPECT_EQ(read("true"), "none full");
    EXPECT_EQ(read("true\nactivation_offloading: false"), "none full");
    EXPECT_EQ(read("true\nactivation_offloading: true"), "activations full");
    EXPECT_EQ(read("true\nactivation_offloading: legacy"), "activations in line full");
    EXPECT_EQ(read("offload"), "activations full");
    for (const std::string what : {"disk", "hidden_states"}) {
        EXPECT_TRUE(
            read("true\nactivation_offloading: " + what)
                .starts_with("a.yaml:4:1: activation_offloading \"" + what + "\" is not modelled"))
            << read("true\nactivation_offloading: " + what);
    }
    EXPECT_TRUE(read("offload_disk").starts_with("a.yaml:3:1: gradient_checkpointing \"disk\""))
        << read("offload_disk");
    EXPECT_TRUE(read("true\nactivation_offloading: true\nadapter: lora")
                    .starts_with("a.yaml:4:1: activation_offloading is not modelled with adapters"))
        << read("true\nactivation_offloading: true\nadapter: lora");
}

// Axolotl's setup_fsdp_envs hands activation_checkpointing to Accelerate, which wraps every layer.
TEST(Import, ReadsAxolotlsWrappedCheckpoints) {
    const auto recomputeOf = [](const std::string& more) {
        const JsonValue run = imported("base_model: x\n" + more, "a.yaml").value();
        return run.find("layout")->find("recompute")->text().value();
    };
    EXPECT_EQ(recomputeOf(""), "none");
    EXPECT_EQ(recomputeOf("gradient_checkpointing: true\n"), "full");
    EXPECT_EQ(recomputeOf("fsdp_version: 2\nfsdp_config:\n  activation_checkpointing: true\n"),
              "full");
    EXPECT_EQ(recomputeOf("fsdp_config:\n  fsdp_activation_checkpointing: true\n"), "full");
}

// What is told not to be done has its place too.
// How long a run is, as its framework counts it.
TEST(Import, ReadsTheLengthOfTheRun) {
    const auto length = [](const std::string& text, const std::string& source) {
        const auto scenario = imported(text, source);
        EXPECT_TRUE(scenario) << scenario.error().text();
        const JsonValue* const workload = scenario->find("workload");
        const JsonValue* const said = workload == nullptr ? nullptr : workload->find("tokens");
        return said == nullptr ? "" : said->text().value() + " " + said->where();
    };
    const std::string axolotl = "base_model: m\nmicro_batch_size: 1\n";
    EXPECT_EQ(length(axolotl + "max_steps: 1000\n", "a.yaml"), "1000 steps a.yaml:3:1");
    EXPECT_EQ(length(axolotl + "max_steps: -1\nnum_epochs: 2\n", "a.yaml"), "");
    EXPECT_EQ(length("[training]\nlocal_batch_size = 1\nsteps = 500\n", "train.toml"),
              "500 steps train.toml:3:1");
    const std::string megatron =
        "python pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 8 "
        "--seq-length 4096 --micro-batch-size 1 --global-batch-size 64 --bf16 ";
    EXPECT_EQ(length(megatron + "--train-iters 50000", "run.sh").substr(0, 11), "50000 steps");
    EXPECT_EQ(length(megatron + "--train-samples 1000000", "run.sh").substr(0, 15),
              "1000000 samples");
    const std::string trainer = "python train.py --model_name_or_path m --bf16 true ";
    EXPECT_EQ(
        length(trainer + "--max_steps 300 --per_device_train_batch_size 2", "run.sh").substr(0, 9),
        "300 steps");
}

TEST(Import, NamesTheLineThatTurnsCheckpointsOff) {
    const JsonValue axolotl =
        imported("base_model: x\ngradient_checkpointing: false\n", "a.yaml").value();
    EXPECT_EQ(axolotl.find("layout")->find("recompute")->line(), 2);
    const ImportContext context{.read = [](const std::string&) -> Result<NamedText> {
        return NamedText("{\"train_micro_batch_size_per_gpu\": 1}");
    }};
    for (const std::string more : {"--deepspeed ds.json", "--bf16 true"}) {
        const auto run = importLaunch("torchrun --nproc-per-node 8 train.py " + more +
                                          " --per_device_train_batch_size 1 \\\n"
                                          "  --gradient_checkpointing false\n",
                                      "run.sh",
                                      context);
        ASSERT_TRUE(run) << run.error().text();
        EXPECT_EQ(run->find("layout")->find("recompute")->text().value(), "none");
        EXPECT_EQ(run->find("layout")->find("recompute")->line(), 2);
    }
}

// DeepSpeed casts what is trained, at stage 0, too: the type that is loaded changes nothing.
TEST(Import, LeavesTheTypeOfTrainedWeightsToDeepspeed) {
    const LaunchFolder folder = {
        {"run.sh",
         "torchrun --nproc-per-node 8 train.py --deepspeed ds.json --dtype bfloat16 --bf16 true "
         "--per_device_train_batch_size 1 --gradient_accumulation_steps 1 --output_dir o\n"},
        {"ds.json",
         "{\"train_batch_size\": 8, \"train_micro_batch_size_per_gpu\": 1, "
         "\"gradient_accumulation_steps\": 1, \"bf16\": {\"enabled\": true}}\n"}};
    EXPECT_EQ(readFrom(folder, "run.sh", "settings.precision.moments"), "-");
    EXPECT_EQ(readFrom(folder, "run.sh", "stack"), "\"deepspeed\"");
    EXPECT_EQ(readFrom(folder, "run.sh", "layout.recompute"), "-");
}

// Axolotl's bf16 is "auto" where it is not said: bf16 where the GPU has it, or else fp16.
TEST(Import, LeavesAxolotlsPrecisionToTheGpu) {
    const auto precisionOf = [](const std::string& more) {
        const JsonValue run = imported("base_model: x\nadapter: lora\n" + more, "a.yaml").value();
        const JsonValue* const precision = run.find("workload")->find("precision");
        const JsonValue* const base = run.find("settings")->find("lora");
        return (precision == nullptr ? "-" : precision->text().value()) + " " +
               (base == nullptr ? "-" : base->find("base")->text().value());
    };
    EXPECT_EQ(precisionOf(""), "auto -");
    EXPECT_EQ(precisionOf("bf16: auto\n"), "auto -");
    EXPECT_EQ(precisionOf("bf16: true\n"), "- bf16");
    EXPECT_EQ(precisionOf("fp16: true\n"), "fp16 fp16");
    EXPECT_EQ(precisionOf("bf16: false\n"), "fp32 fp32");
}

// AxolotlInputConfig 0.19, validate_ring_attn_func: packed sequences are gathered, others go round.
TEST(Import, ReadsWhichRingAxolotlHas) {
    const auto kindOf = [](const std::string& more) {
        const auto run = imported("base_model: x\ncontext_parallel_size: 2\n" + more, "a.yaml");
        return run ? run->find("layout")->find("cp_kind")->text().value() : run.error().text();
    };
    EXPECT_EQ(kindOf("sample_packing: true\n"), "allgather");
    EXPECT_EQ(kindOf("sample_packing: false\n"), "ring");
    EXPECT_EQ(kindOf(""), "ring");
    EXPECT_EQ(kindOf("ring_attn_func: batch_ring\n"), "ring");
    EXPECT_EQ(kindOf("ring_attn_func: varlen_llama3\n"), "allgather");
    EXPECT_NE(kindOf("ring_attn_func: batch_zigzag\n").find("a.yaml:3:1"), std::string::npos);
}

TEST(Import, TakesFloat8OfTorchtitanWhereItIsConverted) {
    const std::string model = "[model]\nname = \"llama3\"\nflavor = \"8B\"\nconverters = [";
    const std::string rest = "]\n[activation_checkpoint]\nmode = \"full\"\n";
    const JsonValue scenario =
        imported(model + "\"quantize.linear.float8\"" + rest, "a.toml").value();
    EXPECT_EQ(scenario.find("settings")->find("kernels")->find("quantization")->text().value(),
              "fp8_tensorwise");
    EXPECT_NE(why(model + "\"other\"" + rest, "a.toml"), "");
}

TEST(Import, RefusesWhatWouldChangeTheForecast) {
    const std::string zero = "{\"zero_optimization\": {\"stage\": 3, ";
    EXPECT_EQ(why(zero + "\"zero_hpz_partition_size\": 8}}", "ds.json"),
              "ds.json:1:63: zero_optimization.zero_hpz_partition_size is not modelled");
    EXPECT_EQ(why(zero + "\"zero_hpz_partition_size\": 1}}", "ds.json"), "");
    EXPECT_EQ(why("base_model: x\nrl: dpo\n", "a.yaml"), "a.yaml:2:1: rl is not modelled");
    EXPECT_NE(imported("base_model: x\nrl: dpo\n", "a.yaml")
                  .error()
                  .hint.find("--set settings.reference=whole|sharded"),
              std::string::npos);
    EXPECT_EQ(why("base_model: x\nrl: null\n", "a.yaml"), "");
    EXPECT_EQ(why("--micro-batch-size 1\n--use-torch-fsdp2\n", "a.sh"),
              "a.sh:2:1: --use-torch-fsdp2 is not modelled");
    EXPECT_EQ(why("--micro-batch-size 1 2\n", "a.sh"),
              "a.sh:1:1: --micro-batch-size must be one number");
    EXPECT_EQ(why("distributed_type: FSDP\nmixed_precision: fp32\n", "a.yaml"),
              "a.yaml:2:1: mixed_precision is no, fp16, bf16 or fp8");
    EXPECT_EQ(why("{\"train_batch_size\": 64, \"train_micro_batch_size_per_gpu\": 2, "
                  "\"gradient_accumulation_steps\": 3}",
                  "ds.json"),
              "ds.json:1:22: train_batch_size 64 is not a multiple of 6, a micro-batch times "
              "gradient_accumulation_steps");
}

TEST(Import, TakesThePrecisionThatAFrameworkHasWithoutOne) {
    const auto precisionOf = [](const std::string& text, const std::string& source) {
        const JsonValue scenario = imported(text, source).value();
        const JsonValue* const workload = scenario.find("workload");
        const JsonValue* const said = workload == nullptr ? nullptr : workload->find("precision");
        return said == nullptr ? "" : said->text().value();
    };
    EXPECT_EQ(precisionOf("{\"train_batch_size\": 8}", "ds.json"), "fp32");
    EXPECT_EQ(
        precisionOf("{\"train_batch_size\": 8, \"bf16\": {\"enabled\": \"auto\"}}", "ds.json"), "");
    EXPECT_EQ(precisionOf("distributed_type: FSDP\n", "a.yaml"), "fp32");
    EXPECT_EQ(precisionOf("base_model: x\nbf16: full\n", "a.yaml"), "pure_bf16");
}

TEST(Import, SaysWhatItDoesNotLookAt) {
    const std::string yaml = "base_model: x\nlearning_rate: 1\nmystery: 4\n";
    const JsonValue scenario = imported(yaml + "sample_packing: true\n", "a.yaml").value();
    const auto notes = scenario.find("imported")->find("notes")->items();
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(notes[0].text().value(), "not looked at: mystery (line 3)");
    const JsonValue longer =
        imported("base_model: x\nsample_packing: true\nspecial_tokens:\n  pad_token: <p>\n",
                 "a.yaml")
            .value();
    EXPECT_EQ(
        longer.find("imported")->find("notes")->items()[0].text().value(),
        "tokens that the tokenizer does not have yet (special_tokens.pad_token) are a row each "
        "of embedding and head, which is not counted");
    const JsonValue open = imported(yaml, "a.yaml").value();
    EXPECT_EQ(open.find("imported")->find("notes")->items()[0].text().value(),
              "samples are not packed: forecast with all as long as sequence_len");
}

TEST(Import, AdvisesToLeaveFsdp1) {
    const JsonValue scenario = imported(
                                   "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n"
                                   "  fsdp_sharding_strategy: FULL_SHARD\n",
                                   "a.yaml")
                                   .value();
    EXPECT_NE(scenario.find("imported")
                  ->find("notes")
                  ->items()[0]
                  .text()
                  .value()
                  .find("set fsdp_version: 2"),
              std::string::npos);
}

/// Texts that grow, or nest, without end.
TEST(Import, EndsSoonWhateverTheFileIs) {
    std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 30; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {x: " + before +
                ", y: " + before + "}\n";
    }
    std::string doubling = "A=xxxxxxxx\n";
    std::string lists = "L=(a b)\n";
    for (int i = 0; i < 60; ++i) {
        doubling += "A=$A$A\n";
        lists += "L=(${L[@]} ${L[@]})\n";
    }
    const std::string deep(200'000, '[');
    const std::string nested = "a: " + deep;
    std::string indented;
    for (std::size_t i = 0; i < 1200; ++i) {
        indented += std::string(i, ' ') + "k:\n";
    }
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(why(bomb, "a.yaml").empty());
    EXPECT_FALSE(why(nested, "a.yaml").empty());
    EXPECT_FALSE(why(indented, "a.yaml").empty());
    EXPECT_FALSE(why("a = " + deep, "a.toml").empty());
    std::string dotted;
    for (int i = 0; i < 100'000; ++i) {
        dotted += "a.";
    }
    EXPECT_FALSE(why(dotted + "b = 1", "a.toml").empty());
    EXPECT_FALSE(why("[" + dotted + "b]", "a.toml").empty());
    EXPECT_FALSE(why(doubling + "torchrun x.py $A\n", "a.sh").empty());
    EXPECT_FALSE(why(lists + "torchrun x.py ${L[@]}\n", "a.sh").empty());
    EXPECT_FALSE(why(std::string(3'000'000, 'x'), "a.yaml").empty());
    std::string doubled = "a0 = [1, 1]\n";
    std::string calls = "fully_shard(m)\n";
    for (int i = 1; i < 60; ++i) {
        const std::string before = "a" + std::to_string(i - 1);
        doubled += "a" + std::to_string(i) + " = [" + before + ", " + before + "]\n";
    }
    for (int i = 0; i < 50'000; ++i) {
        calls += "f(";
    }
    EXPECT_TRUE(why(doubled + "fully_shard(m, x=a59)\n", "a.py").empty());
    EXPECT_FALSE(why(calls, "a.py").empty());
    EXPECT_FALSE(why("x = " + deep, "a.py").empty());
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(std::chrono::duration<double>(took).count(),
              20.0);  // 2 s and what a loaded machine adds
}

// A file with some letters changed is read, or refused with its place.
TEST(Import, ReadsAnyText) {
    std::size_t refused = 0;
    for (const char* const stack :
         {"torchtitan", "deepspeed", "accelerate", "axolotl", "megatron", "fsdp2", "ddp"}) {
        const LaunchTarget& target = **findLaunchTarget(stack);
        const std::vector<Scenario> scenarios = layoutsOf(stack, "llama-3.1-8b");
        const std::string version =
            stack == std::string("torchtitan") ? "0.2.2" : std::string(target.newest);
        const LaunchFiles launch = launchFiles(target, factsOf(scenarios.back(), version)).value();
        for (const LaunchFile& file : launch.files) {
            TextMutator mutator(7);
            for (int i = 0; i < 300; ++i) {
                const auto scenario = imported(mutator.mutated(file.text), file.name);
                refused += scenario ? 0U : 1U;
                if (!scenario) {
                    EXPECT_FALSE(scenario.error().where.empty()) << scenario.error().why;
                }
            }
        }
    }
    EXPECT_GT(refused, 100U);
}

TEST(PipelineParts, AreThoseOfTheLayoutWithItsBracketsWritten) {
    EXPECT_EQ(pipelineParts("Et*15|(t*16|)*6t*15,L"), 8);
    EXPECT_EQ(pipelineParts("Et|t|t|tL"), 4);
    EXPECT_EQ(pipelineParts("E((t|)*2t|)*3tL"), 10);
    for (const char* const none :
         {"(t|", "t)", "Et*|L", "x|t", "t*0|t", "(((((((((((((((((t|", "(t|)*99999999999"}) {
        EXPECT_EQ(pipelineParts(none), std::nullopt) << none;
    }
}

std::string valueAt(const JsonValue& scenario, const char* part, const char* key) {
    const JsonValue* const section = scenario.find(part);
    const JsonValue* const value = section == nullptr ? nullptr : section->find(key);
    return value == nullptr ? "-" : value->shown();
}

// Layers that count as two more divide; a layout with brackets is read.
TEST(Import, CountsWhatIsBesideTheLayers) {
    const std::string base =
        "torchrun pretrain_gpt.py --num-layers 126 --hidden-size 16384 --num-attention-heads 128 "
        "--vocab-size 128256 --bf16 --micro-batch-size 1 --pipeline-model-parallel-size 8 ";
    const auto split = imported(base +
                                    "--account-for-embedding-in-pipeline-split "
                                    "--account-for-loss-in-pipeline-split "
                                    "--num-layers-per-virtual-pipeline-stage 4",
                                "a.sh");
    ASSERT_TRUE(split) << split.error().text();
    EXPECT_EQ(valueAt(*split, "layout", "vpp"), "4");
    const auto written =
        imported(base + "--pipeline-model-parallel-layout 'Et*15|(t*16|)*6t*15,L'", "a.sh");
    ASSERT_TRUE(written) << written.error().text();
    EXPECT_EQ(valueAt(*written, "layout", "vpp"), "1");
}

TEST(Import, ReadsTrainersArguments) {
    const auto run = imported(
        "torchrun --nnodes 2 --nproc_per_node 8 sft.py --model_name_or_path a/b --bf16 "
        "--per_device_train_batch_size 4 --gradient_accumulation_steps 2 --max_seq_length 2048 "
        "--fsdp 'shard_grad_op auto_wrap' --fsdp_config '{\"activation_checkpointing\": true}' "
        "--optim adamw_bnb_8bit",
        "a.sh");
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ(valueAt(*run, "layout", "dp"), "16");
    EXPECT_EQ(valueAt(*run, "layout", "shard"), "\"fsdp\"");
    EXPECT_EQ(valueAt(*run, "layout", "recompute"), "\"full\"");
    EXPECT_EQ(valueAt(*run, "workload", "global_batch"), "\"8 per rank\"");
    EXPECT_EQ(valueAt(*run, "workload", "sequence"), "2048");
    EXPECT_EQ(valueAt(*run, "workload", "optimizer"), "\"adamw_8bit\"");
    EXPECT_EQ(why("torchrun t.py --output_dir o --fsdp hybrid_shard", "a.sh"),
              "a.sh:1:30: --fsdp hybrid_shard does not say how many ranks share a copy");
}

std::string exampleText(const std::string& name) {
    std::ifstream file(FABRICAST_SOURCE_DIR "/tests/cases/launch_files/examples/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Import, ReadsProgramsOfTrainer) {
    const auto run = imported(exampleText("sft.py"), "sft.py");
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ(run->find("model")->text().value(), "meta-llama/Llama-3.1-8B");
    EXPECT_EQ(valueAt(*run, "layout", "micro_batch"), "2");
    EXPECT_EQ(valueAt(*run, "layout", "recompute"), "\"full\"");
    EXPECT_EQ(valueAt(*run, "workload", "global_batch"), "\"8 per rank\"");
    EXPECT_EQ(valueAt(*run, "workload", "sequence"), "4096");
    const JsonValue& lora = *run->find("settings")->find("lora");
    EXPECT_EQ(lora.find("base")->text().value(), "nf4");
    EXPECT_EQ(lora.find("rank")->shown(), "32");
    EXPECT_EQ(lora.find("rank")->where(), "sft.py:11:23");
    EXPECT_EQ(lora.find("double_quantization")->shown(), "true");
}

// What is assigned behind the call holds where one block says both; else that is not known.
TEST(Import, ReadsWhatIsSetOfTrainersArguments) {
    const std::string made =
        "a = TrainingArguments(\"o\", per_device_train_batch_size=2, "
        "gradient_checkpointing=True)\n";
    const std::string trains = "Trainer(args=a).train()\n";
    const auto layout = [&](const std::string& set, const char* key) {
        const auto run = imported(made + set + trains, "a.py");
        return run ? valueAt(*run, "layout", key) : run.error().text();
    };
    EXPECT_EQ(layout("a.per_device_train_batch_size = 16\n", "micro_batch"), "16");
    EXPECT_EQ(layout("if x:\n  y = 1\na.per_device_train_batch_size = 16\n", "micro_batch"), "16");
    EXPECT_NE(layout("if x:\n  a.per_device_train_batch_size = 16\n", "micro_batch")
                  .find("decided when the program runs"),
              std::string::npos);
    EXPECT_EQ(layout("a = a.set_training(batch_size=4)\n", "micro_batch"), "4");
    EXPECT_EQ(layout("a.set_training(1e-5, 4, gradient_checkpointing=True)\n", "micro_batch"), "4");
    EXPECT_EQ(layout("a.set_training(1e-5, 4, gradient_checkpointing=True)\n", "recompute"),
              "\"full\"");
    EXPECT_EQ(layout("a = a.set_training(batch_size=4)\n", "recompute"), "\"none\"");
    EXPECT_EQ(layout("a.set_dataloader(train_batch_size=32)\n", "micro_batch"), "32");
    EXPECT_NE(layout("if x:\n  a.set_dataloader(32)\n", "micro_batch")
                  .find("decided when the program runs"),
              std::string::npos);
}

// What is set behind the training is no argument of it; what is set by a call is one.
TEST(Import, ReadsWhatIsSetUpToTheTraining) {
    const std::string made = "a = TrainingArguments(\"o\", per_device_train_batch_size=2)\n";
    const std::string trains = "t = Trainer(args=a)\nt.train()\n";
    const auto batch = [](const std::string& program) {
        const auto run = imported(program, "a.py");
        return run ? valueAt(*run, "layout", "micro_batch") : run.error().text();
    };
    const std::string set = "a.per_device_train_batch_size = 16\n";
    EXPECT_EQ(batch(made + set + trains), "16");
    EXPECT_EQ(batch(made + trains + set), "2");
    EXPECT_EQ(batch(made + trains + "a.set_dataloader(16)\n"), "2");
    EXPECT_EQ(batch(made + "setattr(a, \"per_device_train_batch_size\", 16)\n" + trains), "16");
    EXPECT_EQ(batch(made + "a = dataclasses.replace(a, per_device_train_batch_size=16)\n" + trains),
              "16");
    EXPECT_NE(batch(made + "for name, value in more():\n  setattr(a, name, value)\n" + trains)
                  .find("worked out when the program runs"),
              std::string::npos);
}

TEST(Import, ReadsTheLengthThatATokenizerPadsTo) {
    const std::string trainer = "TrainingArguments(\"out\", bf16=True)\n";
    const auto length = [&](const std::string& calls) {
        const auto run = imported(calls + trainer, "a.py");
        const JsonValue* const workload = run ? run->find("workload") : nullptr;
        const JsonValue* const said = workload == nullptr ? nullptr : workload->find("sequence");
        return said == nullptr ? std::string("-") : said->shown();
    };
    EXPECT_EQ(length("tok(text, max_length=1024, padding=\"max_length\")\n"), "1024");
    EXPECT_EQ(length("MOST = 2_048\ntok(text, truncation=True, max_length=MOST)\n"), "2048");
    EXPECT_EQ(length("model.generate(ids, max_length=64)\n"), "-");
    EXPECT_EQ(length("tok(a, truncation=True, max_length=512)\n"
                     "tok(b, truncation=True, max_length=64)\n"),
              "-");
}

// What a program is told beside DeepSpeed's file, which says neither.
TEST(Import, ReadsLengthAndRecomputationBesideDeepspeed) {
    const ImportContext context{.read = [](const std::string&) -> Result<NamedText> {
        return NamedText(
            "{\"train_micro_batch_size_per_gpu\": 1, "
            "\"zero_optimization\": {\"stage\": 3}}");
    }};
    const std::string start = "torchrun --nproc-per-node 8 train.py --deepspeed ds.json";
    const auto told =
        importLaunch(start + " --max_length 8192 --gradient_checkpointing true", "run.sh", context);
    ASSERT_TRUE(told) << told.error().text();
    EXPECT_EQ(valueAt(*told, "layout", "recompute"), "\"full\"");
    EXPECT_EQ(valueAt(*told, "workload", "sequence"), "8192");
    const auto untold = importLaunch(start, "run.sh", context);
    ASSERT_TRUE(untold) << untold.error().text();
    EXPECT_EQ(untold->find("layout")->find("recompute"), nullptr);
}

TEST(Import, NeedsARankAtLeast) {
    const auto why = [](const std::string& start) {
        const auto run =
            imported(start + " train.py --model_name_or_path a/b --output_dir o", "run.sh");
        return run ? "taken" : run.error().text();
    };
    for (const char* const start : {"torchrun --nproc-per-node 0",
                                    "torchrun --nproc_per_node=-1",
                                    "torchrun --nnodes 0 --nproc-per-node 8",
                                    "deepspeed --num_gpus 0"}) {
        EXPECT_NE(why(start).find("must be 1 or more"), std::string::npos) << start << why(start);
    }
    EXPECT_EQ(why("deepspeed --num_gpus -1"), "taken");
}

TEST(Import, ReadsLoopsInPython) {
    const auto run = imported(exampleText("loop.py"), "loop.py");
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ(run->find("stack")->text().value(), "fsdp2");
    EXPECT_EQ(run->find("model")->text().value(), "meta-llama/Llama-3.1-8B");
    EXPECT_EQ(valueAt(*run, "layout", "dp"), "16");
    EXPECT_EQ(valueAt(*run, "layout", "shard"), "\"hsdp\"");
    EXPECT_EQ(valueAt(*run, "layout", "shard_size"), "8");
    EXPECT_EQ(valueAt(*run, "layout", "micro_batch"), "1");
    EXPECT_EQ(valueAt(*run, "workload", "global_batch"), "\"8 per rank\"");
    EXPECT_EQ(valueAt(*run, "workload", "sequence"), "8192");
    const JsonValue& settings = *run->find("settings");
    EXPECT_EQ(settings.find("precision")->find("reduce")->text().value(), "fp32");
    EXPECT_EQ(settings.find("torch")->find("sync")->text().value(), "last_micro_batch");
    EXPECT_EQ(settings.find("torch")->find("reshard")->text().value(), "always");
    EXPECT_EQ(settings.find("optimizer")->find("kernel")->text().value(), "fused");
}

TEST(Import, ReadsYamlOfNemo) {
    const auto run = imported(
        "trainer: {devices: 8, num_nodes: 2, precision: bf16}\n"
        "model:\n  micro_batch_size: 1\n  global_batch_size: 64\n"
        "  tensor_model_parallel_size: 4\n  pipeline_model_parallel_size: 2\n"
        "  virtual_pipeline_model_parallel_size: null\n  encoder_seq_length: 4096\n"
        "  sequence_parallel: True\n  activations_checkpoint_granularity: full\n"
        "  activations_checkpoint_method: uniform\n  activations_checkpoint_num_layers: 1\n"
        "  optim: {name: distributed_fused_adam, overlap_grad_sync: True}\n"
        "  peft: {peft_scheme: lora, lora_tuning: {adapter_dim: 8}}\n",
        "gpt.yaml");
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ(run->find("stack")->text().value(), "nemo");
    EXPECT_EQ(valueAt(*run, "layout", "tp"), "4");
    EXPECT_EQ(valueAt(*run, "layout", "dp"), "2");
    EXPECT_EQ(valueAt(*run, "layout", "sp"), "true");
    EXPECT_EQ(valueAt(*run, "layout", "shard"), "\"zero1\"");
    EXPECT_EQ(valueAt(*run, "layout", "recompute"), "\"full\"");
    EXPECT_EQ(valueAt(*run, "workload", "sequence"), "4096");
    const JsonValue& settings = *run->find("settings");
    EXPECT_EQ(settings.find("megatron")->find("overlap_grad_reduce")->shown(), "true");
    EXPECT_EQ(settings.find("megatron")->find("overlap_param_gather")->shown(), "false");
    EXPECT_EQ(settings.find("lora")->find("rank")->shown(), "8");
    EXPECT_EQ(settings.find("lora")->find("rank")->where(), "gpt.yaml:14:43");
}

TEST(Import, RefusesOfPythonWhatItDoesNotModel) {
    EXPECT_EQ(why("print(1)\n", "a.py"),
              "a.py: calls nothing that is known to train: TrainingArguments of transformers, or a "
              "loop with loss.backward()");
    EXPECT_EQ(why("r = llm.llama3_8b.pretrain_recipe(num_nodes=2)\n", "a.py"),
              "a.py:1:19: pretrain_recipe is a recipe of NeMo or Megatron Bridge: its values stand "
              "in their packages, and are not read");
    EXPECT_EQ(why("cfg = llama3_8b_pretrain_config()\npretrain(cfg, forward_step)\n", "a.py"),
              "a.py:1:7: llama3_8b_pretrain_config is a recipe of NeMo or Megatron Bridge: its "
              "values stand in their packages, and are not read");
    const auto question = [](const std::string& program) {
        return imported(program, "a.py").error().hint;
    };
    EXPECT_EQ(question("from m.recipes import llama31_70b_pretrain_config as config\n"
                       "cfg = config(seq_length=8192)\n"
                       "cfg.model.tensor_model_parallel_size = 4\n"
                       "cfg.train.global_batch_size = 128\n"
                       "cfg.mixed_precision = \"bf16_with_fp8_mixed\"\n"),
              "fabricast plan -m llama-3.1-70b --stack nemo -c dgx-h100 --fix tp=4 --seq 8192 "
              "--global-batch 128 --precision fp8");
    EXPECT_EQ(question("r = llm.mixtral_8x7b.finetune_recipe(num_nodes=8)\n"
                       "r.trainer.strategy.expert_model_parallel_size = 8\n"),
              "fabricast plan -m mixtral-8x7b --stack nemo -c dgx-h100 -n 8 --fix ep=8");
    EXPECT_EQ(why("fully_shard(m)\nparallelize_module(m)\n", "a.py"),
              "a.py:2:1: parallelize_module is not modelled for a loop of its own");
    EXPECT_EQ(why("m = init_device_mesh(\"cuda\", (2, 4), mesh_dim_names=(\"dp\", \"tp\"))\n"
                  "fully_shard(m)\n",
                  "a.py"),
              "a.py:1:38: init_device_mesh.mesh_dim_names \"tp\" is not modelled for a loop under "
              "FSDP2");
    EXPECT_EQ(why("fully_shard(m, mp_policy=MixedPrecisionPolicy(param_dtype=kind))\n", "a.py"),
              "a.py:1:47: MixedPrecisionPolicy.param_dtype is torch.bfloat16, torch.float16 or "
              "torch.float32");
    EXPECT_EQ(why("f = '\n", "a.py"), "a.py:1:6: a text does not end");
    EXPECT_EQ(why("f(\n[1)\n", "a.py"), "a.py:2:4: ) closes no bracket");
}

// transformers 5.23 loads a checkpoint in its own type unless dtype is given, TRL 1.16 in float32
// (create_model_from_path, ModelConfig.dtype), and Trainer keeps what it is given: seen by loading
// a Llama saved in bf16. FSDP2 under Accelerate stores fp32 either way.
TEST(Import, TrainsWeightsInTheTypeThatAScriptLoads) {
    const auto kept = [](const std::string& arguments, const char* group, const char* key) {
        const auto run = imported(
            "torchrun sft.py --model_name_or_path a/b --output_dir o " + arguments, "a.sh");
        const JsonValue* const settings = run.value().find("settings");
        const JsonValue* const inside = settings == nullptr ? nullptr : settings->find(group);
        const JsonValue* const value = inside == nullptr ? nullptr : inside->find(key);
        return value == nullptr ? std::string() : value->text().value();
    };
    EXPECT_EQ(kept("--bf16", "precision", "moments"), "bf16");
    EXPECT_EQ(kept("--bf16 --dtype auto", "precision", "parameters"), "bf16");
    EXPECT_EQ(kept("--bf16 --torch_dtype float32", "precision", "parameters"), "");
    EXPECT_EQ(kept("--bf16 --max_length 2048", "precision", "parameters"), "");
    EXPECT_EQ(kept("--bf16 --max_length 2048 --dtype bfloat16", "precision", "gradients"), "bf16");
    EXPECT_EQ(kept("--bf16 --dtype bfloat16 --fsdp full_shard", "precision", "parameters"), "");
    EXPECT_EQ(kept("--bf16 --use_peft", "lora", "base"), "fp32");
    EXPECT_EQ(kept("--bf16 --use_peft --dtype bfloat16", "lora", "base"), "bf16");
    EXPECT_EQ(kept("--bf16 --use_peft --load_in_4bit", "lora", "base"), "nf4");
    // SFTTrainer casts what trains over a quantised base.
    EXPECT_EQ(kept("--bf16 --use_peft --load_in_4bit", "lora", "dtype"), "bf16");
    EXPECT_EQ(kept("--bf16 --use_peft", "lora", "dtype"), "");
    const auto rest = [](const std::string& arguments) {
        return valueAt(
            *imported("torchrun sft.py --output_dir o --bf16 --use_peft --load_in_4bit" + arguments,
                      "a.sh")
                 ->find("settings"),
            "lora",
            "prepared_for_kbit");
    };
    EXPECT_EQ(rest(""), "true");
    EXPECT_EQ(rest(" --dtype bfloat16"), "-");
    const auto whole = imported("torchrun sft.py --output_dir o --dtype bfloat16", "a.sh");
    EXPECT_EQ(valueAt(whole.value(), "workload", "precision"), "\"pure_bf16\"");
    EXPECT_EQ(why("torchrun t.py --output_dir o --fp16 --dtype float16", "a.sh"),
              "a.sh:1:37: --dtype float16: Attempting to unscale FP16 gradients.");
}

TEST(Import, ReadsAdaptersOfStacksThatTargetParametersName) {
    const std::string run =
        "torchrun sft.py --output_dir o --bf16 --use_peft --lora_target_modules ";
    const auto targets = [&](const std::string& words) {
        const auto read = imported(run + words, "a.sh");
        return read ? read->find("settings")->find("lora")->find("targets")->text().value() : "";
    };
    const std::string stacks =
        " --lora_target_parameters mlp.experts.gate_up_proj mlp.experts.down_proj";
    EXPECT_EQ(targets("all-linear" + stacks), "all-linear+experts");
    EXPECT_EQ(targets("q_proj w1 w3 w2 gate"), "q+gate+up+down+router");
    EXPECT_EQ(why(run + "all-linear --lora_target_parameters 7.mlp.experts.gate_up_proj", "a.sh"),
              "a.sh:1:83: --lora_target_parameters \"7.mlp.experts.gate_up_proj\": adapters of "
              "experts of some layers are not modelled");
}

// lora_target_linear adds what it finds to what is named (axolotl/loaders/adapter.py).
TEST(Import, ReadsAxolotlsStacksBesideAllLinearLayers) {
    const std::string base =
        "base_model: a/b\nmicro_batch_size: 1\nadapter: lora\n"
        "lora_target_parameters: [mlp.experts.gate_up_proj, mlp.experts.down_proj]\n";
    const auto targets = [&base](const std::string& more) {
        return readFrom({{"a.yaml", base + more}}, "a.yaml", "settings.lora.targets");
    };
    EXPECT_EQ(targets("lora_target_linear: true\n"), "\"q+k+v+o+experts\"");
    EXPECT_EQ(targets("lora_target_linear: false\nlora_target_modules: [q_proj]\n"),
              "\"q+experts\"");
    EXPECT_EQ(targets(""), "\"experts\"");
}

TEST(Import, RefusesAxolotlsQuantizedExperts) {
    const std::string base =
        "base_model: a/b\nmicro_batch_size: 1\nadapter: qlora\nload_in_4bit: true\n";
    EXPECT_EQ(why(base + "quantize_moe_experts: true\n", "a.yaml"),
              "a.yaml:5:1: quantize_moe_experts is not modelled: memory of experts in 4 or 8 bits "
              "is not forecast");
    EXPECT_EQ(why(base + "quantize_moe_experts: true\nlora_target_linear: true\n", "a.yaml"),
              "a.yaml:5:1: quantize_moe_experts is not compatible with lora_target_linear: Axolotl "
              "ends at the start");
    EXPECT_EQ(why(base + "quantize_moe_experts: false\n", "a.yaml"), "");
}

// Axolotl 0.19's ModelLoader leaves embedding, head and norms in fp32 under sdpa.
TEST(Import, RefusesAxolotlsTwoTypesOfWeights) {
    const std::string base = "base_model: a/b\nmicro_batch_size: 1\nsequence_len: 2048\n";
    EXPECT_EQ(why(base + "attn_implementation: sdpa\n", "a.yaml"),
              "a.yaml:4:1: attn_implementation sdpa keeps embedding, head and norms in fp32 beside "
              "bf16 layers where all is trained without FSDP or DeepSpeed, which is not modelled");
    EXPECT_EQ(why(base + "attn_implementation: sdpa\nadapter: lora\n", "a.yaml"), "");
    EXPECT_EQ(why(base + "attn_implementation: sdpa\nfsdp_version: 2\n", "a.yaml"), "");
    EXPECT_EQ(why(base + "attn_implementation: flash_attention_2\n", "a.yaml"), "");
}

// What DeepSpeed's file leaves to the Trainer is filled in from its arguments.
TEST(Import, FillsInWhatIsAuto) {
    const auto read = [](const std::string& name) -> Result<std::string> {
        return name == "ds.json" ? Result<std::string>(
                                       "{\"train_micro_batch_size_per_gpu\": \"auto\", "
                                       "\"bf16\": {\"enabled\": \"auto\"}, "
                                       "\"zero_optimization\": {\"stage\": 3}}")
                                 : noFile(name);
    };
    const auto run = importLaunch(
        "deepspeed t.py --deepspeed ds.json --bf16 --per_device_train_batch_size 4 --output_dir o",
        "a.sh",
        {.read = read, .layers = {}});
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ(valueAt(*run, "layout", "shard"), "\"zero3\"");
    EXPECT_EQ(valueAt(*run, "layout", "micro_batch"), "4");
    EXPECT_EQ(valueAt(*run, "workload", "precision"), "\"bf16\"");
    EXPECT_EQ(run->find("stack")->text(), "accelerate");
}

Result<JsonValue> besideToml(const std::string& script) {
    const auto read = [](const std::string& name) -> Result<std::string> {
        return name == "t.toml" ? Result<std::string>(
                                      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n"
                                      "[training]\nlocal_batch_size = 1\n"
                                      "[activation_checkpoint]\nmode = \"full\"\n")
                                : noFile(name);
    };
    return importLaunch(script, "a.sh", {.read = read, .layers = {}});
}

// torchtitan's own rule: what is typed wins over the file.
TEST(Import, TakesArgumentsBehindATomlBeforeIt) {
    const std::string start = "torchrun --nnodes 4 --nproc-per-node 8 -m torchtitan.train ";
    for (const char* const typed : {"--job.config_file t.toml --training.local_batch_size 2 "
                                    "--parallelism.tensor_parallel_degree 4 --nonsense.flag 3",
                                    "--job.config-file=t.toml --training.local-batch-size=2 "
                                    "--parallelism.tensor-parallel-degree=4 --nonsense.flag=3"}) {
        const auto run = besideToml(start + typed);
        ASSERT_TRUE(run) << run.error().text();
        EXPECT_EQ(valueAt(*run, "layout", "tp"), "4");
        EXPECT_EQ(valueAt(*run, "layout", "dp"), "8");
        EXPECT_EQ(valueAt(*run, "layout", "micro_batch"), "2");
        EXPECT_EQ(run->find("layout")->find("tp")->line(), 1);
        EXPECT_EQ(run->find("imported")->find("notes")->items()[0].text().value(),
                  "not looked at: nonsense.flag (a.sh:1)");
    }
    const auto uneven = besideToml(start +
                                   "--job.config_file t.toml "
                                   "--parallelism.tensor_parallel_degree 5");
    ASSERT_FALSE(uneven);
    EXPECT_EQ(uneven.error().where, "a.sh:1:10");
}

// Slurm, mpirun, DeepSpeed and torchrun count the ranks of any framework.
TEST(Import, CountsTheRanksThatALauncherStarts) {
    const std::string megatron = " pretrain_gpt.py --tensor-model-parallel-size 2 --bf16\n";
    const std::string titan =
        " -m torchtitan.train --module llama3 --config llama3_8b "
        "activation-checkpoint:full "
        "--parallelism.tensor_parallel_degree 2\n";
    const std::string trainer = " t.py --output_dir o --bf16\n";
    const auto dataRanks = [](const std::string& script) {
        const auto run = imported(script, "a.sh");
        return run ? valueAt(*run, "layout", "dp") : run.error().text();
    };
    const std::string tasks = "#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\n";
    EXPECT_EQ(dataRanks(tasks + "srun python" + megatron), "16");
    EXPECT_EQ(dataRanks("#SBATCH -N 4\nsrun --ntasks-per-node=8 python" + megatron), "16");
    EXPECT_EQ(dataRanks("srun -N4 -n 16 python" + megatron), "8");
    EXPECT_EQ(dataRanks("mpirun -np 32 --bind-to none python" + megatron), "16");
    EXPECT_EQ(dataRanks("deepspeed --num_gpus 8 --num_nodes 2" + trainer), "16");
    EXPECT_EQ(dataRanks("deepspeed --include localhost:0,1,4" + trainer), "3");
    EXPECT_EQ(dataRanks("deepspeed --include one:0,1@two:0,1" + trainer), "4");
    EXPECT_EQ(dataRanks("deepspeed --include one@two:0,1" + trainer), "-");
    EXPECT_EQ(dataRanks("torchrun --nnodes 2 --nproc-per-node 8" + titan), "8");
    EXPECT_EQ(dataRanks("#SBATCH --nodes=4\nsrun torchrun --nnodes $SLURM_NNODES "
                        "--nproc-per-node 8" +
                        megatron),
              "16");
    EXPECT_EQ(dataRanks("#SBATCH --nodes=4 --ntasks-per-node=1\nsrun accelerate launch" + trainer),
              "-");
    const auto open = imported("#SBATCH --nodes=4\nsrun python" + megatron, "a.sh");
    ASSERT_TRUE(open) << open.error().text();
    EXPECT_EQ(open->find("imported")->find("notes")->items()[0].text().value(),
              "a.sh:1:9: 4 nodes, and nothing says how many ranks each has: -n 4 takes all GPUs of "
              "as many nodes");
}

// torchtitan and Axolotl shard each copy over what the other degrees leave of the ranks.
TEST(Import, LeavesTheRanksOfACopyToTheGpus) {
    const auto titan = [](const std::string& shards) {
        return imported(
            "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\n"
            "data_parallel_replicate_degree = 2\n" +
                shards + "[activation_checkpoint]\nmode = \"full\"\n",
            "a.toml");
    };
    for (const char* const shards : {"", "data_parallel_shard_degree = -1\n"}) {
        const auto run = titan(shards);
        ASSERT_TRUE(run) << run.error().text();
        EXPECT_EQ(valueAt(*run, "layout", "copies"), "2");
        EXPECT_EQ(run->find("layout")->find("copies")->line(), 5);
        EXPECT_EQ(valueAt(*run, "layout", "dp"), "-");
        EXPECT_EQ(valueAt(*run, "layout", "shard"), "-");
    }
    const auto said = titan("data_parallel_shard_degree = 4\n");
    EXPECT_EQ(valueAt(*said, "layout", "shard_size"), "4");
    EXPECT_EQ(valueAt(*said, "layout", "copies"), "-");
    const auto started = imported(
        "torchrun --nproc-per-node 8 -m torchtitan.train --module llama3 --config llama3_8b "
        "activation-checkpoint:full --parallelism.tensor_parallel_degree 2 "
        "--parallelism.data_parallel_replicate_degree 2 "
        "--parallelism.data_parallel_shard_degree -1\n",
        "a.sh");
    ASSERT_TRUE(started) << started.error().text();
    EXPECT_EQ(valueAt(*started, "layout", "dp"), "4");
    EXPECT_EQ(valueAt(*started, "layout", "copies"), "2");
    const std::string axolotl = "base_model: x\nfsdp_version: 2\nfsdp_config:\n";
    const auto copies = imported(axolotl + "dp_replicate_size: 2\n", "a.yaml");
    EXPECT_EQ(valueAt(*copies, "layout", "copies"), "2");
    const auto shards = imported(axolotl + "dp_shard_size: 4\n", "a.yaml");
    EXPECT_EQ(valueAt(*shards, "layout", "shard"), "\"hsdp\"");
    EXPECT_EQ(valueAt(*shards, "layout", "shard_size"), "4");
}

// Keys that DeepSpeed takes and does nothing with change no forecast, and are said.
TEST(Import, ForecastsWithoutWhatDeepspeedDoesNotRead) {
    const auto run = imported(
        "{\"train_batch_size\": 8, \"activation_checkpointing\": {\"partition_activations\": "
        "true}, "
        "\"optimizer\": {\"type\": \"AdamW\"}, "
        "\"zero_optimization\": {\"stage\": 2, \"offload_param\": {\"device\": \"cpu\"}}}",
        "ds.json");
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ(valueAt(*run, "layout", "offload"), "-");
    EXPECT_EQ(valueAt(*run, "layout", "shard"), "\"zero2\"");
}

// What is merged from another map is there, and the map's own keys win.
// DeepSpeed's train_batch_size is micro-batch x steps x ranks, and it ends where it is not.
TEST(Import, RefusesDeepspeedsBatchForOtherRanks) {
    const std::string ds =
        "{\"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 2,\n"
        " \"train_batch_size\": 64}";
    const auto with = [&ds](const std::string& text, const std::string& source) {
        const auto read = [&ds](const std::string& /*name*/) { return Result<std::string>(ds); };
        const auto layers = [](const std::string&) { return std::optional(std::int64_t{8}); };
        const auto scenario = importLaunch(text, source, {.read = read, .layers = layers});
        return scenario
                   ? std::to_string(scenario->find("layout")->find("dp")->integer({}).value_or(0))
                   : scenario.error().where + ": " + scenario.error().why;
    };
    EXPECT_EQ(imported(ds, "ds.json")->find("layout")->find("dp")->integer({}).value(), 8);
    const std::string trainer =
        " train.py --output_dir out --bf16 True --deepspeed ds.json "
        "--per_device_train_batch_size 4 --gradient_accumulation_steps 2";
    const std::string plain = " train.py --deepspeed --deepspeed_config ds.json";
    for (const std::string& script : {trainer, plain}) {
        EXPECT_EQ(with("torchrun --nproc_per_node 8" + script, "run.sh"), "8") << script;
        EXPECT_NE(with("torchrun --nproc_per_node 4" + script, "run.sh").find("ds.json:2:22: "),
                  std::string::npos)
            << with("torchrun --nproc_per_node 4" + script, "run.sh");
    }
    const std::string yaml =
        "distributed_type: DEEPSPEED\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n"
        "num_processes: ";
    EXPECT_EQ(with(yaml + "8\n", "accelerate.yaml"), "8");
    EXPECT_EQ(with(yaml + "16\n", "accelerate.yaml").find("ds.json:2:22: "), 0U)
        << with(yaml + "16\n", "accelerate.yaml");
}

TEST(YamlKeys, TakeWhatIsMerged) {
    const LaunchKeys keys = readYamlKeys(
                                "usual: &usual {a: 1, b: 2, c: {d: 3}}\n"
                                "more: &more {a: 7, e: 8}\n"
                                "run:\n  b: 4\n  <<: [*usual, *more]\n",
                                "a.yaml")
                                .value();
    const auto value = [&keys](const char* path) { return keys.find(path)->values.front(); };
    EXPECT_EQ(value("run.a") + value("run.b") + value("run.c.d") + value("run.e"), "1438");
}

TEST(TitanArguments, MayHaveHyphens) {
    const LaunchKeys keys = titanKeysOf(
        readShellKeys("torchrun -m torchtitan.train --module llama3 --training.seq-len 8192 "
                      "--compile.no-enable",
                      "t.sh")
            .value());
    EXPECT_NE(keys.find("training.seq_len"), nullptr);
    EXPECT_EQ(keys.find("compile.enable")->values.front(), "no");
}

// Stages below 3 have no parameters to offload, and say so in DeepSpeed's own file as well.
TEST(ImportLaunch, OffloadsNoParametersBelowStageThreeOfAccelerate) {
    const auto offloadOf = [](const std::string& stage, const std::string& more) {
        const std::string text =
            "distributed_type: DEEPSPEED\nnum_processes: 8\nmixed_precision: bf16\n"
            "deepspeed_config:\n  zero_stage: " +
            stage + "\n  offload_param_device: cpu\n" + more;
        return readFrom({{"a.yaml", text}}, "a.yaml", "layout.offload");
    };
    EXPECT_EQ(offloadOf("2", ""), "-");
    EXPECT_EQ(offloadOf("2", "  offload_optimizer_device: cpu\n"), "\"optimizer_cpu\"");
    EXPECT_EQ(offloadOf("3", ""), "\"parameters_cpu\"");
}

// One place for parameters and optimizer, or one of them on the GPU: else it would be forecast
// where it is not.
TEST(ImportLaunch, OffloadsParametersAndOptimizerToOnePlace) {
    const auto accelerate = [](const std::string& more, const std::string& path) {
        return readFrom({{"a.yaml",
                          "distributed_type: DEEPSPEED\nnum_processes: 8\nmixed_precision: bf16\n"
                          "deepspeed_config:\n  zero_stage: 3\n" +
                              more}},
                        "a.yaml",
                        path);
    };
    const auto deepspeed = [](const std::string& states, const std::string& weights) {
        return readFrom(
            {{"ds.json",
              R"({"train_batch_size": 8, "bf16": {"enabled": true}, "zero_optimization":
{"stage": 3, "offload_optimizer": {"device": ")" +
                  states + R"("}, "offload_param": {"device": ")" + weights + R"("}}})"}},
            "ds.json",
            "layout.offload");
    };
    const std::string weights = "  offload_param_device: cpu\n";
    EXPECT_EQ(accelerate(weights, "settings.deepspeed.optimizer_stays_on_device"), "true");
    EXPECT_EQ(accelerate(weights + "  offload_optimizer_device: cpu\n",
                         "settings.deepspeed.optimizer_stays_on_device"),
              "-");
    EXPECT_EQ(
        accelerate(weights + "  offload_optimizer_device: nvme\n", "layout.offload"),
        "a.yaml:6:3: deepspeed_config.offload_param_device cpu beside an optimizer on nvme is "
        "not modelled (deepspeed_config.offload_param_device: nvme, as the optimizer)");
    EXPECT_EQ(deepspeed("cpu", "cpu"), "\"parameters_cpu\"");
    EXPECT_EQ(deepspeed("nvme", "nvme"), "\"parameters_nvme\"");
    EXPECT_EQ(
        deepspeed("cpu", "nvme"),
        "ds.json:2:82: zero_optimization.offload_param.device nvme beside an optimizer on cpu is "
        "not modelled (zero_optimization.offload_param.device: cpu, as the optimizer)");
}

}  // namespace
}  // namespace fabricast
