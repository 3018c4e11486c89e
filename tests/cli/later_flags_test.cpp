#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace fabricast {
namespace later_flags_test {

constexpr const char* kRun = R"({
  "model": "llama-3.1-8b", "cluster": {"name": "dgx-h100", "nodes": 2}, "stack": "fsdp2",
  "workload": {"sequence": 8192, "global_batch": 64, "tokens": "100B"},
  "layout": {"recompute": "full"}
})";
constexpr const char* kTrainer =
    "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 6\n"
    "seq_len = 8192\n[parallelism]\ndata_parallel_shard_degree = -1\n"
    "[activation_checkpoint]\nmode = \"none\"\n";

class LaterFlags : public testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder());
        ASSERT_TRUE(writeTextFile(folder() + "/run.json", kRun));
        ASSERT_TRUE(writeTextFile(folder() + "/train.toml", kTrainer));
        ASSERT_TRUE(writeTextFile(folder() + "/before.toml", kTrainer));
    }
    static std::string folder() { return tempFolder() + "later_flags"; }
    static ProgramOutput asked(const std::string& words, const std::vector<std::string>& more) {
        return ran("-C " + folder() + " " + words, more);
    }
};

struct TypedTwice {
    std::string words;
    std::string shown;
};

// Whichever of a flag and --set.
TEST_F(LaterFlags, WhatIsTypedLaterReplacesWhatWasTypedBefore) {
    for (const TypedTwice& one :
         {TypedTwice{"--set cluster.nodes=1 -n 4", "on 4 x dgx-h100"},
          TypedTwice{"-n 4 --set cluster.nodes=1", "on 1 x dgx-h100"},
          TypedTwice{"--set cluster.nodes=1 -n4 --set cluster.nodes=8", "on 8 x dgx-h100"},
          TypedTwice{"--set layout.recompute=none --layout recompute=full", "recompute=full"},
          TypedTwice{"--layout recompute=full --set layout.recompute=none", "recompute=none"},
          TypedTwice{"--set workload.sequence=4096 --seq=8192", "sequence 8192"},
          TypedTwice{"--set settings.optimizer.kind=lion --optimizer adamw", "bf16 adamw,"},
          TypedTwice{"-n 4 --set cluster=dgx-h200", "on 4 x dgx-h200"},
          TypedTwice{"--set cluster=dgx-h200 -n 4", "on 4 x dgx-h200"},
          TypedTwice{"-n 4 --set cluster={\"name\":\"dgx-h200\"}", "on 1 x dgx-h200"},
          TypedTwice{"--gpus 4 --set cluster.nodes=2", "on 2 x dgx-h100 (16 "},
          TypedTwice{"--set cluster.nodes=2 --gpus 4", "(4 h100"},
          TypedTwice{"--set settings.recompute.kind=none --layout recompute=full",
                     "recompute=full"},
          TypedTwice{"--set settings.precision.compute=bf16 --precision fp16", "fp16 adamw"},
          TypedTwice{"--layout recompute=full --set layout=null", "recompute=none"}}) {
        const ProgramOutput output = asked("explain run.json " + one.words, {});
        EXPECT_NE(output.out.find(one.shown), std::string::npos) << one.words << "\n"
                                                                 << output.out << output.err;
    }
    // Before the command's name too.
    EXPECT_NE(ran("--set cluster.nodes=1 -C " + folder() + " explain run.json -n 4")
                  .out.find("on 4 x dgx-h100"),
              std::string::npos);
    EXPECT_EQ(asked("explain run.json -n 1 -n 4", {}).code, ExitCode::BadInput);
}

/// The command line of each fix that an answer offers.
std::vector<std::string> fixesOf(const std::string& answer) {
    const std::regex fix("\\n(?:fix|may mend): (.*?)(?:, in the file|: )");
    std::vector<std::string> fixes;
    for (std::sregex_iterator one(answer.begin(), answer.end(), fix), end; one != end; ++one) {
        fixes.push_back((*one)[1].str());
    }
    return fixes;
}

TEST_F(LaterFlags, EveryFixOfACheckHoldsBehindItsCommand) {
    struct Checked {
        std::string words;
        std::string require;
    };
    const std::string typed =
        "-m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq 4096 --global-batch 16 ";
    int fixes = 0;
    for (const Checked& one : std::vector<Checked>{
             {"run.json --set cluster.nodes=1", "days <= 6 @ p50"},
             {"run.json --set cluster.nodes=1 --set workload.sequence=4096", "days <= 6 @ p50"},
             {"run.json -n 1 --set layout.recompute=none", "fits surely"},
             {"run.json -n 1 --layout micro_batch=2 --set layout.recompute=none", "fits surely"},
             {"run.json --set layout=null --layout recompute=none -n 1", "fits surely"},
             {"run.json -n 1 --set layout.recompute=none --set layout.micro_batch=4",
              "fits surely"},
             {"run.json --gpus 16", "tokens_per_s >= 200k @ p50"},
             {"run.json --set cluster.gpus=16", "tokens_per_s >= 200k @ p50"},
             {"run.json --set cluster.name=8x-rtx-4090 -n 1", "fits surely"},
             {"run.json --reserve 10% -c 8x-rtx-4090 -n 1", "mem_peak <= 15 GiB"},
             {typed + "--gpus 8", "tokens_per_s >= 90k @ p50"},
             {typed + "-n 1 --set workload.optimizer=adamw --layout recompute=none",
              "mem_peak <= 20 GiB"},
             {"train.toml -c dgx-h100 -n 1 --set layout.recompute=none", "fits surely"},
             {"train.toml -c dgx-h100 --set cluster.nodes=1", "fits surely"}}) {
        const std::string words = "check " + one.words;
        const ProgramOutput bad = asked(words, {"--require", one.require});
        for (const std::string& fix : fixesOf(bad.out)) {
            const ProgramOutput good =
                ran("-C " + folder() + " " + words + " " + fix, {"--require", one.require});
            EXPECT_NE(good.code, ExitCode::DoesNotFit) << words << " " << fix << "\n" << good.out;
            EXPECT_EQ(good.err, "") << words << " " << fix;
            ++fixes;
        }
    }
    EXPECT_GT(fixes, 14);
}

// The number of nodes that was typed first is that of the baseline.
TEST_F(LaterFlags, TheBaselineOfALaunchFileStaysWhereNodesAreReplaced) {
    const std::string words =
        "check train.toml -c dgx-h100 -n 2 --layout recompute=full "
        "--baseline before.toml --no-fail ";
    const std::vector<std::string> require = {"--require", "tokens_per_s >= baseline"};
    const std::string twice = asked(words + "--set cluster.nodes=4", require).out;
    EXPECT_NE(twice.find("on 4 x dgx-h100"), std::string::npos) << twice;
    EXPECT_NE(asked(words, require).out.find("vs baseline"), std::string::npos);
    EXPECT_NE(twice.find("pass"), std::string::npos) << twice;
    EXPECT_EQ(asked(words, require).out.find("pass"), std::string::npos);
}

// Where none was typed, a fix says so of the baseline, before its own.
TEST_F(LaterFlags, TheBaselineOfALaunchFileStaysWhereAFixAddsNodes) {
    const std::string words =
        "check train.toml -c dgx-h100 --layout recompute=full --baseline before.toml";
    const std::vector<std::string> require = {
        "--set", "layout.micro_batch=1", "--require", "tokens_per_s >= baseline * 1.3"};
    const std::string bad = asked(words, require).out;
    const std::vector<std::string> fixes = fixesOf(bad);
    int more = 0;
    for (const std::string& fix : fixes) {
        more += fix.find("-n 2") == std::string::npos ? 0 : 1;
        const ProgramOutput good = asked(words + " " + fix, require);
        EXPECT_NE(good.code, ExitCode::DoesNotFit) << fix << "\n" << good.out;
    }
    EXPECT_GT(more, 0) << bad;
}

// What follows from the nodes is no change of a file that leaves the number of ranks open.
TEST_F(LaterFlags, AFixWithNodesSaysOfTheFileWhatElseChanges) {
    const std::string bad = asked("check train.toml -c dgx-h100 --layout recompute=full",
                                  {"--require", "tokens_per_s >= 100k @ p50"})
                                .out;
    EXPECT_NE(bad.find("-n 2"), std::string::npos) << bad;
    EXPECT_EQ(bad.find("data_parallel_shard_degree"), std::string::npos) << bad;
}

// A file with two questions is answered once what is typed decides between them.
TEST_F(LaterFlags, WhatIsTypedDecidesBetweenAStackAndThoseOfASearch) {
    std::string both = kRun;
    both.insert(both.rfind('}'), ", \"search\": {\"stacks\": [\"megatron\", \"ddp\"]}");
    ASSERT_TRUE(writeTextFile(folder() + "/both.json", both));
    const ProgramOutput refused = asked("explain both.json", {});
    EXPECT_NE(refused.err.find("\"megatron\", \"ddp\""), std::string::npos) << refused.err;
    for (const char* typed : {"explain both.json --stack fsdp2",
                              "explain both.json --set search=null",
                              "explain both.json --set search.stacks=null",
                              "check both.json --no-fail --set search=null",
                              "plan both.json --stack megatron",
                              "plan both.json --set stack=null"}) {
        EXPECT_EQ(asked(typed, {}).code, ExitCode::Ok) << typed << asked(typed, {}).err;
    }
    EXPECT_EQ(asked("check run.json --baseline both.json", {}).code, ExitCode::BadInput);
}

}  // namespace later_flags_test
}  // namespace fabricast
