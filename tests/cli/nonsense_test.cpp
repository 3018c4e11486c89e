#include "cli/run_program.h"
#include "planner/text/text_files.h"
#include "tests/support/profile_folder.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

std::string firstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::string stepWithStragglers(const std::string& stragglers) {
    std::vector<std::string> words = {"simulate",
                                      "-m",
                                      "llama-3.1-8b",
                                      "-c",
                                      "dgx-h100",
                                      "--stack",
                                      "megatron",
                                      "--layout",
                                      "tp=2,pp=2",
                                      "--seq",
                                      "8192",
                                      "--global-batch",
                                      "16",
                                      "-q"};
    if (!stragglers.empty()) {
        words.insert(words.end(), {"--stragglers", stragglers});
    }
    return firstLine(runProgram(words, {}).out);
}

TEST(Nonsense, StragglersOfOneStageWaitForEachOther) {
    const std::string one = stepWithStragglers("1.3@stage1");
    EXPECT_NE(one, stepWithStragglers(""));
    EXPECT_EQ(stepWithStragglers("1.3@stage1,1.3@stage1"), one);
    EXPECT_EQ(stepWithStragglers("1.1@stage1,1.3@stage1"), one) << "the slowest counts";
}

TEST(Nonsense, ExpertsAreNoBetterThanBalancedAndKeepTheirTokens) {
    const auto why = [](const std::string& set) {
        const ProgramOutput answer = runProgram({"explain",
                                                 "-m",
                                                 "mixtral-8x7b",
                                                 "-c",
                                                 "dgx-h100",
                                                 "-n",
                                                 "2",
                                                 "--stack",
                                                 "megatron",
                                                 "--layout",
                                                 "tp=2,pp=2,ep=4",
                                                 "--seq",
                                                 "4096",
                                                 "--global-batch",
                                                 "64",
                                                 "--section",
                                                 "time",
                                                 "--set",
                                                 set},
                                                {});
        return answer.code == ExitCode::BadInput ? firstLine(answer.err) : "";
    };
    for (const char* const imbalance : {"0", "0.5", "0.99"}) {
        EXPECT_NE(why("settings.kernels.imbalance=" + std::string(imbalance)), "") << imbalance;
    }
    EXPECT_EQ(why("settings.kernels.imbalance=1"), "");
    EXPECT_NE(why("settings.kernels.capacity_factor=0.01")
                  .find("drops most tokens: it must be at least 0.5, or 0 where none are dropped"),
              std::string::npos);
    EXPECT_EQ(why("settings.kernels.capacity_factor=1"), "");
    EXPECT_EQ(why("settings.kernels.capacity_factor=0"), "");
}

TEST(Nonsense, SettingsOfNcclSayWhatTheyLeaveOutAndWhereTheyAre) {
    const auto answer = [](const std::string& set) {
        return ran("explain -m llama-3.1-8b -c dgx-h100 --stack megatron --layout tp=8 --set " +
                   set);
    };
    const std::string note = "settings.nccl changes memory alone";
    EXPECT_NE(answer("settings.nccl.p2p=false").out.find(note), std::string::npos);
    EXPECT_EQ(answer("settings.nccl.p2p=true").out.find(note), std::string::npos);
    for (const char* const wrong : {"buffer=0", "max_channels=0", "buffer=8MiB"}) {
        const ProgramOutput refused = answer("settings.nccl." + std::string(wrong));
        EXPECT_EQ(refused.code, ExitCode::BadInput);
        EXPECT_NE(refused.err.find("try: fabricast help settings"), std::string::npos)
            << refused.err;
    }
}

TEST(Nonsense, NoGpuAndNoLinkIsSlowerThanAnyMachine) {
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"989 TFLOP/s", "1e-300 TFLOP/s"}, {"3.35 TB/s", "1e-300 TB/s"}}) {
        const TemporaryProfiles mine(std::to_string(from.size()));
        mine.write("gpus/h100-sxm5-80gb.json",
                   shippedProfile("gpus/h100-sxm5-80gb.json", from, to));
        const ProgramOutput answer = runProgram(
            {"explain", "-m", "gpt2", "-c", "dgx-h100", "--profile-dir", mine.path()}, {});
        EXPECT_EQ(answer.code, ExitCode::BadInput);
        EXPECT_NE(answer.err.find("is out of range at"), std::string::npos) << answer.err;
    }
}

TEST(Nonsense, APeakBeyondAnyGpuIsToldTheRange) {
    const TemporaryProfiles mine;
    mine.write("gpus/h100-sxm5-80gb.json",
               shippedProfile("gpus/h100-sxm5-80gb.json", "989 TFLOP/s", "9 EFLOP/s"));
    const ProgramOutput answer =
        runProgram({"explain", "-m", "gpt2", "-c", "dgx-h100", "--profile-dir", mine.path()}, {});
    EXPECT_EQ(answer.code, ExitCode::BadInput) << answer.out;
    EXPECT_NE(answer.err.find("is out of range at \"9 EFLOP/s\"\n"
                              "  try: from 1 MFLOP/s to 1 EFLOP/s; write null"),
              std::string::npos)
        << answer.err;
}

TEST(Nonsense, NothingIsMultipliedFasterThanThePeak) {
    const TemporaryProfiles mine;
    mine.write("gpus/h100-sxm5-80gb.json",
               shippedProfile("gpus/h100-sxm5-80gb.json", "989 TFLOP/s", "98.9 TFLOP/s"));
    const ProgramOutput answer =
        runProgram({"explain", "-m", "gpt2", "-c", "dgx-h100", "--profile-dir", mine.path()}, {});
    EXPECT_EQ(answer.code, ExitCode::BadInput) << answer.out;
    EXPECT_NE(answer.err.find("gpus/h100-sxm5-80gb.json: \"dense_peak\" in bf16 is 98.9 TFLOP/s, "
                              "but products of h100-sxm5-80gb were measured at"),
              std::string::npos)
        << answer.err;
}

/// Two runs that are alike but for what was measured.
std::string runsWith(const std::string& step, const std::string& memory) {
    const std::string head =
        "id,model,layers,hidden,ffn,heads,kv_heads,vocab,gpu,stack,gpus,gpus_per_node,dp,tp,pp,"
        "shard,seq,micro_batch,global_batch,precision,recompute,optimizer,measured_step_s,"
        "measured_tokens_s_gpu,measured_mem_gib,memory_kind,tier,core\n";
    const std::string run =
        ",llama-3.1-8b,32,4096,14336,32,8,128256,h100-sxm5-80gb,fsdp2,8,8,8,1,1,fsdp,4096,1,8,"
        "bf16,none,adamw,";
    return head + "odd-1" + run + step + ",," + memory + ",allocated,A,y\n" + "good-1" + run +
           "1.2,,60,allocated,A,y\n";
}

TEST(Nonsense, AnOddCellRefusesItsRowOnly) {
    const std::string file = tempFolder() + "/odd_runs.csv";
    for (const auto& [step, memory] :
         std::vector<std::pair<std::string, std::string>>{{"1e-300", ""},
                                                          {"1.2", "1e-308"},
                                                          {"1.2", "1e-300"},
                                                          {"-1", ""},
                                                          {"1e300", ""},
                                                          {"nan", ""},
                                                          {"1.2", "1e13"}}) {
        ASSERT_TRUE(writeTextFile(file, runsWith(step, memory)));
        const ProgramOutput answer = runProgram({"backtest", file, "--all", "-v"}, {});
        EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
        EXPECT_EQ(answer.out.find("inf"), std::string::npos) << answer.out;
        EXPECT_TRUE(answer.out.find("is not between") != std::string::npos ||
                    answer.out.find("odd_runs.csv:2, column measured_") != std::string::npos)
            << answer.out;
        EXPECT_NE(answer.out.find("1 of 2 rows forecast"), std::string::npos) << answer.out;
    }
}

// A script's variable that is not set switches nothing off.
TEST(Nonsense, NoValueIsEmpty) {
    const std::vector<std::vector<std::string>> lines = {
        {"check", "-m", "gpt2", "-c", "dgx-h100", "--baseline", ""},
        {"check", "-m", "gpt2", "-c", "dgx-h100", "--max-regression", ""},
        {"check", ""},
        {"plan", "-m", "gpt2", "-c", "dgx-h100", "-o", ""},
        {"plan", "-m", "gpt2", "-c", ""},
        {"simulate", "-m", "gpt2", "-c", "dgx-h100", "--trace", ""},
        {"compare", "a.json", "--with", ""},
        {"oom", "--message", ""},
        {"--profile-dir", "", "profiles", "list"}};
    for (const std::vector<std::string>& line : lines) {
        const ProgramOutput output = runProgram(line, {});
        EXPECT_EQ(output.code, ExitCode::BadInput) << line.front() << output.out;
        EXPECT_NE(output.err.find("has an empty value"), std::string::npos) << output.err;
    }
}

// What one command refuses of a scenario, all do.
TEST(Nonsense, ExplainRefusesWhatItDoesNotNeed) {
    const std::string start = R"({"model": "gpt2", "cluster": "dgx-h100", "stack": "ddp", )";
    for (const char* part : {R"("price": 0})",
                             R"("price": "nobody"})",
                             R"("operation": {"site": "nowhere"}})",
                             R"("require": ["foo > 3"]})"}) {
        const std::string file = tempFolder() + "odd_part.json";
        ASSERT_TRUE(writeTextFile(file, start + part));
        const ProgramOutput output = runProgram({"explain", file}, {});
        EXPECT_EQ(output.code, ExitCode::BadInput) << part << output.out;
        EXPECT_NE(output.err.find("odd_part.json:1:"), std::string::npos) << output.err;
    }
}

TEST(Nonsense, LimitsAndHintsAgreeWithWhatIsAccepted) {
    const auto asked = [](std::vector<std::string> more) {
        more.insert(more.begin(), {"explain", "-m", "gpt2", "-c", "dgx-h100"});
        return runProgram(more, {});
    };
    EXPECT_EQ(asked({"--stack", "ddp", "--tokens", "1e18", "--section", "cost"}).code,
              ExitCode::Ok);
    EXPECT_EQ(asked({"--stack", "ddp", "--tokens", "1e19", "--section", "cost"}).code,
              ExitCode::BadInput);
    const ProgramOutput batch = asked({"--global-batch", "9223372036854775807 tokens"});
    EXPECT_EQ(batch.code, ExitCode::BadInput);
    EXPECT_NE(batch.err.find("try: 16777216, a number of samples"), std::string::npos) << batch.err;
    EXPECT_EQ(asked({"--global-batch", "1099511627776 tokens"}).code, ExitCode::BadInput)
        << "the limit is the same in tokens";
    EXPECT_EQ(asked({"--stack", ""}).err.find("error: --stack: has an empty value"), 0U);
}

TEST(Nonsense, RoundingIsNoTime) {
    const ProgramOutput run = runProgram({"simulate",
                                          "-m",
                                          "gpt2",
                                          "-c",
                                          "dgx-h100",
                                          "--stack",
                                          "ddp",
                                          "--steps",
                                          "1000",
                                          "-f",
                                          "json"},
                                         {});
    ASSERT_EQ(run.code, ExitCode::Ok) << run.err;
    EXPECT_EQ(run.out.find("\"slower\": -"), std::string::npos);
    const ProgramOutput step = runProgram({"explain",
                                           "-m",
                                           "llama-3.1-8b",
                                           "-c",
                                           "dgx-h100",
                                           "--stack",
                                           "megatron",
                                           "--layout",
                                           "tp=2,pp=4",
                                           "--section",
                                           "time",
                                           "-f",
                                           "json"},
                                          {});
    EXPECT_EQ(step.out.find("_s\": -"), std::string::npos) << step.out;
}

/// What no batch share accepts, on ways to train that are not modelled.
TEST(Nonsense, AMicroBatchThatIsNoShareLeavesNoLayout) {
    const std::vector<std::string> stacks = {"torchtitan --tuning lora",
                                             "nemo --tuning lora",
                                             "fsdp1 --tuning qlora",
                                             "deepspeed --tuning qlora"};
    for (const std::string& stack : stacks) {
        const ProgramOutput output =
            ran("plan -m llama-3.1-8b -c dgx-h100 --fix micro_batch=3 --stack " + stack);
        EXPECT_EQ(output.code, ExitCode::BadInput) << stack;
        EXPECT_NE(output.err.find("no layout of 8 GPUs is left with micro_batch=3"),
                  std::string::npos)
            << stack << output.err;
    }
    const ProgramOutput points =
        ran("plan -m llama-3.1-8b -c dgx-h100 --stack fsdp1 --tuning qlora --sweep "
            "layout.micro_batch=2,3");
    EXPECT_FALSE(points.out.empty() && points.err.empty());
}

/// A table without rows says nothing.
TEST(Nonsense, ATableOfPlansSaysWhyItIsEmpty) {
    const ProgramOutput output = ran(
        "plan -m mixtral-8x7b -c dgx-h100 --stack nemo --tuning lora --fix micro_batch=1 -f csv");
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_TRUE(output.err.starts_with("error: nemo: ")) << output.err;
    EXPECT_NE(output.err.find("\n  try: -f text"), std::string::npos) << output.err;
    EXPECT_TRUE(output.out.empty()) << output.out;
}

/// A rank without a head, a column or a token of its own: 36 ranks of tp, and 32 heads.
TEST(Nonsense, RanksWithNothingToDoAreRefused) {
    for (const char* const shard : {"zero1", "zero2", "none"}) {
        const ProgramOutput output =
            ran(std::string("plan -m llama-3.1-8b -c gb200-nvl72 --stack megatron-fsdp --fix "
                            "shard=") +
                shard);
        EXPECT_EQ(output.code, ExitCode::BadInput) << output.out << output.err;
        EXPECT_NE(output.out.find("NOT MODELLED"), std::string::npos) << output.out;
    }
}

/// One row of which the others are not to blame.
TEST(Nonsense, ARunWithMoreRanksThanHeadsIsRefusedAlone) {
    const std::string table = tempFolder() + "ranks.csv";
    const std::string columns =
        "id,model,layers,hidden,ffn,heads,kv_heads,vocab,seq,gpus,gpu,stack,dp,tp,micro_batch,"
        "global_batch,measured_step_s\n";
    const std::string machine = ",49152,4096,16,H100,nanotron,1,16,2,512,77.1\n";
    ASSERT_TRUE(writeTextFile(table,
                              columns + "a-1,own,24,4096,16384,32,32" + machine +
                                  "a-2,own,24,4096,16384,2,2" + machine +
                                  "a-3,own,24,4096,8,32,32" + machine));
    for (const char* const engine : {"forecast", "simulation"}) {
        const ProgramOutput output =
            runProgram({"backtest", table, "--all", "-f", "csv", "--engine", engine}, {});
        EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
        EXPECT_NE(output.out.find("16 ranks cannot share 2 attention heads"), std::string::npos)
            << output.out;
        EXPECT_NE(output.out.find("16 ranks cannot share 8 columns of the MLP"), std::string::npos)
            << output.out;
    }
}

/// Petabytes are a slip of the finger, and their sums would overflow.
TEST(Nonsense, AGpuWithMorePetabytesThanAnyIsRefused) {
    const TemporaryProfiles mine;
    mine.write(
        "gpus/h100-sxm5-80gb.json",
        shippedProfile("gpus/h100-sxm5-80gb.json", "\"80 GB\"", "\"9223372036854775807 B\""));
    const ProgramOutput output = ran("explain -m gpt2 -c dgx-h100 --profile-dir", {mine.path()});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_NE(output.err.find("\"memory\" is out of range"), std::string::npos) << output.err;
}

}  // namespace
}  // namespace fabricast
