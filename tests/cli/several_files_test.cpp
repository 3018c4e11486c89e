#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace fabricast {
namespace {

const std::string kAxolotl =
    "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\n"
    "gradient_accumulation_steps: 4\nbf16: true\ngradient_checkpointing: true\n"
    "datasets: [{path: tatsu-lab/alpaca, type: alpaca}]\n";
const std::string kDeepspeed =
    R"({"zero_optimization": {"stage": 3}, "bf16": {"enabled": true},)"
    R"( "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto"})";
const std::string kAccelerate =
    "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\n"
    "deepspeed_config:\n  deepspeed_config_file: /nowhere/z3.json\n"
    "num_machines: 1\nnum_processes: 8\n";
const std::string kScript =
    "#!/bin/bash\naccelerate launch train.py --model_name_or_path meta-llama/Llama-3.1-8B "
    "--output_dir out --per_device_train_batch_size 1 --gradient_accumulation_steps 4 "
    "--bf16 true --gradient_checkpointing true --max_length 4096\n";
const std::string kModel =
    R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,)"
    R"( "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,)"
    R"( "vocab_size": 128256, "max_position_embeddings": 8192, "tie_word_embeddings": false})";

/// The files of a run in a folder of their own.
struct RunFolder {
    std::string folder = tempFolder() + "run/";
    RunFolder() {
        std::filesystem::create_directories(folder + "elsewhere");
        write("axolotl.yaml", kAxolotl + "deepspeed: deepspeed_configs/zero3.json\n");
        write("plain.yaml", kAxolotl);
        write("elsewhere/zero3.json", kDeepspeed);
        write("accelerate.yaml", kAccelerate);
        write("run.sh", kScript);
        write("config.json", kModel);
    }
    void write(const std::string& name, const std::string& text) const {
        ASSERT_TRUE(writeTextFile(folder + name, text));
    }
    [[nodiscard]] ProgramOutput asked(const std::string& arguments) const {
        return ran(arguments, {"-C", folder});
    }
};

/// What is forecast: the names of what was read come before it.
std::string memoryIn(const ProgramOutput& answer) {
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
    const std::size_t begin = answer.out.find("\"memory\": {");
    const std::size_t end = answer.out.find("\"assumed\"", begin);
    EXPECT_NE(end, std::string::npos);
    return answer.out.substr(begin, end - begin);
}

TEST(SeveralFiles, AreReadAsOneRunInAnyOrder) {
    const RunFolder run;
    const std::string end = " -c dgx-h100 -f json";
    const ProgramOutput answer = run.asked("import axolotl.yaml elsewhere/zero3.json" + end);
    ASSERT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_NE(answer.out.find(R"("shard": "zero3")"), std::string::npos) << answer.out;
    EXPECT_EQ(run.asked("import elsewhere/zero3.json axolotl.yaml" + end).out, answer.out);
    // The file of that name was meant: nothing is to be said.
    EXPECT_EQ(answer.out.find("is read as"), std::string::npos) << answer.out;
}

TEST(SeveralFiles, SayWhatIsTakenForNamed) {
    const RunFolder run;
    const std::string axolotl = run.asked("import plain.yaml elsewhere/zero3.json -c dgx-h100").out;
    EXPECT_NE(axolotl.find("elsewhere/zero3.json is read as deepspeed of "), std::string::npos)
        << axolotl;
    EXPECT_NE(axolotl.find("plain.yaml, which does not name it"), std::string::npos) << axolotl;
    const std::string all =
        run.asked("import elsewhere/zero3.json run.sh accelerate.yaml -c dgx-h100").out;
    EXPECT_NE(all.find("accelerate.yaml is read as --config_file of "), std::string::npos) << all;
    EXPECT_NE(all.find("which names /nowhere/z3.json"), std::string::npos) << all;
    EXPECT_NE(all.find("zero3.json:1:33"), std::string::npos) << all;
    EXPECT_EQ(all.find("KEY5"), std::string::npos) << all;
}

// Whatever is asked of them, and however it is typed again.
TEST(SeveralFiles, AreTypedAgainByWhatFollows) {
    const RunFolder run;
    const std::string files = "axolotl.yaml elsewhere/zero3.json";
    const std::string named = "deepspeed: elsewhere/zero3.json\n";
    run.write("named.yaml", kAxolotl + named);
    for (const std::string command : {"explain", "simulate", "plan", "advise", "emit"}) {
        const ProgramOutput several = run.asked(command + " " + files + " -c dgx-h100 -f json");
        const ProgramOutput alone = run.asked(command + " named.yaml -c dgx-h100 -f json");
        ASSERT_EQ(several.code, alone.code) << command << several.err;
        EXPECT_EQ(several.code, ExitCode::Ok) << command << several.err;
        if (command == "explain") {
            EXPECT_EQ(memoryIn(several), memoryIn(alone));
        }
    }
    const std::string text = run.asked("explain " + files + " -c dgx-h100").out;
    EXPECT_NE(text.find("explain " + files + " "), std::string::npos) << text;
}

/// A Trainer's program that names no configuration, and two that a launcher may tell it of.
void writeProgram(const RunFolder& run, const std::string& folder) {
    std::filesystem::create_directories(run.folder + folder);
    run.write(folder + "sft.py",
              "from trl import SFTTrainer, SFTConfig\nconfig = SFTConfig(output_dir='out', "
              "per_device_train_batch_size=1, gradient_accumulation_steps=8, max_length=2048, "
              "bf16=True, gradient_checkpointing=True)\nSFTTrainer('Qwen/Qwen2.5-7B', args=config, "
              "train_dataset=train).train()\n");
    run.write(folder + "fsdp.yaml",
              "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n"
              "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
              "  fsdp_reshard_after_forward: true\n"
              "mixed_precision: bf16\nnum_machines: 1\nnum_processes: 4\n");
}

/// Whichever command is asked, in whatever order they are typed, and as a folder.
TEST(SeveralFiles, AProgramAndItsConfigurationAreOneRunOfEveryCommand) {
    const RunFolder run;
    writeProgram(run, "job/");
    const std::string end = " -c dgx-h100 --gpus 4 -f json --no-fail";
    const auto peakOf = [&](const std::string& command, const std::string& list) {
        const JsonValue answer = jsonOf(run.asked(command + end).out);
        const JsonValue* const all = answer.find(list);
        EXPECT_TRUE(all != nullptr && all->items().size() >= 1) << command;
        const JsonValue* const peak =
            all == nullptr || all->items().empty() ? nullptr : all->items()[0].find("peak_bytes");
        EXPECT_NE(peak, nullptr) << command;
        return peak == nullptr ? 0.0 : numberOf(*peak, "value");
    };
    const double peak =
        peakOf("compare job/sft.py job/fsdp.yaml --with layout.micro_batch=2", "sides");
    EXPECT_GT(peak, 1e10);
    EXPECT_EQ(peakOf("compare job/fsdp.yaml job/sft.py --with layout.micro_batch=2", "sides"),
              peak);
    EXPECT_EQ(peakOf("compare job --with layout.micro_batch=2", "sides"), peak);
    const std::string memory = memoryIn(run.asked("explain job" + end));
    EXPECT_EQ(memoryIn(run.asked("explain job/fsdp.yaml job/sft.py" + end)), memory);
    const std::string checked = run.asked("check job -c dgx-h100 --gpus 4 --show all").out;
    const std::string typed =
        run.asked("check job/fsdp.yaml job/sft.py -c dgx-h100 --gpus 4 --show all").out;
    EXPECT_EQ(typed.find("ERROR"), std::string::npos) << typed;
    EXPECT_NE(typed.find("sft.py"), std::string::npos) << typed;
    EXPECT_EQ(typed.substr(typed.find('\n')), checked.substr(checked.find('\n')));
    for (const std::string files : {"job/fsdp.yaml job/sft.py", "job"}) {
        const std::string linted = run.asked("lint " + files + " -c dgx-h100 --gpus 4").out;
        EXPECT_TRUE(linted.starts_with("ok  job/sft.py with ")) << linted;
        EXPECT_EQ(linted.find("FC01"), std::string::npos) << linted;
        EXPECT_NE(linted.find("shard=fsdp"), std::string::npos) << linted;
    }
}

/// Of two configurations nobody can tell which: each file is looked at by itself.
TEST(SeveralFiles, OfTwoConfigurationsNoneIsTheRuns) {
    const RunFolder run;
    writeProgram(run, "job/");
    run.write("job/other.yaml", kAccelerate);
    const ProgramOutput answer =
        run.asked("check job/sft.py job/fsdp.yaml job/other.yaml -c dgx-h100 --gpus 4");
    EXPECT_EQ(answer.code, ExitCode::BadInput) << answer.out;
}

TEST(SeveralFiles, MayHoldTheModel) {
    const RunFolder run;
    const std::string end = " -c dgx-h100 --seq 4096 -f json --no-fail";
    EXPECT_EQ(memoryIn(run.asked("explain config.json plain.yaml" + end)),
              memoryIn(run.asked("explain plain.yaml -m config.json" + end)));
}

TEST(SeveralFiles, OfSeveralRunsAreRefused) {
    const RunFolder run;
    run.write("scenario.json", R"({"model": "llama-3.1-8b", "cluster": "dgx-h100"})");
    run.write("other.json", kModel);
    run.write("a.sh", "#!/bin/bash\nbash b.sh\n");
    run.write("b.sh", "#!/bin/bash\nbash a.sh\n");
    struct Case {
        std::string files;
        std::string why;
    };
    const std::vector<Case> cases = {
        {"axolotl.yaml plain.yaml", "error: axolotl.yaml, plain.yaml: are several runs\n"},
        {"plain.yaml accelerate.yaml", "accelerate.yaml: is read by none of the other files"},
        {"scenario.json plain.yaml", "is a scenario, which holds everything of a run"},
        {"a.sh b.sh", "none of them starts a training"},
        {"plain.yaml config.json other.json", "is a model, as config.json is"},
        {"- plain.yaml", "standard input is read alone"},
        {"plain.yaml nothing.json", "nothing.json"}};
    for (const auto& [files, why] : cases) {
        const ProgramOutput answer = run.asked("import " + files + " -c dgx-h100");
        EXPECT_EQ(answer.code, ExitCode::BadInput) << files;
        EXPECT_EQ(answer.out, "") << files;
        EXPECT_NE(answer.err.find(why), std::string::npos) << files << answer.err;
        EXPECT_NE(answer.err.find("\n  try: "), std::string::npos) << files << answer.err;
    }
}

// A folder's files that are only read by others start nothing.
TEST(SeveralFiles, OfAFolderAreNamedWhereTheyAre) {
    const RunFolder run;
    const std::string folder = run.folder + "nested";
    std::filesystem::create_directories(folder + "/cfg");
    run.write("nested/cfg/accelerate.yaml", kAccelerate);
    run.write("nested/cfg/../z3.json", kDeepspeed);
    run.write("nested/run.sh",
              "accelerate launch --config_file cfg/accelerate.yaml" +
                  kScript.substr(kScript.find(" train.py")));
    std::string named = kAccelerate;
    named.replace(named.find("/nowhere/"), 9, "");
    run.write("nested/cfg/accelerate.yaml", named);
    const ProgramOutput answer = run.asked("import nested -c dgx-h100");
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_NE(answer.out.find("/nested/z3.json:1:33"), std::string::npos) << answer.out;
    EXPECT_EQ(answer.out.find("cfg/z3.json"), std::string::npos) << answer.out;
    const ProgramOutput typed =
        run.asked("import nested/z3.json nested/run.sh nested/cfg/accelerate.yaml -c dgx-h100");
    EXPECT_EQ(typed.code, ExitCode::Ok) << typed.err;
    EXPECT_NE(typed.out.find("/nested/z3.json:1:33"), std::string::npos) << typed.out;
}

TEST(ModelFile, IsAScenarioThatNamesIt) {
    const RunFolder run;
    const std::string end = " -c dgx-h100 --seq 4096 -f json";
    EXPECT_EQ(memoryIn(run.asked("explain config.json" + end)),
              memoryIn(run.asked("explain -m config.json" + end)));
    std::filesystem::create_directories(run.folder + "hub");
    run.write("hub/config.json", kModel);
    EXPECT_EQ(memoryIn(run.asked("explain hub" + end)),
              memoryIn(run.asked("explain -m hub" + end)));
    const ProgramOutput alone = run.asked("import config.json");
    EXPECT_EQ(alone.code, ExitCode::Ok) << alone.err;
    EXPECT_NE(alone.out.find("config.json:1:1"), std::string::npos) << alone.out;
    EXPECT_NE(alone.out.find("not forecast: cluster: "), std::string::npos) << alone.out;
}

TEST(From, SaysWhoseFileItIs) {
    const RunFolder run;
    run.write("noted.txt", kAxolotl);
    const std::string end = " -c dgx-h100 -f json --no-fail";
    const ProgramOutput told = run.asked("explain noted.txt --from axolotl" + end);
    ASSERT_EQ(told.code, ExitCode::Ok) << told.err;
    const ProgramOutput untold = run.asked("explain noted.txt" + end);
    EXPECT_EQ(untold.code, ExitCode::BadInput);
    EXPECT_NE(untold.err.find("try: --from axolotl"), std::string::npos) << untold.err;
    const ProgramOutput other = run.asked("explain plain.yaml --from accelerate" + end);
    EXPECT_NE(other.err.find("plain.yaml: is a file of axolotl, not of accelerate\n"
                             "  try: --from axolotl"),
              std::string::npos)
        << other.err;
    EXPECT_EQ(run.asked("explain plain.yaml --from auto" + end).code, ExitCode::Ok);
    const std::string text = run.asked("explain noted.txt --from axolotl -c dgx-h100").out;
    EXPECT_NE(text.find("noted.txt --from axolotl"), std::string::npos) << text;
}

}  // namespace
}  // namespace fabricast
