#include "planner/text/json_document.h"
#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <sstream>

namespace fabricast {
namespace {

const std::vector<std::string> kEmit = {
    "emit", "-m", "llama-3.1-8b", "-c", "dgx-h100", "--stack", "torchtitan"};

std::vector<std::string> emitWith(const std::vector<std::string>& more) {
    std::vector<std::string> all = kEmit;
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

// The files would train by next tokens, without the reference that the forecast counts.
TEST(Emit, WritesNoFilesOfTrainingWithAReference) {
    const std::string out = tempFolder() + "dpo";
    const ProgramOutput refused =
        ran("emit -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq 4096 --global-batch 64 --set "
            "settings.reference=sharded --out " +
            out);
    EXPECT_EQ(refused.code, ExitCode::BadInput);
    EXPECT_NE(refused.err.find("(DPO, GRPO) are not written"), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(Emit, WritesAFolderOnceAndLeavesWhatAUserChanged) {
    const std::string out = tempFolder() + "launch";
    const ProgramOutput first = runProgram(emitWith({"--out", out}), {});
    ASSERT_EQ(first.code, ExitCode::Ok) << first.err;
    const std::string run = out + "/run.sh";
    const std::string written = readTextFile(run).value();
    EXPECT_NE(written.find("--module llama3 --config llama3_8b"), std::string::npos);
    EXPECT_EQ(runProgram(emitWith({"--out", out}), {}).code, ExitCode::Ok);

    ASSERT_TRUE(writeTextFile(run, "mine\n"));
    const ProgramOutput kept = runProgram(emitWith({"--out", out}), {});
    EXPECT_EQ(kept.code, ExitCode::BadInput);
    EXPECT_NE(kept.err.find("is there and differs"), std::string::npos);
    EXPECT_EQ(readTextFile(run).value(), "mine\n");
    EXPECT_EQ(runProgram(emitWith({"--out", out, "--force"}), {}).code, ExitCode::Ok);
    EXPECT_EQ(readTextFile(run).value(), written);
}

TEST(Emit, WritesIntoAFolderOfTheOneThatItWorksIn) {
    const std::string place = tempFolder() + "elsewhere";
    std::filesystem::create_directories(place);
    ASSERT_EQ(runProgram(emitWith({"-C", place, "--out", "of-place"}), {}).code, ExitCode::Ok);
    EXPECT_TRUE(std::filesystem::exists(place + "/of-place/run.sh"));
    EXPECT_FALSE(std::filesystem::exists("of-place"));
}

// Somebody else's file, or a copy that shares its bytes: nobody named it.
TEST(Emit, ChangesNoFileOfAnotherName) {
    const std::string out = tempFolder() + "linked";
    ASSERT_EQ(runProgram(emitWith({"--out", out}), {}).code, ExitCode::Ok);
    std::filesystem::remove(out + "/run.sh");
    ASSERT_TRUE(writeTextFile(out + "-victim", "precious"));
    std::filesystem::create_hard_link(out + "-victim", out + "/run.sh");
    const ProgramOutput refused = runProgram(emitWith({"--out", out, "--force"}), {});
    EXPECT_EQ(refused.code, ExitCode::BadInput);
    EXPECT_NE(refused.err.find(out + "/run.sh has another name"), std::string::npos) << refused.err;
    EXPECT_EQ(readTextFile(out + "-victim").value(), "precious");
}

// bf16 weights under fp32: Axolotl would load them in fp32.
TEST(Emit, RefusesAPlanThatAxolotlsKeysCannotSay) {
    const std::string plan =
        "emit -m llama-3.1-8b -c dgx-h100 --stack axolotl --precision fp32 --tuning lora --check";
    const ProgramOutput refused = ran(plan);
    EXPECT_EQ(refused.code, ExitCode::BadInput) << refused.out;
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(refused.err.find("  try: --set settings.lora.base=fp32\n"), std::string::npos)
        << refused.err;
    const ProgramOutput same = ran(plan + " --set settings.lora.base=fp32");
    EXPECT_NE(same.out.find("check: read back as the same plan"), std::string::npos) << same.out;
}

TEST(Emit, WritesNoAnswerOverAFileOfTheFolder) {
    const std::string out = tempFolder() + "answer";
    const ProgramOutput both = runProgram(emitWith({"--out", out, "-o", out + "/run.sh"}), {});
    EXPECT_EQ(both.code, ExitCode::BadInput);
    EXPECT_NE(both.err.find("written into the folder of --out"), std::string::npos) << both.err;
    EXPECT_FALSE(readTextFile(out + "/run.sh"));
    EXPECT_EQ(runProgram(emitWith({"--out", out, "-o", out + ".txt"}), {}).code, ExitCode::Ok);
}

// Two spellings of one layout: files have the shorter one, and read back it is the same plan.
TEST(Emit, WritesTheShortestSpellingOfALayout) {
    for (const char* const stack : {"torchtitan", "fsdp2", "accelerate", "axolotl"}) {
        const std::string plan = std::string("emit -m llama-3.1-8b -c dgx-h100 --stack ") + stack +
                                 " --seq 2048 --global-batch 32 --check --layout ";
        for (const char* const layout :
             {"shard=hsdp", "shard=hsdp,shard_size=8", "shard=fsdp,shard_size=8,cp_kind=ulysses"}) {
            const ProgramOutput files = ran(plan + layout);
            EXPECT_EQ(files.code, ExitCode::Ok) << files.err;
            EXPECT_NE(files.out.find("check: read back as the same plan"), std::string::npos)
                << stack << " " << layout << "\n"
                << files.out;
            EXPECT_EQ(files.out.find("not in the files: layout.shard=hsdp is written as fsdp: one "
                                     "group of all 8 ranks") != std::string::npos,
                      std::string(layout).find("hsdp") != std::string::npos);
        }
    }
}

TEST(Emit, KeepsOnTheHostWhatThePlanKeepsThere) {
    for (const char* const stack : {"ddp", "fsdp2"}) {
        const ProgramOutput files = runProgram({"emit",
                                                "-m",
                                                "gpt2",
                                                "-c",
                                                "dgx-a100-80gb",
                                                "--stack",
                                                stack,
                                                "--layout",
                                                "offload=activations",
                                                "--check"},
                                               {});
        ASSERT_EQ(files.code, ExitCode::Ok) << files.err;
        EXPECT_NE(files.out.find("torch.autograd.graph.save_on_cpu(pin_memory=True):\n"
                                 "                loss = model("),
                  std::string::npos)
            << files.out;
        EXPECT_NE(files.out.find("check: read back as the same plan"), std::string::npos);
        EXPECT_EQ(files.out.find("layout.offload="), std::string::npos) << files.out;
    }
}

TEST(Emit, TakesTheStackThatATargetStarts) {
    const std::vector<std::string> line = {
        "emit", "-m", "llama-3.1-8b", "-c", "dgx-h100", "--tuning", "lora", "--target", "axolotl"};
    const ProgramOutput files = runProgram(line, {});
    ASSERT_EQ(files.code, ExitCode::Ok) << files.err;
    EXPECT_NE(files.out.find("==> axolotl.yaml <=="), std::string::npos) << files.out;

    const std::vector<std::string> other = {
        "emit", "-m", "llama-3.1-8b", "-c", "dgx-h100", "--stack", "ddp", "--target", "axolotl"};
    EXPECT_NE(runProgram(other, {}).err.find("starts plans of the stack axolotl"),
              std::string::npos);
}

TEST(Emit, PrintsTheSameFilesInEveryForm) {
    const std::string out = tempFolder() + "same";
    ASSERT_EQ(runProgram(emitWith({"--out", out}), {}).code, ExitCode::Ok);
    const std::string written = readTextFile(out + "/run.sh").value();
    const ProgramOutput text = runProgram(kEmit, {});
    EXPECT_NE(text.out.find("==> run.sh <==\n" + written), std::string::npos);
    const ProgramOutput json = runProgram(emitWith({"-f", "json"}), {});
    const JsonValue answer = parseJson(json.out, "answer").value();
    EXPECT_EQ(answer.find("files")->items()[0].find("text")->text().value(), written);
    EXPECT_EQ(answer.find("verdict")->text().value(), "FITS");
}

TEST(Emit, StartsAlsoWhatIsNotForecast) {
    const ProgramOutput answer = runProgram({"emit",
                                             "-m",
                                             "gpt-oss-20b",
                                             "-c",
                                             "dgx-h100",
                                             "--stack",
                                             "deepspeed",
                                             "--layout",
                                             "shard=zero3,ep=2,offload=parameters_nvme"},
                                            {});
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_TRUE(answer.out.starts_with("NOT MODELLED")) << answer.out;
    EXPECT_NE(answer.out.find("\"nvme_path\""), std::string::npos);
}

// The plan that is listed first names the stack whose files say what it trains.
TEST(Emit, WritesWhatPlanSaysWhereItsStackCannot) {
    for (const std::string trained : {"--tuning lora", "--tuning qlora", "--train last:4"}) {
        const std::string answer =
            ran("plan -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq 4096 --global-batch 64 " +
                trained)
                .out;
        const std::string lead = " do: fabricast emit ";
        const std::size_t emit = answer.find(lead);
        ASSERT_NE(emit, std::string::npos) << answer;
        const std::size_t start = emit + lead.size();
        const std::string typed = answer.substr(start, answer.find('\n', start) - start);
        EXPECT_NE(typed.find("--stack axolotl "), std::string::npos) << typed;
        const ProgramOutput written = ran("emit " + typed + " --check");
        EXPECT_EQ(written.code, ExitCode::Ok) << typed << written.err;
        EXPECT_NE(written.out.find("check: read back as the same plan"), std::string::npos)
            << written.out;
    }
}

TEST(Emit, RefusesWhatItWritesNothingFor) {
    const ProgramOutput stack =
        runProgram({"emit", "-m", "llama-3.1-8b", "-c", "dgx-h100", "--stack", "fsdp1"}, {});
    EXPECT_EQ(stack.code, ExitCode::BadInput);
    EXPECT_NE(stack.err.find("no launch files are written for fsdp1"), std::string::npos);
    const ProgramOutput version = runProgram(emitWith({"--framework-version", "9"}), {});
    EXPECT_EQ(version.code, ExitCode::BadInput);
    const ProgramOutput folder = runProgram(emitWith({"--out", "/dev/null/launch"}), {});
    EXPECT_EQ(folder.code, ExitCode::Environment);
}

TEST(Emit, ReadsBackWhatItWrote) {
    for (const std::string stack : {"ddp",
                                    "fsdp2",
                                    "deepspeed",
                                    "accelerate",
                                    "axolotl",
                                    "torchtitan",
                                    "megatron",
                                    "megatron --target megatron-bridge",
                                    "megatron --target nemo",
                                    "nemo",
                                    "nemo --target megatron-bridge",
                                    "nemo --tuning lora --layout tp=2",
                                    "nemo --target megatron-bridge --tuning lora --layout tp=2"}) {
        const ProgramOutput answer =
            ran("emit -m llama-3.1-8b -c dgx-h100 -n 2 --check --no-fail --stack " + stack);
        EXPECT_EQ(answer.code, ExitCode::Ok) << stack << answer.err;
        EXPECT_NE(answer.out.find("check: read back as the same plan"), std::string::npos)
            << stack << answer.out;
    }
}

// run.sh tells a script its sizes: they are part of what was compared.
TEST(Emit, TellsAScriptTheSizesOfThePlan) {
    const std::string plan =
        "emit -m llama-3.1-8b -c dgx-h100 --seq 4096 --global-batch 64 --check --no-fail "
        "--layout shard=fsdp --stack ";
    for (const std::string stack : {"accelerate",
                                    "accelerate --optimizer adamw_8bit",
                                    "accelerate --set settings.phases.evaluation_batch=2",
                                    "axolotl --set settings.phases.evaluation_batch=2",
                                    "axolotl"}) {
        const std::string told = ran(plan + stack).out;
        EXPECT_NE(told.find("check: read back as the same plan"), std::string::npos) << told;
        EXPECT_EQ(told.find("do not say"), std::string::npos) << told;
    }
}

// What the framework's file has no key for is among the script's arguments.
TEST(Emit, ReadsAdaptersBack) {
    for (const std::string run :
         {"deepspeed --layout shard=zero3 --tuning lora",
          "deepspeed --layout shard=zero2 --tuning lora --set settings.lora.rank=8 "
          "--set settings.lora.targets=q+v --set settings.lora.dropout=0.1",
          "accelerate --layout shard=fsdp --tuning lora",
          "accelerate --layout shard=fsdp --tuning qlora --set settings.lora.dtype=bf16",
          "accelerate --layout shard=none --tuning qlora --set settings.lora.dora=true",
          "accelerate --layout shard=zero3 --tuning lora",
          "axolotl --layout shard=fsdp --tuning qlora"}) {
        const ProgramOutput answer =
            ran("emit -m llama-3.1-8b -c dgx-h100 --check --no-fail --stack " + run);
        EXPECT_EQ(answer.code, ExitCode::Ok) << run << answer.err;
        EXPECT_NE(answer.out.find("check: read back as the same plan"), std::string::npos)
            << run << answer.out;
    }
}

// transformers' attention takes GPT-OSS's sinks written out, or by a kernel of the Hub; PEFT names
// its experts as parameters, and those of others by what were linear layers once.
TEST(Emit, ReadsAttentionAndAdaptersOfExpertsBack) {
    struct Told {
        const char* run;
        const char* line;
    };
    const std::string experts = " --tuning lora --set settings.lora.targets=q+k+v+o+experts";
    for (const Told& one :
         {Told{"-m gpt-oss-20b --stack accelerate", "kernels-community/vllm-flash-attn3"},
          Told{"-m gpt-oss-20b --stack accelerate --set settings.kernels.attention=unfused",
               "--attn_implementation eager"},
          Told{"-m gpt-oss-20b --stack axolotl --set settings.kernels.attention=unfused",
               "attn_implementation: eager"},
          Told{"-m gpt-oss-20b --stack axolotl", "kernels-community/vllm-flash-attn3"},
          Told{"-m qwen3-30b-a3b --stack axolotl", "gate_proj"},
          Told{"-m qwen3-30b-a3b --stack accelerate", "gate_proj"},
          Told{"-m mixtral-8x7b --stack accelerate", "w1 w3 w2"}}) {
        const ProgramOutput answer =
            ran("emit -c dgx-h100 --seq 2048 --global-batch 8 --layout shard=fsdp,recompute=full "
                "--check --no-fail " +
                std::string(one.run) + experts);
        EXPECT_EQ(answer.code, ExitCode::Ok) << one.run << answer.err;
        EXPECT_NE(answer.out.find(one.line), std::string::npos) << one.run << answer.out;
        EXPECT_NE(answer.out.find("check: read back as the same plan"), std::string::npos)
            << one.run << answer.out;
    }
}

TEST(Emit, SavesAsThePlanDoesAndReadsThatBack) {
    struct Saved {
        const char* stack;
        const char* line;
    };
    for (const Saved& one :
         {Saved{"fsdp2", "pending = dcp.async_save("},
          Saved{"ddp", "SAVE_EVERY = 250"},
          Saved{"deepspeed --layout shard=zero3", "--save_steps 250"},
          Saved{"deepspeed --layout shard=zero3", "export CROSS_SIZE=2\n"},
          Saved{"accelerate --layout shard=zero3", "\"decoupled\": true"},
          Saved{"accelerate --layout shard=fsdp", "not in the files: operation.checkpoint=async"},
          Saved{"axolotl --layout shard=zero3", "save_steps: 250"},
          Saved{"torchtitan", "--checkpoint.interval 250"},
          Saved{"torchtitan --framework-version 0.2.2", "async_mode = \"async\""},
          Saved{"megatron", "--save-interval 250"},
          Saved{"megatron --target megatron-bridge", "async_save=True,"},
          Saved{"nemo", "every_n_train_steps=250,"}}) {
        const ProgramOutput answer =
            ran("emit -m llama-3.1-8b -c dgx-h100 -n 2 --check --no-fail "
                "--checkpoint-interval 250steps --stack " +
                std::string(one.stack));
        EXPECT_EQ(answer.code, ExitCode::Ok) << one.stack << answer.err;
        EXPECT_NE(answer.out.find(one.line), std::string::npos) << one.stack << answer.out;
        EXPECT_NE(answer.out.find("check: read back as the same plan"), std::string::npos)
            << one.stack << answer.out;
    }
    const ProgramOutput held =
        ran("emit -m llama-3.1-8b -c dgx-h100 -n 2 --check --no-fail --stack megatron "
            "--checkpoint two_level");
    EXPECT_NE(held.out.find("--non-persistent-save-interval "), std::string::npos) << held.out;
    EXPECT_NE(held.out.find("check: read back as the same plan"), std::string::npos) << held.out;
    const ProgramOutput waits =
        ran("emit -m llama-3.1-8b -c dgx-h100 --no-fail --stack fsdp2 --checkpoint sync");
    EXPECT_NE(waits.out.find(" dcp.save(states, "), std::string::npos) << waits.out;
}

/// How often the files of a run save, in its own words.
std::string savesOf(const std::string& run) {
    const ProgramOutput answer =
        ran("emit -m llama-3.1-8b -c dgx-h100 -n 2 --check --no-fail --mtbf 2000h --stack " + run);
    EXPECT_NE(answer.out.find("check: read back as the same plan"), std::string::npos)
        << run << answer.out << answer.err;
    const std::size_t at = answer.out.find("# Saves: ");
    return at == std::string::npos ? answer.out
                                   : answer.out.substr(at, answer.out.find('\n', at) - at);
}

// Trainer waits for storage: how often it saves is what is best for that.
TEST(Emit, SavesAsOftenAsIsBestForWhatTheFrameworkCan) {
    for (const char* const run : {"axolotl --layout shard=fsdp,recompute=full --checkpoint ",
                                  "accelerate --layout shard=fsdp,recompute=full --checkpoint "}) {
        const std::string waits = savesOf(std::string(run) + "sync");
        EXPECT_NE(waits.find("steps, waiting for storage"), std::string::npos) << waits;
        EXPECT_EQ(savesOf(std::string(run) + "async"), waits);
        EXPECT_EQ(savesOf(std::string(run) + "two_level"), waits);
        EXPECT_EQ(savesOf(std::string(run) + "two_level --checkpoint-interval 10steps"), waits);
    }
    const std::string background = savesOf("fsdp2 --checkpoint async");
    EXPECT_NE(background.find("steps, in the background"), std::string::npos) << background;
    EXPECT_EQ(savesOf("fsdp2 --checkpoint two_level"), background);
}

TEST(Emit, TellsNcclWhatTheForecastChooses) {
    const std::string out = tempFolder() + "tuner";
    const ProgramOutput answer = ran(
        "emit -m llama-3.1-8b -c dgx-h100 -n 2 --stack megatron --layout tp=8 --nccl-tuner "
        "--set settings.kernels.loss=vocab_parallel --set settings.torch.limit_all_gathers=true "
        "--set settings.megatron.vocab_padding=128 --load-from " +
        std::string(150, 'x') + " --check --out " + out);
    ASSERT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_NE(answer.out.find("check: read back as the same plan"), std::string::npos)
        << answer.out;
    EXPECT_NE(readTextFile(out + "/run.sh")
                  .value()
                  .find("export NCCL_TUNER_CONFIG_FILE=\"$PWD/nccl_tuner.csv\"\n"),
              std::string::npos);
    std::istringstream lines(readTextFile(out + "/nccl_tuner.csv").value());
    std::string before;
    std::int64_t next = 0;
    std::size_t rows = 0;
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LT(line.size(), 255U);  // the plugin's longest
        if (line.starts_with("#")) {
            continue;
        }
        std::vector<std::string> cells;
        std::istringstream row(line);
        for (std::string cell; std::getline(row, cell, ',');) {
            cells.push_back(cell);
        }
        ASSERT_EQ(cells.size(), 10U) << line;
        const std::string group = cells[0] + " " + cells[6] + " " + cells[7];
        next = group == before ? next : 0;  // ranges leave nothing out
        EXPECT_EQ(std::stoll(cells[1]), next) << line;
        next = std::stoll(cells[2]) + 1;
        before = group;
        ++rows;
    }
    EXPECT_EQ(next, 4294967296);
    EXPECT_GE(rows, 6U);
    const ProgramOutput alone =
        ran("emit -m llama-3.2-1b --gpu h100-sxm5-80gb --gpus 1 --stack ddp --nccl-tuner");
    EXPECT_EQ(alone.code, ExitCode::BadInput);
    EXPECT_EQ(alone.out, "");
    const ProgramOutput other = ran("emit -m llama-3.1-8b -c mi300x-8 --stack fsdp2 --nccl-tuner");
    EXPECT_EQ(other.code, ExitCode::BadInput) << other.err;
}

// A job names run.sh, which names the program: each says its part.
TEST(Emit, IsReadBackFromTheJobThatStartsIt) {
    const std::string out = tempFolder() + "job";
    ASSERT_EQ(ran("emit -m llama-3.1-8b -c dgx-h100 -n 2 --stack fsdp2 --layout recompute=full "
                  "--launcher slurm --out " +
                  out)
                  .code,
              ExitCode::Ok);
    const ProgramOutput read = ran("import " + out + "/job.sbatch -c dgx-h100");
    EXPECT_EQ(read.code, ExitCode::Ok) << read.err;
    EXPECT_NE(read.out.find("(16 h100-sxm5-80gb), fsdp2, dp=16,shard=fsdp, recompute=full"),
              std::string::npos)
        << read.out;
    EXPECT_NE(read.out.find(out + "/train.py:"), std::string::npos) << read.out;
    const ProgramOutput found = ran("lint " + out + "/job.sbatch -f json");
    EXPECT_EQ(found.code, ExitCode::Ok) << found.out;
    EXPECT_EQ(found.out.find("FL02"), std::string::npos) << found.out;
}

// What the command line of train.py says beside the framework's file is read with it.
TEST(Emit, ReadsArgumentsOfTheScriptBack) {
    struct Plan {
        const char* run;
        const char* line;
    };
    for (const Plan& one :
         {Plan{"deepspeed --layout pp=2,shard=zero1", "--pipeline-parallel-size 2"},
          Plan{"deepspeed --layout shard=zero2 --optimizer adamw_8bit", "--optim adamw_bnb_8bit"},
          Plan{"deepspeed --layout shard=zero2 --optimizer adafactor", "--optim adafactor"},
          Plan{"accelerate --layout shard=fsdp --precision fp8_tensorwise", "backend: AO"},
          Plan{"megatron --layout offload=activations", "--cpu-offloading-num-layers 31"},
          Plan{"megatron --layout offload=activations --set settings.megatron.offloaded_layers=8",
               "--cpu-offloading-num-layers 8"},
          Plan{"nemo --layout offload=activations", "cpu_offloading_num_layers=31"},
          Plan{"axolotl --layout shard=fsdp,offload=activations,recompute=full",
               "activation_offloading: true"},
          Plan{"axolotl --layout shard=none,offload=activations,recompute=full --set "
               "settings.torch.offload_stream=false",
               "activation_offloading: legacy"}}) {
        const ProgramOutput answer = ran(
            "emit -m llama-3.1-8b -c dgx-h100 --check --no-fail --stack " + std::string(one.run));
        EXPECT_EQ(answer.code, ExitCode::Ok) << one.run << answer.err;
        EXPECT_NE(answer.out.find(one.line), std::string::npos) << one.run << answer.out;
        EXPECT_NE(answer.out.find("check: read back as the same plan"), std::string::npos)
            << one.run << answer.out;
    }
    const std::string out = tempFolder() + "pipeline";
    ASSERT_EQ(ran("emit -m llama-3.1-8b -c dgx-h100 --stack deepspeed --layout pp=2,shard=zero1 "
                  "--no-fail --out " +
                  out)
                  .code,
              ExitCode::Ok);
    const ProgramOutput read = ran("explain " + out + " -m llama-3.1-8b -c dgx-h100 --no-fail");
    EXPECT_EQ(read.code, ExitCode::Ok) << read.err;
    EXPECT_NE(read.out.find("dp=4,pp=2"), std::string::npos) << read.out;
}

// "The same plan" is one with what its files cannot say.
TEST(Emit, SaysWhichKeysOfThePlanWereFilledIn) {
    const std::string plan = "emit -m llama-3.1-8b -c dgx-h100 --check --no-fail --stack ";
    const std::string context = " --seq 8192 --layout cp=2,cp_kind=ring,micro_batch=1";
    const ProgramOutput told = ran(plan + "axolotl" + context);
    EXPECT_NE(told.out.find("check: read back as the same plan"), std::string::npos) << told.out;
    EXPECT_EQ(told.out.find("what the files do not say"), std::string::npos) << told.out;
    const ProgramOutput ring = ran(plan + "torchtitan" + context);
    EXPECT_NE(ring.out.find("check: with what the files do not say: layout.cp_kind="),
              std::string::npos)
        << ring.out << ring.err;
    const ProgramOutput rows = ran(plan + "accelerate --precision fp8_rowwise");
    EXPECT_NE(rows.out.find("from_recipe_name(\"rowwise\")"), std::string::npos) << rows.out;
    EXPECT_NE(rows.out.find("settings.kernels.quantization=fp8_rowwise"), std::string::npos)
        << rows.out;
}

TEST(Emit, SaysThatItDoesNotFitBeforeTheCommandThatStartsIt) {
    const ProgramOutput answer =
        ran("emit -m llama-3.1-70b -c dgx-h100 --stack fsdp2 --launcher slurm --out " +
            tempFolder() + "no_room");
    EXPECT_EQ(answer.code, ExitCode::DoesNotFit) << answer.err;
    const std::size_t said = answer.out.find("\nit DOES NOT FIT: ");
    ASSERT_NE(said, std::string::npos) << answer.out;
    EXPECT_LT(said, answer.out.find("\nnext: ")) << answer.out;
    EXPECT_EQ(answer.out.find("sbatch job"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("next: fabricast explain -m llama-3.1-70b"), std::string::npos);
}

TEST(Emit, RefusesAttentionThatTheGpuOrTheFrameworkLacks) {
    const ProgramOutput kernel =
        ran("emit -m llama-3.1-8b -c dgx-a100 --stack fsdp2 --set "
            "settings.kernels.attention_code=flash3");
    EXPECT_EQ(kernel.code, ExitCode::BadInput);
    EXPECT_EQ(kernel.out, "");
    EXPECT_NE(kernel.err.find("runs on Hopper alone"), std::string::npos) << kernel.err;
    const ProgramOutput sinks =
        ran("explain -m gpt-oss-20b -c dgx-h100 --stack axolotl --seq 4096 "
            "--layout cp=2,micro_batch=1");
    EXPECT_EQ(sinks.code, ExitCode::BadInput);
    EXPECT_NE(sinks.err.find("which has no attention sinks"), std::string::npos) << sinks.err;
    const ProgramOutput parts =
        ran("explain -m llama-3.1-8b -c dgx-h100 --stack torchtitan "
            "--layout pp=2 --set settings.pipeline.scatter_exchange=true");
    EXPECT_EQ(parts.code, ExitCode::BadInput);
    EXPECT_NE(parts.err.find("torchtitan sends the next stage whole activations"),
              std::string::npos)
        << parts.err;
}

// torchtitan has two stages a rank where nothing says how many layers a stage has.
TEST(Emit, WritesTheStagesThatTorchtitanCanMake) {
    const std::string asked =
        " -m qwen3-14b -c dgx-h100 -n 2 --seq 4096 --global-batch 8 --stack torchtitan --layout "
        "schedule=interleaved,tp=2,pp=4,vpp=";
    const ProgramOutput usual = ran("emit --no-fail" + asked + "2");
    EXPECT_EQ(usual.code, ExitCode::Ok) << usual.err;
    EXPECT_NE(usual.out.find("pipeline_parallel_degree"), std::string::npos) << usual.out;
    EXPECT_EQ(usual.out.find("layers_per_stage"), std::string::npos) << usual.out;
    for (const std::string command : {"emit", "explain"}) {
        const ProgramOutput many = ran(command + asked + "10");
        EXPECT_EQ(many.code, ExitCode::BadInput);
        EXPECT_NE(many.err.find("no pipeline_parallel_layers_per_stage makes 40 stages of 40"),
                  std::string::npos)
            << many.err;
    }
}

// What the script alone has cannot be read back, and that is said.
TEST(Emit, SaysWhatTheFilesDoNot) {
    const ProgramOutput answer = ran(
        "emit -m llama-3.1-8b -c dgx-h100 --stack deepspeed --set settings.kernels.compile=true "
        "--check");
    EXPECT_NE(
        answer.out.find("check: with what the files do not say: settings.kernels.compile=true"),
        std::string::npos)
        << answer.out;
}

// torchtitan 0.2.2 gathers float8 where no recipe is named.
TEST(Emit, NamesNoRecipeWhereFloat8IsGathered) {
    const std::string plan =
        "emit -m llama-3.1-8b -c dgx-h100 --stack torchtitan --framework-version 0.2.2 "
        "--set settings.kernels.compile=true --layout recompute=full --seq 8192 --check "
        "--precision ";
    const ProgramOutput whole = ran(plan + "fp8_tensorwise");
    EXPECT_EQ(whole.code, ExitCode::Ok) << whole.err;
    EXPECT_NE(whole.out.find("enable_fsdp_float8_all_gather = true"), std::string::npos);
    EXPECT_EQ(whole.out.find("recipe_name"), std::string::npos) << whole.out;
    EXPECT_NE(whole.out.find("check: read back as the same plan"), std::string::npos) << whole.out;
    const ProgramOutput rows = ran(plan + "fp8_rowwise");
    EXPECT_NE(rows.out.find("recipe_name = \"rowwise\""), std::string::npos) << rows.out;
    EXPECT_EQ(rows.out.find("all_gather"), std::string::npos) << rows.out;
}

// transformers 5.24 has no "muon"; Axolotl makes it.
TEST(Emit, RefusesAnOptimizerThatTheTrainerHasNoNameFor) {
    const std::string plan =
        "emit -m qwen2.5-7b -c dgx-h100 --optimizer muon --seq 2048 --global-batch 32 --no-fail "
        "--stack ";
    const ProgramOutput answer = ran(plan + "accelerate --layout shard=fsdp,recompute=full");
    EXPECT_EQ(answer.code, ExitCode::BadInput) << answer.out;
    EXPECT_NE(answer.err.find("Trainer has no name for muon"), std::string::npos) << answer.err;
    const ProgramOutput other = ran(plan + "axolotl --layout shard=fsdp,recompute=full");
    EXPECT_NE(other.out.find("optimizer: muon"), std::string::npos) << other.out << other.err;
}

// The tokens of a run are its steps; saves come before its end, and a run that is started again
// goes on from the newest.
TEST(Emit, WritesTheStepsOfThePlanAndGoesOnFromCheckpoints) {
    const std::string plan =
        "emit -m llama-3.1-8b -c dgx-h100 --seq 4096 --global-batch 8 --no-fail ";
    const ProgramOutput loop = ran(plan + "--stack ddp --tokens 5B --checkpoint async");
    EXPECT_NE(loop.out.find("range(load_newest(model, optimizer), int(os.environ.get(\"STEPS\", "
                            "\"152588\")))"),
              std::string::npos)
        << loop.out;
    const ProgramOutput megatron = ran(plan + "--stack megatron --tokens 5B");
    EXPECT_NE(megatron.out.find("${STEPS:-152588}"), std::string::npos) << megatron.out;
    EXPECT_NE(megatron.out.find("NullTokenizer --vocab-size 128255"), std::string::npos);
    const ProgramOutput bridge = ran(plan + "--stack megatron --target megatron-bridge");
    EXPECT_NE(bridge.out.find("vocab_size=128256"), std::string::npos) << bridge.out;
}

TEST(Emit, SaysWhatARouterAndPodsNeed) {
    const std::string mixture = "emit -m qwen3-30b-a3b -c dgx-h100 --layout ep=8 --no-fail ";
    for (const char* const target :
         {"--stack megatron", "--stack megatron --target megatron-bridge", "--stack nemo"}) {
        EXPECT_NE(ran(mixture + target).out.find("not in the files: what balances the router"),
                  std::string::npos)
            << target;
    }
    const ProgramOutput pods = ran(
        "emit -m llama-3.1-8b -c dgx-h100 -n 2 --stack megatron --launcher kubernetes --checkpoint "
        "async --no-fail");
    EXPECT_NE(pods.out.find("RDMA"), std::string::npos) << pods.out;
    EXPECT_NE(pods.out.find("a volume under /launch"), std::string::npos) << pods.out;
}

// Keys of the same framework's file stay in its words, where they start the same.
TEST(Emit, KeepsWhatAFileSaysInItsOwnWords) {
    const std::string file = tempFolder() + "own.yaml";
    ASSERT_TRUE(writeTextFile(
        file,
        "base_model: meta-llama/Llama-3.1-8B\nload_in_4bit: true\nadapter: qlora\nlora_r: 32\n"
        "lora_target_linear: true\ndatasets:\n  - path: mycorp/data\n    type: alpaca\n"
        "val_set_size: 0.05\noutput_dir: ./outputs/mine\nsequence_len: 4096\n"
        "sample_packing: true\ngradient_accumulation_steps: 4\nmicro_batch_size: 2\n"
        "num_epochs: 7\noptimizer: paged_adamw_32bit\nlearning_rate: 0.0002\nbf16: auto\n"
        "gradient_checkpointing: true\nflash_attention: true\nwarmup_steps: 10\n"
        "special_tokens:\n  pad_token: \"<|end_of_text|>\"\n"));
    const ProgramOutput answer = ran("emit " + file + " --gpu rtx-4090 --gpus 1 --no-fail --check");
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err << answer.out;
    for (const char* const kept : {"\ndatasets:\n  - path: mycorp/data\n    type: alpaca\n",
                                   "\nnum_epochs: 7\n",
                                   "\nlearning_rate: 0.0002\n",
                                   "\nwarmup_steps: 10\n",
                                   "\noutput_dir: ./outputs/mine\n",
                                   "\n  pad_token: \"<|end_of_text|>\"\n"}) {
        EXPECT_NE(answer.out.find(kept), std::string::npos) << kept << answer.out;
    }
    EXPECT_EQ(answer.out.find("tatsu-lab"), std::string::npos) << answer.out;
    EXPECT_EQ(answer.out.find("flash_attention: true"), std::string::npos) << answer.out;
}

// What a file says beside the plan is kept, or said to be left.
TEST(Emit, KeepsTheModelAndTheScaleOfAFile) {
    const std::string file = tempFolder() + "mine.yaml";
    ASSERT_TRUE(writeTextFile(file,
                              "base_model: meta-llama/Llama-3.1-8B-Instruct\nadapter: lora\n"
                              "lora_r: 16\nlora_alpha: 8\nsequence_len: 4096\n"
                              "micro_batch_size: 1\nlearning_rate: 0.0002\nbf16: true\n"));
    const ProgramOutput answer = ran("emit " + file + " --gpu h100 --gpus 8 --no-fail");
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_NE(answer.out.find("\nbase_model: meta-llama/Llama-3.1-8B-Instruct\n"),
              std::string::npos);
    EXPECT_NE(answer.out.find("lora_alpha: 8"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("\nlearning_rate: 0.0002\n"), std::string::npos) << answer.out;
    EXPECT_EQ(answer.out.find("\n# Not carried over from "), std::string::npos) << answer.out;
}

/// What emit says that it left behind of a file: "datasets, learning_rate".
std::string leftOf(const std::string& name, const std::string& text, const std::string& more) {
    const std::string file = tempFolder() + name;
    EXPECT_TRUE(writeTextFile(file, text));
    const ProgramOutput answer = ran("emit " + file + " --no-fail " + more);
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
    const std::string before = "not in the files: what was not carried over from " + file + ": ";
    const std::size_t at = answer.out.find(before);
    return at == std::string::npos
               ? ""
               : answer.out.substr(at + before.size(),
                                   answer.out.find('\n', at) - at - before.size());
}

// Data and learning rate are somebody's own, whatever the framework: what is not kept is said.
TEST(Emit, SaysOfEveryFrameworkWhatItLeavesBehind) {
    // A TOML is of 0.2.2, and is written for it again.
    EXPECT_EQ(leftOf("left.toml",
                     "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[optimizer]\nlr = 3e-4\n"
                     "[training]\nlocal_batch_size = 2\nseq_len = 8192\n[parallelism]\n"
                     "tensor_parallel_degree = 2\n[compile]\nenable = true\n"
                     "[activation_checkpoint]\nmode = \"full\"\n",
                     "-c dgx-h100"),
              "");
    EXPECT_EQ(leftOf("left.yaml",
                     "base_model: meta-llama/Llama-3.1-8B\ndatasets:\n  - path: /data/mine.jsonl\n"
                     "    type: chat_template\nsequence_len: 4096\nmicro_batch_size: 1\n"
                     "learning_rate: 0.0007\nbf16: true\n",
                     "--gpu h100 --gpus 8"),
              "");
    EXPECT_EQ(leftOf("left.toml",
                     "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[optimizer]\nname = \"AdamW\"\n"
                     "lr = 7e-4\n[training]\nlocal_batch_size = 1\nseq_len = 4096\n"
                     "dataset = \"mine\"\n[activation_checkpoint]\nmode = \"full\"\n",
                     "-c dgx-h100 --framework-version 0.2.2"),
              "");
    EXPECT_EQ(leftOf("left.py",
                     "import torch\nfrom torch.distributed.fsdp import fully_shard\n"
                     "from transformers import AutoModelForCausalLM\nSEQUENCE = 4096\n"
                     "MICRO_BATCH = 1\n"
                     "model = AutoModelForCausalLM.from_pretrained(\"meta-llama/Llama-3.1-8B\")\n"
                     "fully_shard(model)\n"
                     "optimizer = torch.optim.AdamW(model.parameters(), lr=7e-4)\n",
                     "-c dgx-h100"),
              "AdamW.lr");
    EXPECT_EQ(
        leftOf("left.sh",
               "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
               "--ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention "
               "--num-query-groups 8 --seq-length 4096 --max-position-embeddings 4096 "
               "--swiglu --normalization RMSNorm --disable-bias-linear --vocab-size 128256 "
               "--position-embedding-type rope --untie-embeddings-and-output-weights "
               "--micro-batch-size 1 --global-batch-size 32 --bf16 --lr 7e-4 --data-path /d\n",
               "-c dgx-h100"),
        "--lr, --data-path");
}

// Samples of TRL are packed as those are that the forecast counts, and more can be typed behind.
TEST(Emit, PacksSamplesAndTakesWhatIsTypedBehind) {
    for (const char* const stack : {"accelerate", "deepspeed"}) {
        const ProgramOutput files = ran(std::string("emit -m qwen2.5-7b -c dgx-h100 --check "
                                                    "--no-fail --seq 2048 --stack ") +
                                        stack);
        EXPECT_NE(files.out.find("--packing true"), std::string::npos) << files.out;
        EXPECT_NE(files.out.find("\"$@\"\n"), std::string::npos) << files.out;
        EXPECT_NE(files.out.find("check: read back as the same plan"), std::string::npos)
            << files.out;
    }
    const ProgramOutput megatron = ran("emit -m llama-3.1-8b -c dgx-h100 --stack megatron --check");
    EXPECT_NE(megatron.out.find("\"${YOURS[@]}\" \"$@\"\n"), std::string::npos) << megatron.out;
    EXPECT_NE(megatron.out.find("check: read back as the same plan"), std::string::npos);
}

// A folder is checked as it is written, and says what its script ends without.
TEST(Emit, ChecksAFolderAndNamesTheVariablesThatItLacks) {
    const std::string out = tempFolder() + "needs";
    const ProgramOutput files =
        ran("emit -m llama-3.1-8b -c dgx-h100 --stack megatron --check --out " + out);
    EXPECT_EQ(files.code, ExitCode::Ok) << files.err;
    EXPECT_NE(files.out.find("to set before: MEGATRON, the folder of Megatron-LM\n"),
              std::string::npos)
        << files.out;
    EXPECT_NE(files.out.find("next: cd " + out + " && MEGATRON=... bash run.sh\n"),
              std::string::npos)
        << files.out;
    EXPECT_NE(files.out.find("check: read back as the same plan"), std::string::npos);
}

// What is proposed where a release cannot start the plan starts it as typed.
TEST(Emit, ProposesWhatStartsThePlan) {
    const std::string plan = "emit -m deepseek-v3 -c dgx-h100 -n 32 --no-fail ";
    const ProgramOutput refused = ran(plan + "--stack nemo --layout ep=8,pp=8");
    ASSERT_EQ(refused.code, ExitCode::BadInput) << refused.out;
    const std::string before = "  try: ";
    const std::size_t at = refused.err.find(before);
    ASSERT_NE(at, std::string::npos) << refused.err;
    const std::string typed =
        refused.err.substr(at + before.size(), refused.err.find('\n', at) - at - before.size());
    const ProgramOutput tried = ran(plan + "--layout ep=8,pp=8 " + typed);
    EXPECT_EQ(tried.code, ExitCode::Ok) << typed << "\n" << tried.err;
}

// Weights of 8 bits are told to Megatron, and read back.
TEST(Emit, GathersWeightsOfEightBits) {
    const ProgramOutput files =
        ran("emit -m llama-3.1-8b -c dgx-h100 --stack megatron --precision fp8_tensorwise --set "
            "settings.precision.parameters=fp8 --layout tp=2 --check");
    EXPECT_NE(files.out.find("\n    --fp8-param-gather\n"), std::string::npos) << files.out;
    EXPECT_NE(files.out.find("check: read back as the same plan"), std::string::npos) << files.out;
}

// Experts that are split as the layers are go with them, whoever says so: the flags, or the files.
TEST(Emit, IsAdvisedAsItsFilesAre) {
    const std::string out = tempFolder() + "advised";
    const std::string plan = " -m gpt-oss-20b -c dgx-h100";
    (void)ran("emit --stack nemo --layout tp=2 --seq 8192 --no-fail --out " + out + plan);
    const auto firstFix = [](const std::string& answer) {
        const std::size_t at = answer.find("\nGPU memory is short by ");
        const std::size_t begin = answer.find('\n', at + 1) + 3;
        const std::string line = answer.substr(begin, answer.find('\n', begin) - begin);
        return line.substr(line.find(": "));  // what is then needed, and the side effect
    };
    const std::string flags =
        ran("explain --stack nemo --layout tp=2 --seq 8192 --no-fail" + plan).out;
    const std::string folder = ran("explain --no-fail " + out + plan).out;
    ASSERT_NE(flags.find("\nGPU memory is short by "), std::string::npos) << flags;
    EXPECT_EQ(firstFix(flags), firstFix(folder)) << flags << folder;
}

// Accelerate's files have no key for the type that weights are stored in.
TEST(Emit, SaysWhatItsFilesStartOtherwise) {
    const std::string asked =
        "emit -m llama-3.2-1b -c dgx-h100 --stack accelerate --set "
        "settings.precision.parameters=bf16";
    const ProgramOutput answer = ran(asked);
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
    const std::string line = "settings.precision.gradients: fp32 in the plan, bf16 in the files";
    EXPECT_NE(answer.out.find("\n# Other than the plan: " + line), std::string::npos);
    EXPECT_NE(answer.out.find("\nnot in the files: " + line), std::string::npos) << answer.out;
    EXPECT_EQ(ran(asked + " --check").code, ExitCode::DoesNotFit);
    const ProgramOutput loads =
        ran("emit -m llama-3.1-8b -c dgx-h100 --stack torchtitan --load-from /models/l8b");
    EXPECT_NE(loads.out.find("not in the files: the weights of /models/l8b"), std::string::npos)
        << loads.out;
    EXPECT_EQ(ran("emit -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --load-from /models/l8b")
                  .out.find("not in the files: the weights"),
              std::string::npos);
}

}  // namespace
}  // namespace fabricast
