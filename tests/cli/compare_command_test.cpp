#include "planner/text/json_builder.h"
#include "planner/text/text_files.h"
#include "tests/support/golden.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

ProgramOutput compare(const std::vector<std::string>& more) {
    return ran("compare -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq 8192 --global-batch 16",
               more);
}

std::string fileOf(const std::string& name, const std::string& text) {
    const std::string file = tempFolder() + name;
    EXPECT_TRUE(writeTextFile(file, text));
    return file;
}

TEST(CompareCommand, PrintsWhatDiffersAndWhy) {
    const std::vector<std::string> with = {"--with", "layout.recompute=full"};
    const auto as = [&with](const std::string& format) {
        std::vector<std::string> arguments = with;
        arguments.insert(arguments.end(), {"-f", format});
        return compare(arguments).out;
    };
    expectGolden("compare_8b.txt", as("text"));
    expectGolden("compare_8b.md", as("md"));
    expectGolden("compare_8b.csv", as("csv"));
}

/// As many sides as stacks, each with its defaults; what is typed behind --with is as suggested.
TEST(CompareCommand, ComparesStacks) {
    const auto sides = [](const std::vector<std::string>& more) {
        const ProgramOutput output =
            ran("compare -m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 16 -f json", more);
        EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
        std::string text;
        const JsonValue root = parseJson(output.out, "out").value();
        for (const JsonValue& side : root.find("sides")->items()) {
            text += side.find("source")->text().value() + ";";
        }
        return text;
    };
    EXPECT_EQ(sides({"--stack", "fsdp2,torchtitan,deepspeed"}),
              "as typed;A with --stack torchtitan;A with --stack deepspeed;");
    EXPECT_EQ(sides({"--stack", "fsdp2", "--with", "--stack megatron --layout tp=2,pp=2"}),
              "as typed;A with --stack megatron --layout tp=2,pp=2;");
    EXPECT_EQ(sides({"--stack", "fsdp2", "--with", "precision=fp8"}),
              "as typed;A with precision=fp8;");
}

/// What is said of another GPU or cluster leaves how many there are and their network, as its key
/// does.
TEST(CompareCommand, KeepsTheGpusOfTheFirstSideOnOtherHardware) {
    struct Hardware {
        std::string first;
        std::string flag;
        std::string key;
    };
    const auto sides = [](const std::string& first, const std::string& with) {
        const ProgramOutput output = ran(
            "compare -m llama-3.1-8b --stack fsdp2 --seq 4096 --global-batch 128 -f json " + first,
            {"--with", with});
        EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
        const JsonValue root = parseJson(output.out, "out").value();
        std::string numbers;
        for (const JsonValue& number : root.find("numbers")->items()) {
            numbers += JsonBuilder::written(number) + "\n";
        }
        return numbers;
    };
    for (const Hardware& one :
         {Hardware{"--gpu h100 --gpus 4", "--gpu h200", "cluster.gpu=h200"},
          Hardware{"-c dgx-h100 -n 4", "-c dgx-b200", "cluster.name=dgx-b200"},
          Hardware{"--gpu h100 --gpus 32 --fabric ib-ndr", "--gpu mi300x", "gpu=mi300x"},
          Hardware{"-c dgx-h100 --gpus 2", "--gpu=h200", "cluster.gpu=h200"}}) {
        EXPECT_EQ(sides(one.first, one.flag), sides(one.first, one.key)) << one.flag;
    }
}

TEST(CompareCommand, SaysWhereOtherHardwareCannotHaveSoManyGpus) {
    const ProgramOutput output = ran(
        "compare -m llama-3.1-8b --stack fsdp2 --seq 4096 -c gb200-nvl72 --gpus 36 --global-batch "
        "144",
        {"--with", "-c dgx-h100"});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_EQ(output.out, "");
    EXPECT_NE(output.err.find("error: A with -c dgx-h100: --gpus: 36 GPUs are not a whole number "
                              "of nodes of 8"),
              std::string::npos)
        << output.err;
    EXPECT_NE(output.err.find("for this side alone --with \"-c dgx-h100 cluster.gpus=…\""),
              std::string::npos)
        << output.err;
}

TEST(CompareCommand, RefusesSidesThatSayNothingOrOneThingTwice) {
    const auto refused = [](const std::vector<std::string>& more) {
        const ProgramOutput output =
            ran("compare -m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 16", more);
        EXPECT_EQ(output.code, ExitCode::BadInput);
        EXPECT_EQ(output.out, "");
        return output.err.substr(0, output.err.find('\n'));
    };
    EXPECT_EQ(refused({"--with", "   "}), "error: --with: nothing is said that differs");
    EXPECT_EQ(refused({"--with", "layout.tp=2 tp=4"}),
              "error: --with: \"layout.tp\" is there twice");
    EXPECT_EQ(refused({"--stack", "fsdp2,"}),
              "error: --stack: a value is missing beside a comma in \"fsdp2,\"");
    EXPECT_EQ(refused({"--stack", "fsdp2,fsdp2"}),
              "error: --stack: \"fsdp2\" is there twice: a side each");
}

TEST(CompareCommand, SaysWhichSideCannotBe) {
    const ProgramOutput output = compare({"--layout", "shard=fsdp", "--with", "stack=megatron"});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_EQ(output.out, "");
    EXPECT_NE(output.err.find("error: A with stack=megatron: "), std::string::npos) << output.err;
    EXPECT_NE(output.err.find("for this side alone --with \"stack=megatron layout.shard=…\""),
              std::string::npos)
        << output.err;
    EXPECT_EQ(
        compare({"--layout", "shard=fsdp", "--with", "stack=megatron layout.shard=zero1"}).code,
        ExitCode::Ok);
    EXPECT_NE(compare({"--with", "--stacks megatron"}).err.find("is not a flag of a scenario"),
              std::string::npos);
}

TEST(CompareCommand, SaysOfEachSideWhyItHasNoTime) {
    const ProgramOutput output =
        ran("compare -m llama-3.1-8b -c dgx-h100 --stack megatron --layout tp=2,pp=4",
            {"--global-batch", "1000000", "--with", "layout.tp=1"});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_NE(output.out.find("A has no time forecast: a step of 1000000 microbatches"),
              std::string::npos);
    EXPECT_NE(output.out.find("B has no time forecast: a step of 500000 microbatches"),
              std::string::npos);
}

TEST(CompareCommand, HasAColumnForEverySide) {
    const ProgramOutput output = compare({"--with",
                                          "layout.recompute=full",
                                          "--with",
                                          "layout.recompute=full layout.micro_batch=2",
                                          "-f",
                                          "json"});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root);
    EXPECT_EQ(root->find("schema")->text().value(), "fabricast.comparison/1");
    EXPECT_EQ(root->find("sides")->items().size(), 3U);
    EXPECT_EQ(root->find("differences")->items().size(), 2U);
    for (const JsonValue& number : root->find("numbers")->items()) {
        EXPECT_EQ(number.find("values")->items().size(), 3U);
    }
}

TEST(CompareCommand, ReadsScenariosAndTheAnswersOfExplain) {
    const std::string scenario =
        fileOf("compare_a.json",
               R"({"model": "llama-3.1-8b", "cluster": {"name": "dgx-h100", "nodes": 2},
            "stack": "torchtitan", "layout": "tp=8", "workload": {"sequence": 8192}})");
    const ProgramOutput asked =
        runProgram({"explain", scenario, "--set", "cluster.fabric=roce-100", "-f", "json"}, {});
    const std::string answer = fileOf("compare_b.json", asked.out);
    const ProgramOutput output = runProgram({"compare", scenario, answer, "-f", "json"}, {});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    const auto root = parseJson(output.out, "out");
    ASSERT_EQ(root->find("inputs")->items().size(), 1U) << output.out;
    EXPECT_EQ(root->find("inputs")->items()[0].find("key")->text().value(), "cluster.fabric");
}

/// Less money is as many digits as more of it.
TEST(CompareCommand, WritesFallsAsItWritesRises) {
    const ProgramOutput output =
        ran("compare -m llama-3.1-8b -c dgx-h100 --stack torchtitan --layout recompute=full --seq "
            "8192 --global-batch 64 --tokens 100B --with layout.recompute=selective");
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_NE(output.out.find("price of the run, $"), std::string::npos) << output.out;
    EXPECT_EQ(output.out.find("e+"), std::string::npos) << output.out;
}

TEST(CompareCommand, HoldsABatchThatFollowedFromTheLayout) {
    const std::string scenario = fileOf(
        "compare_c.json", R"({"model": "llama-3.1-8b", "cluster": "dgx-h100", "stack": "fsdp2"})");
    const ProgramOutput output = runProgram({"compare",
                                             scenario,
                                             "--with",
                                             "layout.micro_batch=2",
                                             "--with",
                                             "workload.global_batch=32 layout.micro_batch=2",
                                             "-f",
                                             "json"},
                                            {});
    EXPECT_NE(output.err.find("micro_batch"), std::string::npos) << output.err;
    const ProgramOutput larger = runProgram(
        {"compare", scenario, "--with", "workload.global_batch=16 layout.micro_batch=2"}, {});
    EXPECT_EQ(larger.code, ExitCode::Ok) << larger.err;
    EXPECT_NE(larger.out.find("of a million tokens"), std::string::npos) << larger.out;
}

TEST(CompareCommand, ShowsLessOrAll) {
    const std::string some = compare({"--with", "layout.recompute=full"}).out;
    const std::string all = compare({"--with", "layout.recompute=full", "--all"}).out;
    const std::string least =
        compare({"--with", "layout.recompute=full", "--min-change", "40%"}).out;
    EXPECT_GT(all.size(), some.size());
    EXPECT_NE(all.find("capacity, GiB"), std::string::npos);
    EXPECT_EQ(some.find("capacity, GiB"), std::string::npos);
    EXPECT_EQ(least.find("step time"), std::string::npos);
}

TEST(CompareCommand, RefusesByName) {
    const auto refusal = [](const std::vector<std::string>& arguments) {
        const ProgramOutput output = compare(arguments);
        EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
        return output.err;
    };
    EXPECT_NE(refusal({}).find("only one side given"), std::string::npos);
    EXPECT_NE(refusal({"--with", "tp"}).find("\"tp\" is not PATH=VALUE"), std::string::npos);
    EXPECT_NE(refusal({"--with", "layout.tpp=2"}).find("--with layout.tpp"), std::string::npos);
    EXPECT_NE(refusal({"--with", "layout.recompute=full", "--baseline", "Z"}).find("A to B"),
              std::string::npos);
    EXPECT_NE(
        refusal({"--with", "layout.recompute=full", "--min-change", "x"}).find("--min-change"),
        std::string::npos);
    const std::string plan = fileOf("compare_plan.json", R"({"schema": "fabricast.plan/1"})");
    EXPECT_NE(refusal({plan, plan}).find("does not contain the whole question"), std::string::npos);
}

// Several values of one flag are sides, as each further one behind --with.
TEST(CompareCommand, TakesTheValuesOfAFlagForSides) {
    const std::string base = "compare -m llama-3.1-8b --stack fsdp2 --seq 4096 --global-batch 32";
    const auto out = [&](const std::string& more) { return ran(base + " " + more).out; };
    EXPECT_EQ(out("-c dgx-h100,dgx-h200"),
              ran(base + " -c dgx-h100", {"--with", "-c dgx-h200"}).out);
    EXPECT_NE(out("-c dgx-h100 -n 1,2,4").find("C  FITS  A with -n 4"), std::string::npos);
    const ProgramOutput both = ran(base + " -c dgx-h100,dgx-h200 -n 1,2");
    EXPECT_EQ(both.code, ExitCode::BadInput);
    EXPECT_EQ(both.err,
              "error: -n: and -c have several values each: which go together?\n"
              "  try: one of them, or a side each: --with \"-c … -n …\"\n");
}

}  // namespace
}  // namespace fabricast
