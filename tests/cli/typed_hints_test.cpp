#include "cli/run_program.h"
#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

Words explain(const Words& more) {
    Words words = {"explain", "-m", "llama-3.1-8b", "-c", "dgx-h100"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

struct Refused {
    Words words;
    std::string hint;
    Words instead;  ///< what the hint says, typed
};

/// An error whose hint is this; and a command that is taken with it typed behind.
void expectTyped(const ProgramOutput& refused,
                 const std::string& hint,
                 const std::string& command) {
    EXPECT_EQ(refused.code, ExitCode::BadInput) << hint;
    EXPECT_NE(refused.err.find("\n  try: " + hint + "\n"), std::string::npos) << refused.err;
    const ProgramOutput taken = ran(command + " --no-fail " + hint);
    EXPECT_EQ(taken.code, ExitCode::Ok) << hint << taken.err;
}

/// "--layout recompute=full" and "21.36 GiB" of each way out that an explanation prints.
std::vector<std::pair<std::string, std::string>> waysOutOf(const std::string& text) {
    std::vector<std::pair<std::string, std::string>> ways;
    for (std::size_t at = text.find("\n  --"); at != std::string::npos;
         at = text.find("\n  --", at + 1)) {
        const std::size_t colon = text.find(": ", at);
        const std::size_t end = text.find(" GiB", colon);
        ways.emplace_back(text.substr(at + 3, colon - at - 3),
                          text.substr(colon + 2, end + 4 - colon - 2));
    }
    return ways;
}

TEST(TypedHints, WaysOutHoldBehindTheExplanation) {
    for (const std::string command :
         {"explain -m llama-3.1-8b -c 8x-rtx-4090 --stack fsdp2",
          "explain -m llama-3.1-8b -c 8x-rtx-4090 --stack torchtitan --seq 8192 --layout tp=2"}) {
        const auto ways = waysOutOf(ran(command).out);
        EXPECT_GE(ways.size(), 3U);
        for (const auto& [typed, size] : ways) {
            const std::string out = ran(command + " " + typed).out;
            const std::string first = out.substr(0, out.find('\n'));
            EXPECT_NE(first.find("  " + size + " "), std::string::npos) << typed << "\n" << out;
        }
    }
}

/// What an error says to type is accepted.
TEST(TypedHints, Work) {
    const std::vector<Refused> cases = {
        {explain({"--stack", "megatron", "--layout", "recompute=uniform"}),
         "uniform:4",
         explain({"--stack", "megatron", "--layout", "recompute=uniform:4"})},
        {explain({"--stack", "megatron", "--layout", "recompute=uniform:99"}),
         "recompute=full",
         explain({"--stack", "megatron", "--layout", "recompute=full"})},
        {explain({"--layout", "pp=64"}), "pp=32", explain({"--layout", "pp=32"})},
        {explain({"--section", "cost", "--mtbf", "-1h"}),
         "\"50000 h\"",
         explain({"--section", "cost", "--mtbf", "50000 h"})},
        {explain({"--stack", "fsdp2", "--layout", "shard=hsdp,shard_size=3"}),
         "shard_size=2",
         explain({"--stack", "fsdp2", "--layout", "shard=hsdp,shard_size=2"})},
        {explain({"--layout", "schedule=dualpipe"}),
         "leave schedule out",
         explain({"--layout", "tp=1"})},
        {{"explain", "-m", "mixtral-8x7b", "-c", "dgx-h100", "--stack", "nemo", "--tuning", "lora"},
         "--section time, which is modelled",
         {"explain",
          "-m",
          "mixtral-8x7b",
          "-c",
          "dgx-h100",
          "--stack",
          "nemo",
          "--tuning",
          "lora",
          "--section",
          "time"}},
        {{"plan", "-m", "gpt2", "-c", "dgx-h100", "--target", "mfu=140%"},
         "--target mfu=45%",
         {"plan", "-m", "gpt2", "-c", "dgx-h100", "--target", "mfu=5%", "--stack", "ddp"}},
        {{"topology", "-c", "dgx-h100", "-n", "2", "--sites", "2", "--wan", "0 Gbps"},
         "--wan '400 Gbps'",
         {"topology", "-c", "dgx-h100", "-n", "2", "--sites", "2", "--wan", "400 Gbps"}}};
    for (const Refused& one : cases) {
        const ProgramOutput refused = runProgram(one.words, {});
        EXPECT_EQ(refused.code, ExitCode::BadInput) << one.hint << refused.out;
        EXPECT_NE(refused.err.find(one.hint), std::string::npos) << refused.err;
        const ProgramOutput taken = runProgram(one.instead, {});
        EXPECT_NE(taken.code, ExitCode::BadInput) << one.hint << ": " << taken.err;
    }
}

/// Flags of training programs: what the error says to type is accepted, beside the model and the
/// cluster.
TEST(TypedHints, NameWhatIsTypedForAFlagOfAFramework) {
    for (const auto& [typed, hint] :
         {std::pair("--tp", "--layout tp=2"),
          std::pair("--tensor-model-parallel-size=4", "--layout tp=4"),
          std::pair("--batch-size=128", "--global-batch 128"),
          std::pair("--bs", "--global-batch 64"),
          std::pair("--tp 8", "--layout tp=8"),
          std::pair("--batch-size 32", "--global-batch 32"),
          std::pair("--qlora run.json", "--tuning qlora"),
          std::pair("--per_device_train_batch_size=2", "--layout micro_batch=2"),
          std::pair("--zero=2", "--stack deepspeed --layout shard=zero2"),
          std::pair("--dtype", "--precision bf16"),
          std::pair("--dtype float32", "--precision fp32"),
          std::pair("--torch_dtype=torch.bfloat16", "--precision bf16"),
          std::pair("--qlora", "--tuning qlora"),
          std::pair("--gradient-checkpointing", "--layout recompute=full"),
          std::pair("--nnodes=2", "-n 2"),
          std::pair("--max_seq_length=2048", "--seq 2048")}) {
        const std::string command = "explain -m llama-3.1-8b -c dgx-h100";
        expectTyped(ran(command + " " + typed), hint, command);
    }
    // A target of a step is none of hardware.
    for (const auto& [target, command] : {std::pair("mfu=45%", "plan"),
                                          std::pair("step=10s", "plan"),
                                          std::pair("days=30", "size"),
                                          std::pair("tokens-per-s=1M", "size")}) {
        const std::string hint = std::string("fabricast ") + command + " --target " + target;
        const ProgramOutput refused =
            ran(std::string("check -m gpt2 -c dgx-h100 --target ") + target);
        EXPECT_NE(refused.err.find("try: " + hint + "\n"), std::string::npos) << refused.err;
    }
    EXPECT_NE(runProgram({"profiles", "list", "--tp"}, {}).err.find("--help"), std::string::npos);
}

/// Words of PyTorch and its libraries for stacks and types.
TEST(TypedHints, NameTheStackAndThePrecisionThatAWordMeans) {
    for (const auto& [flag, word, hint] :
         {std::tuple("--stack", "FSDP", "--stack fsdp2"),
          std::tuple("--stack", "zero3", "--stack deepspeed --layout shard=zero3"),
          std::tuple("--stack", "trl", "--stack accelerate"),
          std::tuple("--stack", "megatron-fdsp", "\"megatron-fsdp\""),
          std::tuple("--precision", "bfloat16", "\"bf16\""),
          std::tuple("--stack", "LLaMA-Factory", "--stack accelerate: its own files are not read"),
          std::tuple("--precision", "4bit", "try: --tuning qlora: "),
          std::tuple("--precision", "int8", "--set settings.lora.base=int8"),
          std::tuple("--precision", "FP8", "\"fp8_tensorwise\"")}) {
        const ProgramOutput refused = runProgram(explain({flag, word}), {});
        EXPECT_EQ(refused.code, ExitCode::BadInput) << word;
        EXPECT_NE(refused.err.find(hint), std::string::npos) << refused.err;
    }
}

/// What others call a tuning: what the error says to type is accepted.
TEST(TypedHints, NameTheTuningThatAWordMeans) {
    for (const auto& [word, hint] :
         {std::pair("dora", "--tuning lora --set settings.lora.dora=true"),
          std::pair("QDoRA", "--tuning qlora --set settings.lora.dora=true"),
          std::pair("lora+", "--tuning lora"),
          std::pair("rsLoRA", "--tuning lora"),
          std::pair("QLoRA", "--tuning qlora"),
          std::pair("full-ft", "--tuning full"),
          std::pair("sft", "--tuning full"),
          std::pair("freeze", "--train last:4")}) {
        const ProgramOutput refused = runProgram(explain({"--tuning", word}), {});
        EXPECT_TRUE(refused.err.starts_with("error: --tuning: \"tuning\" cannot be \"" +
                                            std::string(word) + "\"\n"))
            << refused.err;
        expectTyped(refused, hint, "explain -m llama-3.1-8b -c dgx-h100 --stack fsdp2");
    }
}

TEST(TypedHints, NameEveryTuning) {
    const ProgramOutput refused = runProgram(explain({"--tuning", "galore"}), {});
    EXPECT_NE(refused.err.find("try: known: full, lora, qlora\n"), std::string::npos)
        << refused.err;
    const ProgramOutput preference = runProgram(explain({"--tuning", "dpo"}), {});
    EXPECT_NE(preference.err.find("lora or qlora; its reference model: fabricast help reference"),
              std::string::npos)
        << preference.err;
}

TEST(TypedHints, AModelTypedAsAFileIsTold) {
    const ProgramOutput refused = runProgram({"explain", "llama-3.1-8b"}, {});
    EXPECT_NE(refused.err.find("try: -m llama-3.1-8b"), std::string::npos) << refused.err;
}

// What follows from one flag is not blamed on another that is of the same group of settings.
TEST(TypedHints, BlameNoOtherFlag) {
    const ProgramOutput refused =
        runProgram(explain({"--set", "settings.max_split_size_mb=64", "--precision", "nvfp4"}), {});
    EXPECT_EQ(refused.code, ExitCode::BadInput) << refused.out;
    EXPECT_EQ(refused.err.find("max_split_size_mb"), std::string::npos) << refused.err;
}

TEST(TypedHints, NameTheLineOfAFile) {
    const std::string file = tempFolder() + "short_run.json";
    std::ofstream(file) << "{\"model\": \"llama-3.1-8b\", \"cluster\": \"dgx-h100\",\n"
                           "\"stack\": \"fsdp2\", \"workload\": {\"sequence\": 0}}";
    const ProgramOutput output = runProgram({"explain", file}, {});
    EXPECT_NE(output.err.find("  try: correct that value in line 2 of " + file + "\n"),
              std::string::npos)
        << output.err;
}

// A key of the model that nothing reads would change nothing, in silence.
TEST(TypedHints, NameTheKeyOfAModel) {
    const std::string file = tempFolder() + "typed_model.json";
    ASSERT_TRUE(writeTextFile(file, R"({"model": {"model_type": "llama", "hidden_size": 4096,
        "num_hidden_layers": 4, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 14336, "vocab_size": 128256}, "cluster": "dgx-h100",
        "stack": "fsdp2"})"));
    const auto typed = [&](const std::string& set) {
        return runProgram({"explain", file, "--set", set, "-f", "json"}, {});
    };
    EXPECT_NE(typed("model.num_hidden_layers=16").out, typed("model.num_hidden_layers=4").out);
    EXPECT_EQ(typed("model.use_sliding_window=false").code, ExitCode::Ok);
    for (const std::string key : {"layers", "num_hidden_layer"}) {
        const ProgramOutput refused = typed("model." + key + "=16");
        EXPECT_EQ(refused.code, ExitCode::BadInput) << key;
        EXPECT_EQ(refused.out, "");
        EXPECT_TRUE(refused.err.starts_with("error: --set model." + key + ": ")) << refused.err;
        EXPECT_NE(refused.err.find("did you mean \"num_hidden_layers\"?"), std::string::npos)
            << refused.err;
    }
    const ProgramOutput named = runProgram(explain({"--set", "model.layers=16"}), {});
    EXPECT_EQ(named.code, ExitCode::BadInput);
    EXPECT_TRUE(named.err.starts_with("error: --set model.layers: the model \"")) << named.err;
}

TEST(TypedHints, NameTheCause) {
    const auto errorOf = [](const Words& words) { return runProgram(words, {}).err; };
    const auto planError =
        [&](const std::string& stack, const std::string& key, std::string value) {
            return errorOf({"plan",
                            "-m",
                            "gpt2",
                            "-c",
                            "dgx-h100",
                            "--seq",
                            "1024",
                            "--stack",
                            stack,
                            key,
                            std::move(value)});
        };
    EXPECT_NE(planError("fsdp2", "--global-batch", "7")
                  .find("8 GPUs has a dp that divides a global batch of 7"),
              std::string::npos);
    // Whatever is forbidden beside it.
    EXPECT_NE(errorOf({"plan",
                       "-m",
                       "gpt2",
                       "-c",
                       "dgx-h100",
                       "--seq",
                       "1024",
                       "--stack",
                       "fsdp2",
                       "--global-batch",
                       "7",
                       "--forbid",
                       "offload"})
                  .find("8 GPUs has a dp that divides a global batch of 7"),
              std::string::npos);
    EXPECT_NE(planError("fsdp2", "--fix", "cp=1,micro_batch=1,shard=zero1")
                  .find("fsdp2: no layout of 8 GPUs is left with shard=zero1\n"),
              std::string::npos);
    EXPECT_NE(planError("ddp", "--fix", "micro_batch=7")
                  .find("ddp: no layout of 8 GPUs is left with micro_batch=7: "
                        "micro_batch 7 does not divide a global batch of "),
              std::string::npos);
    const std::string cost =
        runProgram(
            explain({"--section", "cost", "--tokens", "1T", "--checkpoint-interval", "5000d"}), {})
            .out;
    EXPECT_NE(cost.find("saves only every 5,000 days (--checkpoint-interval)"), std::string::npos)
        << cost;
    EXPECT_NE(errorOf({"explain", "-m", "gpt2", "--gpu", "gaudi3", "--section", "time"})
                  .find("communication is not modelled"),
              std::string::npos);
}

TEST(TypedHints, OneLevelBelowProductsAreSizesOperationsAndRates) {
    const std::string text = runProgram(explain({"--why", "time.gemm"}), {}).out;
    EXPECT_NE(text.find("m x n x k"), std::string::npos) << text;
    // 2 x 4096 tokens x 14336 x 4096
    EXPECT_NE(text.find("4096 x 14336 x 4096  481.0"), std::string::npos) << text;
}

TEST(TypedHints, HardwareThatNobodyAskedForIsSaid) {
    const std::string more = runProgram(explain({"--layout", "dp=64"}), {}).out;
    EXPECT_NE(more.find("assumed: 8 nodes of dgx-h100, as the layout has 64 ranks (-n 8)"),
              std::string::npos)
        << more;
    const std::string asked = runProgram(explain({"--layout", "dp=64", "-n", "8"}), {}).out;
    EXPECT_EQ(asked.find("assumed: 8 nodes"), std::string::npos) << asked;
    const std::string fewer = runProgram(explain({"--layout", "dp=4"}), {}).out;
    EXPECT_NE(fewer.find("assumed: 4 GPUs of the 8 of a dgx-h100"), std::string::npos) << fewer;
    const auto bridged = [](const std::string& gpus) {
        return runProgram({"explain", "-m", "gpt2", "--gpu", "a100-pcie-80gb", "--gpus", gpus}, {})
                   .out.find("are joined by NVLink bridges") != std::string::npos;
    };
    EXPECT_TRUE(bridged("2"));
    EXPECT_FALSE(bridged("1"));  // joined to nothing
}

// What is made of boards that come without a network has one that nobody asked for.
TEST(TypedHints, ANetworkThatNobodyAskedForIsSaid) {
    const auto answered = [](const Words& more) {
        Words words = {"plan", "-m", "gpt2", "-c", "8x-rtx-4090", "-n", "2", "--seq", "1024"};
        words.insert(words.end(), more.begin(), more.end());
        return runProgram(words, {}).out;
    };
    EXPECT_NE(answered({}).find("assumed: network roce-100 between the nodes"), std::string::npos);
    EXPECT_EQ(answered({"--fabric", "roce-100"}).find("assumed: network"), std::string::npos);
}

/// 64 of the 72 GPUs of a rack, of two racks, and the answer asked again.
TEST(TypedHints, APartOfEachNodeCanBeAskedFor) {
    const Words words = {
        "explain", "-m", "gpt2", "-c", "gb200-nvl72", "-n", "2", "--gpus-per-node", "64"};
    const ProgramOutput output = runProgram(words, {});
    EXPECT_NE(output.out.find("2 x gb200-nvl72 (128 gb200-186gb)"), std::string::npos)
        << output.err;
    Words json = words;
    json.insert(json.end(), {"-f", "json"});
    const std::string path = tempFolder() + "/fabricast_rack.json";
    ASSERT_TRUE(writeTextFile(path, runProgram(json, {}).out));
    const ProgramOutput again = runProgram({"explain", path}, {});
    EXPECT_EQ(again.out.substr(0, 300), output.out.substr(0, 300)) << again.err;
    Words many = words;
    many.back() = "80";
    EXPECT_EQ(runProgram(many, {}).code, ExitCode::BadInput);
}

/// One stage has no schedule: typed over an answer that has one, it wins.
TEST(TypedHints, OneStageOverAnAnswerWithSeveral) {
    const std::string path = tempFolder() + "/fabricast_stages.json";
    const ProgramOutput output =
        runProgram(explain({"--stack", "megatron", "--layout", "pp=4,vpp=2", "-f", "json"}), {});
    ASSERT_TRUE(writeTextFile(path, output.out));
    const ProgramOutput one = runProgram({"explain", path, "--layout", "pp=1"}, {});
    EXPECT_NE(one.code, ExitCode::BadInput) << one.err;
    EXPECT_NE(one.out.find("megatron, dp=8,"), std::string::npos) << one.out;
}

/// So is a box that is built of GPUs, which no profile has.
TEST(TypedHints, AnAnswerAboutABuiltBoxIsAScenario) {
    const std::string path = tempFolder() + "/fabricast_box.json";
    const ProgramOutput output = runProgram(
        {"explain", "-m", "gpt2", "--gpu", "h100", "--gpus-per-node", "4", "-f", "json"}, {});
    ASSERT_TRUE(writeTextFile(path, output.out));
    const ProgramOutput again = runProgram({"explain", path, "--reserve", "10%"}, {});
    EXPECT_NE(again.out.find("(4 h100-sxm5-80gb)"), std::string::npos) << again.err;
    const ProgramOutput compared =
        runProgram({"compare", path, "--with", "operation.checkpoint=sync"}, {});
    EXPECT_NE(compared.out.find("operation.checkpoint  default  sync"), std::string::npos)
        << compared.out << compared.err;
    EXPECT_EQ(compared.out.find("the inputs are the same"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
