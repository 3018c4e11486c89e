#include "tests/support/golden.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

namespace fabricast {
namespace {

ProgramOutput plan(std::vector<std::string> more) {
    std::vector<std::string> arguments = {
        "plan", "-m", "llama-3.1-8b", "-c", "dgx-h100", "--seq", "8192", "--global-batch", "16"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runProgram(arguments, {});
}

TEST(PlanCommand, PrintsTheBestLayouts) {
    const std::vector<std::string> dense = {"--stack", "fsdp2", "--stack", "deepspeed", "--fix"};
    const auto with = [&dense](const std::string& format) {
        std::vector<std::string> arguments = dense;
        arguments.insert(arguments.end(), {"pp=1,cp=1", "-f", format});
        return plan(arguments).out;
    };
    expectGolden("plan_8b.txt", with("text"));
    expectGolden("plan_8b.md", with("md"));
    expectGolden("plan_8b.csv", with("csv"));
}

TEST(PlanCommand, SaysHowManyItSearched) {
    const ProgramOutput output = plan({"--stack", "fsdp2", "--top", "2", "-f", "json"});
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root) << output.err;
    EXPECT_EQ(root->find("schema")->text().value(), "fabricast.plan/1");
    EXPECT_EQ(root->find("plans")->items().size(), 2U);
    EXPECT_GT(root->find("search")->find("candidates")->integer({0, 1000000}).value(), 2);
    EXPECT_NE(root->find("search")->find("seconds"), nullptr);
    EXPECT_NE(root->find("pareto"), nullptr);
}

TEST(PlanCommand, HoldsAndLeavesOutKeys) {
    const std::string held =
        plan({"--stack", "deepspeed", "--fix", "tp=2", "--forbid", "pp", "-f", "csv"}).out;
    EXPECT_NE(held.find("tp=2"), std::string::npos);
    EXPECT_EQ(held.find("pp="), std::string::npos);
    const ProgramOutput none = plan({"--stack", "fsdp2", "--fix", "tp=3"});
    EXPECT_EQ(none.code, ExitCode::BadInput);
    EXPECT_NE(none.err.find("no stack accepts any layout here"), std::string::npos) << none.err;
    // What frees the key whoever holds it, as it is typed.
    EXPECT_NE(none.err.find("try: --set layout.tp=null\n"), std::string::npos) << none.err;
    const ProgramOutput freed =
        plan({"--stack", "fsdp2", "--fix", "tp=3", "--set", "layout.tp=null"});
    EXPECT_EQ(freed.code, ExitCode::Ok) << freed.err;
}

/// Experts on several ranks run other code than those that every rank has: a search takes each
/// layout with the settings of its own.
TEST(PlanCommand, SpreadsDeepSpeedsExperts) {
    const ProgramOutput output = runProgram({"plan",
                                             "-m",
                                             "mixtral-8x7b",
                                             "-c",
                                             "dgx-h100",
                                             "-n",
                                             "2",
                                             "--stack",
                                             "deepspeed",
                                             "--fix",
                                             "shard=zero3,recompute=full"},
                                            {});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_NE(output.out.find("ep=8"), std::string::npos) << output.out;
}

/// Layouts that are not modelled lie beside those that are, in one group of the search.
TEST(PlanCommand, FindsWhatIsModelledBesideWhatIsNot) {
    const auto planOf = [](const char* fixed) {
        return runProgram({"plan",
                           "-m",
                           "qwen3-30b-a3b",
                           "-c",
                           "dgx-h100",
                           "--stack",
                           "deepspeed",
                           "--seq",
                           "4096",
                           "--global-batch",
                           "64",
                           "--fix",
                           fixed},
                          {});
    };
    const ProgramOutput wide = planOf("ep=8,micro_batch=1");
    EXPECT_NE(wide.out.find("ep=8"), std::string::npos) << wide.out << wide.err;
    EXPECT_EQ(wide.code, ExitCode::Ok);
}

TEST(PlanCommand, TakesSeveralWordsOfAListInOne) {
    const std::string one =
        plan({"--stack", "megatron,fsdp2", "--forbid", "pp,cp", "-f", "csv"}).out;
    EXPECT_EQ(one,
              plan({"--stack",
                    "megatron",
                    "--stack",
                    "fsdp2",
                    "--forbid",
                    "pp",
                    "--forbid",
                    "cp",
                    "-f",
                    "csv"})
                  .out);
    EXPECT_NE(one, "");
    EXPECT_NE(plan({"--stack", "fsdp2,megatro"}).err.find("\"megatro\""), std::string::npos);
    EXPECT_EQ(plan({"--stack", "fsdp2,"}).code, ExitCode::BadInput);
}

TEST(PlanCommand, LetsGpusIdleForTheFewestAndTheCheapest) {
    const std::string few =
        plan({"--stack", "megatron", "--objective", "gpus", "--top", "1", "-f", "json"}).out;
    const auto root = parseJson(few, "out");
    ASSERT_TRUE(root) << few;
    EXPECT_EQ(root->find("objective")->text().value(), "gpus");
    const ProgramOutput cheap = plan({"--stack", "megatron", "--objective", "cost", "--pareto"});
    EXPECT_NE(cheap.out.find("cheapest tokens first"), std::string::npos) << cheap.err;
    EXPECT_NE(cheap.out.find("GPUs"), std::string::npos);
    EXPECT_NE(cheap.out.find("nothing else is faster with less memory"), std::string::npos);
    const ProgramOutput held =
        plan({"--stack", "megatron", "--objective", "cost", "--fix", "dp=8"});
    EXPECT_EQ(held.code, ExitCode::Ok) << held.err;
}

TEST(PlanCommand, SaysWhatWouldHelpWhereNothingFits) {
    const ProgramOutput output = runProgram({"plan",
                                             "-m",
                                             "llama-3.1-70b",
                                             "-c",
                                             "dgx-h100",
                                             "--global-batch",
                                             "64",
                                             "--stack",
                                             "fsdp2",
                                             "--forbid",
                                             "offload"},
                                            {});
    EXPECT_EQ(output.code, ExitCode::DoesNotFit);
    expectGolden("plan_does_not_fit.txt", output.out);
}

TEST(PlanCommand, RefusesByName) {
    EXPECT_NE(plan({"--objective", "speed"}).err.find("cost, energy, gpus"), std::string::npos);
    EXPECT_NE(plan({"--forbid", "tpp"}).err.find("did you mean"), std::string::npos);
    for (const char* value : {"tp=-1", "tp=abc", "schedule=foo", "recompute=foo"}) {
        EXPECT_EQ(plan({"--forbid", value}).code, ExitCode::BadInput) << value;
    }
    EXPECT_NE(plan({"--allow", "magic"}).err.find("tp_across_nodes"), std::string::npos);
    EXPECT_NE(plan({"--stack", "horovod"}).err.find("--stack"), std::string::npos);
}

TEST(PlanCommand, ListsALoraStackThatFilesAreWrittenFor) {
    const std::string text = plan({"--tuning", "lora", "--top", "40"}).out;
    for (const char* const row : {"  axolotl  ", "fsdp2)", "  torchtitan  ", "  deepspeed  "}) {
        EXPECT_NE(text.find(row), std::string::npos) << row << text;
    }
    const std::string large = ran("plan -m llama-3.1-70b -c 4x-rtx-4090 --tuning lora").out;
    EXPECT_NE(large.find("offload=parameters_cpu"), std::string::npos) << large;
}

/// The target is part of what was asked, and asked again with the answer.
TEST(PlanCommand, TheAnswerToATargetCanBeAskedAgain) {
    const std::string answer = tempFolder() + "target.json";
    const std::vector<std::string> asked = {"--stack", "fsdp2", "--target", "mfu=90%"};
    std::vector<std::string> kept = asked;
    kept.insert(kept.end(), {"-f", "json", "-o", answer});
    EXPECT_EQ(plan(kept).code, ExitCode::DoesNotFit);
    const ProgramOutput again = runProgram({"plan", answer}, {});
    EXPECT_EQ(again.code, ExitCode::DoesNotFit) << again.err;
    EXPECT_NE(again.out.find("wanted MFU 90.0 %"), std::string::npos) << again.out;
    const ProgramOutput wrong = plan({"--set", "search.targets=[\"mfu\"]"});
    EXPECT_EQ(wrong.code, ExitCode::BadInput);
    EXPECT_TRUE(wrong.out.empty());
    EXPECT_NE(wrong.err.find("search.targets"), std::string::npos) << wrong.err;
}

/// Megatron's first order of a pipeline does not overlap experts, and its others do.
TEST(PlanCommand, NamesABatchThatAnyOrderOfAPipelineTakes) {
    const ProgramOutput output =
        ran("plan -m mixtral-8x7b -c dgx-h100 -n 2 --stack megatron --fix pp=2,ep=8 "
            "--set settings.megatron.expert_overlap=true --global-batch 7");
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_NE(output.err.find("or a global batch of 6 or 8"), std::string::npos)
        << output.err << output.out;
}

TEST(PlanCommand, SaysWhatSpotLeavesOut) {
    const std::vector<std::string> spot = {"--stack", "fsdp2", "--price-kind", "spot"};
    EXPECT_NE(plan(spot).out.find("a GPU if it is never taken back (how often it is: --mtbf), "),
              std::string::npos);
    std::vector<std::string> counted = spot;
    counted.insert(counted.end(), {"--mtbf", "100h"});
    EXPECT_EQ(plan(counted).out.find("taken back"), std::string::npos);
}

TEST(PlanCommand, SaysThatExpertsAreNotQuantised) {
    const std::string text =
        ran("explain -m mixtral-8x7b -c dgx-h100 --stack axolotl --tuning qlora").out;
    EXPECT_NE(text.find("assumed: nf4 for linear layers only: experts and router are no nn.Linear "
                        "and stay in bf16\n"),
              std::string::npos)
        << text;
}

/// The seconds that a line names: "+0.352 s matrix products, -0.147 s tp communication".
double sumOf(const std::string& line) {
    static const std::regex kTerm(R"(([+-][0-9.]+) s )");
    double sum = 0.0;
    for (std::sregex_iterator term(line.begin(), line.end(), kTerm); term != std::sregex_iterator();
         ++term) {
        sum += std::stod((*term)[1]);
    }
    return sum;
}

/// What explains the second plan sums to its difference from the first.
TEST(PlanCommand, SaysWhereAllOfTheDifferenceIs) {
    const std::vector<std::string> questions = {
        "-m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 16",
        "-m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 64 --stack megatron",
        "-m llama-3.2-1b -c 4x-rtx-4090 --seq 4096 --global-batch 32",
        "-m qwen3-30b-a3b -c dgx-h100 -n 2 --seq 4096 --stack megatron"};
    for (const std::string& question : questions) {
        const JsonValue json = jsonOf(ran("plan --top 2 " + question, {"-f", "json"}).out);
        const auto& plans = json.find("plans")->items();
        const double slower = numberOf(plans[1], "step_s") - numberOf(plans[0], "step_s");
        const std::string text = ran("plan --top 2 " + question).out;
        const std::size_t begin = text.find("\n2 is ");
        ASSERT_NE(begin, std::string::npos) << text;
        const std::string line = text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
        EXPECT_NEAR(sumOf(line), slower, 0.003) << line;
    }
}

/// What needs memory that nobody said comes behind what surely fits: not without a word.
TEST(PlanCommand, NamesWhatWouldBeFasterOnNodesThatNobodyDescribed) {
    const std::string asked =
        "plan -m llama-3.1-8b --gpu a100-sxm4-80gb --gpus 2 --seq 4096 --top 1";
    const ProgramOutput unknown = ran(asked);
    EXPECT_NE(unknown.out.find("\nleft out: deepspeed dp=2,"), std::string::npos) << unknown.out;
    EXPECT_NE(unknown.out.find("of host memory (--host-memory states it)\n"), std::string::npos);
    const ProgramOutput known = ran(asked + " --host-memory 512GB");
    EXPECT_NE(known.out.find("\n1  deepspeed"), std::string::npos) << known.out;
    EXPECT_EQ(known.out.find("left out: deepspeed"), std::string::npos) << known.out;
}

/// Two stacks that run a layout the same are one choice.
TEST(PlanCommand, FoldsStacksThatCannotBeToldApart) {
    const ProgramOutput output =
        ran("plan -m llama-3.1-8b --gpu v100-sxm2-32gb --gpus 8 --seq 2048 --tuning qlora");
    EXPECT_NE(output.out.find("  (also ddp)\n"), std::string::npos) << output.out;
}

/// What has no room among leaner plans is not timed: the whole front takes seconds.
TEST(PlanCommand, ReachesTheEndOfALongFront) {
    const ProgramOutput front = runProgram({"plan",
                                            "-m",
                                            "gpt-oss-120b",
                                            "-c",
                                            "dgx-h100",
                                            "-n",
                                            "16",
                                            "--stack",
                                            "torchtitan",
                                            "--pareto"},
                                           {});
    EXPECT_EQ(front.code, ExitCode::Ok) << front.err;
    EXPECT_EQ(front.out.find("cut short"), std::string::npos) << front.out;
}

}  // namespace
}  // namespace fabricast
