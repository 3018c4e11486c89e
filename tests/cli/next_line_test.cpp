#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace next_line_test {

/// The arguments of the line that an answer says to type next.
std::string nextOf(const ProgramOutput& output) {
    const std::string begin = "\nnext: fabricast ";
    const std::size_t found = output.out.find(begin);
    EXPECT_NE(found, std::string::npos) << output.out << output.err;
    const std::size_t start = found + begin.size();
    return found == std::string::npos
               ? ""
               : output.out.substr(start, output.out.find('\n', start) - start);
}

double stepSeconds(const JsonValue& answer) {
    const JsonValue* time = answer.find("time");
    const JsonValue* step = time == nullptr ? nullptr : time->find("step_s");
    return step == nullptr ? -1.0 : numberOf(*step, "value");
}

const std::string kModel = "-m llama-3.2-1b -c dgx-h100 ";

/// The question that a plan's next line asks is its own: it has the step time of the first row.
void expectSameQuestion(const std::string& question, const std::vector<std::string>& more = {}) {
    std::vector<std::string> json = more;
    json.insert(json.end(), {"-f", "json"});
    const JsonValue plans = jsonOf(ran("plan --top 1 " + question, json).out);
    ASSERT_NE(plans.find("plans"), nullptr) << question;
    ASSERT_FALSE(plans.find("plans")->items().empty()) << question;
    const JsonValue& best = plans.find("plans")->items()[0];
    const std::string next = nextOf(ran("plan --top 1 " + question, more));
    const ProgramOutput output = ran(next, {"--section", "time", "-f", "json"});
    EXPECT_DOUBLE_EQ(stepSeconds(jsonOf(output.out)), numberOf(best, "step_s"))
        << next << output.err;
}

class NextOfPlan : public testing::TestWithParam<std::string> {};

TEST_P(NextOfPlan, HasTheStepTimeOfTheFirstRow) {
    expectSameQuestion(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Questions,
    NextOfPlan,
    testing::Values(kModel + "--seq 2048 --stack fsdp2",
                    kModel + "--seq 2048 --stack megatron -n 2",
                    kModel + "--seq 2048 --stack megatron --fix tp=2 --global-batch 32",
                    kModel + "--seq 2048 --stack megatron --objective gpus",
                    "-m qwen3-30b-a3b -c dgx-h100 -n 2 --seq 4096 --stack megatron",
                    "-m llama-3.1-8b -c 4x-rtx-4090 --tuning qlora --seq 2048"));

/// How many samples some tokens are is rounded by the layout, if sequences do not divide them.
TEST(NextLine, OfABatchInTokensHoldsItsSamples) {
    expectSameQuestion(kModel + "--seq 3000 --stack torchtitan --fix tp=8,micro_batch=1",
                       {"--global-batch", "250k tokens"});
}

// The recipe of FSDP and QLoRA: 70B on two cards of 24 GB, with the rest in host memory.
TEST(NextLine, OfAdaptersWithWeightsInHostMemoryFits) {
    const ProgramOutput plans =
        ran("plan -m llama-3.1-70b --gpu rtx-4090 --gpus 2 --tuning qlora "
            "--seq 1024 --global-batch 8 --host-memory 128GB");
    ASSERT_EQ(plans.out.substr(0, 6), "FITS  ") << plans.out;
    const ProgramOutput explained = ran(nextOf(plans));
    EXPECT_EQ(explained.out.substr(0, 6), "FITS  ") << explained.out << explained.err;
}

TEST(NextLine, OfQloraTypesItsTuning) {
    const std::string asked =
        "explain -m llama-3.1-8b -c dgx-h100 --tuning qlora --stack axolotl "
        "--gpus 1 --seq 2048 --global-batch 8";
    const std::string next = nextOf(ran(asked));
    EXPECT_NE(next.find(" --tuning qlora "), std::string::npos) << next;
    EXPECT_EQ(next.find("lora.base"), std::string::npos) << next;
    const std::string peak = next.substr(0, next.find(" --why")) + " -f json";
    EXPECT_EQ(textOf(jsonOf(ran(peak).out), "verdict"), "fits");
    EXPECT_EQ(ran(peak).out, ran(asked + " -f json").out);
    const std::string other = nextOf(ran(asked + " --set settings.lora.base=int8"));
    EXPECT_NE(other.find("settings.lora.base=int8"), std::string::npos) << other;
}

TEST(NextLine, OfAFileWithoutABatchHoldsIt) {
    const std::string path = tempFolder() + "no_batch.json";
    ASSERT_TRUE(writeTextFile(path, R"({"model": "llama-3.2-1b", "cluster": "dgx-h100",
        "stack": "fsdp2", "workload": {"sequence": 2048}})"));
    const std::string next = nextOf(ran("plan " + path));
    EXPECT_NE(next.find(" --global-batch 128"), std::string::npos) << next;
}

TEST(NextLine, OfAdviceHasTheStepTimeOfTheRecommendation) {
    const std::string asked = "advise -m llama-3.2-1b -c dgx-h100 --seq 2048";
    const JsonValue advice = jsonOf(ran(asked, {"-f", "json"}).out);
    const JsonValue* best = advice.find("recommended");
    ASSERT_NE(best, nullptr);
    const std::string next = nextOf(ran(asked));
    const ProgramOutput output = ran(next, {"-f", "json"});
    EXPECT_DOUBLE_EQ(stepSeconds(jsonOf(output.out)), numberOf(*best->find("step_s"), "value"))
        << next << output.err;
}

}  // namespace next_line_test
}  // namespace fabricast
