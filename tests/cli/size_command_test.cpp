#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "planner/text/text_files.h"
#include "tests/support/golden.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

ProgramOutput sized(const Words& more) {
    Words words = {"size",
                   "-m",
                   "llama-3.2-1b",
                   "--seq",
                   "2048",
                   "--global-batch",
                   "64",
                   "--stack",
                   "fsdp2",
                   "--tokens",
                   "1B"};
    words.insert(words.end(), more.begin(), more.end());
    return runProgram(words, {});
}

const Words kSmallModel = {
    "-c", "dgx-h100", "-c", "8x-rtx-4090", "-n", "1,2,4", "--target", "days=0.05"};

TEST(SizeCommand, SaysThatAGivenPriceIsOfAllGpus) {
    const std::string words = "the price that was given is that of every GPU here: ";
    const Words two = {"-c", "dgx-h100", "-c", "8x-rtx-4090", "-n", "1", "--target", "days=9"};
    EXPECT_EQ(sized(two).out.find(words), std::string::npos);
    Words priced = two;
    priced.insert(priced.end(), {"--price", "3"});
    EXPECT_NE(sized(priced).out.find(words), std::string::npos) << sized(priced).out;
    priced.back() = "h100=2.95,rtx-4090=0.3/h";
    const std::string each = sized(priced).out;
    EXPECT_EQ(each.find(words), std::string::npos) << each;
    EXPECT_NE(each.find("price: on_demand $0.300/h a GPU, given prices\n"), std::string::npos)
        << each;
    priced.back() = "h100=2.95,h100-sxm=3";
    EXPECT_NE(sized(priced).err.find("--price: two prices of h100-sxm5-80gb"), std::string::npos);
    priced.back() = "h100=2.95,h1000=3";
    EXPECT_NE(sized(priced).err.find("\"h1000\""), std::string::npos) << sized(priced).err;
    EXPECT_EQ(
        sized({"-c", "dgx-h100", "-n", "1", "--target", "days=9", "--price", "3"}).out.find(words),
        std::string::npos);
}

Words smallWith(const Words& more) {
    Words words = kSmallModel;
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(SizeCommand, AnswersInEveryForm) {
    expectGolden("size_1b.txt", sized(kSmallModel).out);
    expectGolden("size_1b.md", sized(smallWith({"-f", "md"})).out);
    expectGolden("size_1b.csv", sized(smallWith({"-f", "csv"})).out);
    expectGolden("help_size.txt", runProgram({"size", "--help"}, {}).out);
    const ProgramOutput json = sized(smallWith({"-f", "json"}));
    const auto root = parseJson(json.out, "out");
    ASSERT_TRUE(root) << json.out;
    EXPECT_EQ(root->find("schema")->text().value(), "fabricast.size/1");
    EXPECT_TRUE(root->find("pick")->find("plans") != nullptr);
}

TEST(SizeCommand, SaysThatOneNodeIsEnough) {
    const ProgramOutput output = sized({"-c", "dgx-h100", "--target", "days=10"});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_TRUE(says(output.out, "SIZE  1 x dgx-h100 (8 GPUs): ")) << output.out;
    EXPECT_TRUE(says(output.out, "one node is enough")) << output.out;
}

TEST(SizeCommand, SaysWhyABoxThatWasNamedIsNotListed) {
    const std::string text = sized(kSmallModel).out;
    EXPECT_TRUE(says(text, "\nnot listed: 4 x 8x-rtx-4090 (32 GPUs), $")) << text;
    EXPECT_TRUE(says(text, " kW: does not reach the target\n")) << text;
    const std::string beaten =
        ran("size -m llama-3.1-8b -c dgx-h100 -c hgx-h100 -n 1,2 --seq 4096 --global-batch 64 "
            "--tokens 100M --target days=10")
            .out;
    EXPECT_TRUE(says(beaten, "\nnot listed: 1 x hgx-h100 (8 GPUs), $")) << beaten;
    EXPECT_TRUE(
        says(beaten, " kW: no better in money, time and power than 1 x dgx-h100 (8 GPUs)\n"))
        << beaten;
    const std::string small =
        ran("size -m llama-3.1-70b -c dgx-h100 -c 4x-rtx-4090 -n 1,2,4 --seq 4096 "
            "--global-batch 64 --tokens 100M --stack fsdp2 --target days=10")
            .out;
    EXPECT_TRUE(says(small, "\nnot listed: 4x-rtx-4090: likely fits (--allow tight ")) << small;
}

TEST(SizeCommand, ListsNoHugeClustersWhereOneNodeIsEnough) {
    const std::string asked =
        "size -m llama-3.2-1b --seq 2048 --global-batch 256 --stack fsdp2 --tokens 1B -c dgx-h100 "
        "-n 1,8,16 --target days=10";
    const std::string text = ran(asked).out;
    EXPECT_TRUE(says(text, "\ndgx-h100      8 ")) << text;
    EXPECT_FALSE(says(text, "\ndgx-h100     16 ")) << text;
    EXPECT_TRUE(says(text, "\nand 1 with more nodes, up to 16: -f csv lists it\n")) << text;
    EXPECT_TRUE(says(ran(asked, {"-f", "csv"}).out, "\ndgx-h100,,16,128,"));
}

TEST(SizeCommand, FailsWhereNothingReachesTheTarget) {
    const ProgramOutput output =
        sized({"-c", "dgx-h100", "-n", "1", "--target", "tokens-per-s=1B"});
    EXPECT_EQ(output.code, ExitCode::DoesNotFit);
    EXPECT_TRUE(
        says(output.out, "SIZE  no cluster of the catalogue reaches 1,000,000,000 tokens/s"))
        << output.out;
}

TEST(SizeCommand, ListsTheNumbersOfNodesThatItComparedInVain) {
    const ProgramOutput output =
        sized({"-c", "dgx-h100", "--max-gpus", "32", "--target", "tokens-per-s=1B", "-f", "json"});
    EXPECT_EQ(output.code, ExitCode::DoesNotFit);
    EXPECT_TRUE(says(output.out, "\"node_counts\": [\n    1,\n    2,\n    3,\n    4\n  ]"))
        << output.out;
}

TEST(SizeCommand, NamesTheNearestAndWhatWouldReachTheTarget) {
    const ProgramOutput output = sized({"-c", "dgx-h100", "-n", "1,2", "--target", "days=0.012"});
    EXPECT_EQ(output.code, ExitCode::DoesNotFit);
    EXPECT_TRUE(says(output.out, "\nnearest to 0.012 days: 2 x dgx-h100 (16 GPUs), "))
        << output.out;
    EXPECT_TRUE(says(output.out, " times as long\n")) << output.out;
    EXPECT_TRUE(says(output.out, "\n  fabricast size -m llama-3.2-1b ")) << output.out;
}

TEST(SizeCommand, TellsAMissFromItsTargetHoweverSmall) {
    const ProgramOutput best = sized({"-c", "dgx-h100", "-n", "2", "-f", "json"});
    const auto found = parseJson(best.out, "out");
    ASSERT_TRUE(found) << best.out;
    const double seconds = found->find("pick")->find("days")->number(0.0, 1e9).value() * 86400.0;
    const std::string days = fmt::format("days={:.6g}", seconds / 86400.0 * 0.9995);
    const ProgramOutput missed = sized({"-c", "dgx-h100", "-n", "2", "--target", days});
    EXPECT_EQ(missed.code, ExitCode::DoesNotFit);
    EXPECT_TRUE(says(missed.out, "\nnearest to " + days.substr(5) + " days: ")) << missed.out;
    EXPECT_TRUE(says(missed.out, ", 0.05 % longer\n")) << missed.out;
}

TEST(SizeCommand, RefusesASetThatItWouldDrop) {
    for (const char* said : {"cluster.nodes=8",
                             "cluster.name=dgx-b200",
                             "cluster.fabric=ib-ndr",
                             "cluster.gpus_per_node=4",
                             R"(cluster={"name":"dgx-b200","nodes":1})"}) {
        const ProgramOutput output = sized({"-c", "dgx-h100", "-n", "2", "--set", said});
        EXPECT_EQ(output.code, ExitCode::BadInput) << said;
        EXPECT_TRUE(says(output.err, "size chooses the cluster from what its own flags name"))
            << output.err;
    }
    EXPECT_EQ(sized({"-c", "dgx-h100", "-n", "2", "--set", "cluster=null"}).code, ExitCode::Ok);
    const ProgramOutput unnamed = sized({"--gpus-per-node", "4", "--target", "days=60"});
    EXPECT_EQ(unnamed.code, ExitCode::BadInput) << unnamed.out;
    EXPECT_TRUE(says(unnamed.err, "error: --gpus-per-node: is of nodes that are named"))
        << unnamed.err;
}

TEST(SizeCommand, NeverPrintsANumberWithoutEnd) {
    for (const char* mtbf : {"1s", "1min", "10h"}) {
        for (const char* format : {"text", "json", "csv", "md"}) {
            const ProgramOutput output =
                sized(smallWith({"--mtbf", mtbf, "-f", format, "--no-fail"}));
            EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
            EXPECT_FALSE(says(output.out, "inf ") || says(output.out, "nan")) << output.out;
        }
    }
    EXPECT_TRUE(says(sized(smallWith({"--mtbf", "1s"})).out, "goodput is zero: "));
}

// Its plan is the first that plan lists.
TEST(SizeCommand, PicksWhatPlanFindsThere) {
    const auto root = parseJson(sized(smallWith({"-f", "json"})).out, "out");
    const JsonValue* pick = root->find("pick");
    const std::string box = pick->find("box")->text().value();
    const auto nodes = static_cast<int>(pick->find("nodes")->number(1, 1e6).value());
    const ProgramOutput planned = runProgram({"plan",
                                              "-m",
                                              "llama-3.2-1b",
                                              "-c",
                                              box,
                                              "-n",
                                              std::to_string(nodes),
                                              "--seq",
                                              "2048",
                                              "--global-batch",
                                              "64",
                                              "--stack",
                                              "fsdp2",
                                              "--top",
                                              "1",
                                              "-f",
                                              "json"},
                                             {});
    const auto there = parseJson(planned.out, "out");
    EXPECT_EQ(there->find("plans")->items()[0].find("step_s")->number(0, 1e9).value(),
              pick->find("plans")->items()[0].find("step_s")->number(0, 1e9).value());
}

// The fastest layout is in host memory, which nobody knows of this box: another one surely fits,
// and comes first.
TEST(SizeCommand, TakesWhatSurelyFitsWhereHostMemoryIsNotKnown) {
    const std::string job =
        " -m llama-3.1-8b --gpu rtx-4090 --gpus 8 --tuning lora --seq 4096 "
        "--global-batch 64 ";
    const ProgramOutput plans = ran("plan --top 1" + job);
    EXPECT_TRUE(says(plans.out, "FITS  ")) << plans.out;
    EXPECT_FALSE(says(plans.out, "in host memory: without offload")) << plans.out;
    const ProgramOutput answer = ran("size --tokens 1B" + job);
    ASSERT_EQ(answer.code, ExitCode::Ok) << answer.out << answer.err;
    const std::size_t next = answer.out.find("\nnext: fabricast ");
    ASSERT_NE(next, std::string::npos) << answer.out;
    EXPECT_FALSE(says(answer.out.substr(next), "offload=")) << answer.out;
    EXPECT_TRUE(ran(answer.out.substr(next + 17)).out.starts_with("FITS  ")) << answer.out;
}

TEST(SizeCommand, ExplainsItsPickNext) {
    const ProgramOutput answer = sized(kSmallModel);
    const std::size_t next = answer.out.find("\nnext: fabricast explain ");
    ASSERT_NE(next, std::string::npos) << answer.out;
    const std::string typed = answer.out.substr(next + 17);
    const std::size_t cost = typed.find(" --section cost");
    ASSERT_NE(cost, std::string::npos) << typed;
    const ProgramOutput explained = ran(typed.substr(0, cost), {"--section", "time", "-f", "json"});
    ASSERT_EQ(explained.code, ExitCode::Ok) << explained.err;
    const JsonValue json = jsonOf(sized(smallWith({"-f", "json"})).out);
    const JsonValue& plan = json.find("pick")->find("plans")->items()[0];
    const JsonValue root = jsonOf(explained.out);
    ASSERT_NE(root.find("time"), nullptr);
    EXPECT_EQ(numberOf(*root.find("time")->find("step_s"), "value"), numberOf(plan, "step_s"));
}

TEST(SizeCommand, TakesSeveralJobs) {
    const std::string folder = tempFolder() + "/size_jobs_" + std::to_string(::getpid());
    const auto file = [&folder](const std::string& tokens) {
        const std::string path = folder + tokens + ".json";
        EXPECT_TRUE(writeTextFile(
            path,
            R"({"model": "llama-3.2-1b", "workload": {"sequence": 2048, "global_batch": 64,
                "tokens": ")" +
                tokens + R"("}, "search": {"stacks": ["fsdp2"]}})"));
        return path;
    };
    const Words words = {"size", "--job", file("1B"), "--job", file("3B"), "-c", "dgx-h100"};
    const ProgramOutput output = runProgram(words, {});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_TRUE(says(output.out, "global batch 64, 1B tokens\n")) << output.out;
    EXPECT_TRUE(says(output.out, "global batch 64, 3B tokens\n")) << output.out;
    EXPECT_TRUE(says(output.out, " of the slowest job, ")) << output.out;
    // Each job's own time and money.
    const std::regex own(
        "\nllama-3\\.2-1b: fsdp2 [^ ]+, [0-9.]+ (h|min), \\$[0-9.,]+, [0-9,]+ tokens/s\n");
    EXPECT_EQ(std::distance(std::sregex_iterator(output.out.begin(), output.out.end(), own), {}), 1)
        << output.out;
    Words both = words;
    both.insert(both.begin() + 1, file("1B"));
    EXPECT_TRUE(says(runProgram(both, {}).err, "there is a scenario beside the jobs"));
}

struct BadSize {
    Words words;
    const char* says;
};

// What no box is to blame for is an error, as it is to plan.
TEST(SizeCommand, RefusesWhatWasMistyped) {
    const std::string asked = "size -m llama-3.1-8b --seq 4096 --global-batch 64 -n 1 ";
    const std::vector<std::pair<std::string, std::string>> mistyped = {
        {"--precision bf61", "error: --precision: unknown precision \"bf61\"\n"},
        {"--set settings.kernels.compile=maybe", "error: --set settings.kernels.compile: "}};
    for (const auto& [flag, begins] : mistyped) {
        const ProgramOutput refused = ran(asked + flag);
        EXPECT_EQ(refused.code, ExitCode::BadInput) << refused.out;
        EXPECT_EQ(refused.out, "");
        EXPECT_EQ(refused.err.find(begins), 0U) << refused.err;
    }
}

TEST(SizeCommand, NamesTheLimitThatAModelIsBeyond) {
    const std::string model = tempFolder() + "many_experts.json";
    ASSERT_TRUE(writeTextFile(
        model,
        R"({"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 1024,
            "intermediate_size": 512, "num_hidden_layers": 4, "num_attention_heads": 16, "vocab_size": 32000,
            "num_local_experts": 2048, "num_experts_per_tok": 2})"));
    const Words words = {"-c", "dgx-h100", "-n", "1,2", "--seq", "2048", "--global-batch", "64"};
    Words sizing = {"size", "-m", model};
    sizing.insert(sizing.end(), words.begin(), words.end());
    const ProgramOutput refused = runProgram(sizing, {});
    EXPECT_EQ(refused.code, ExitCode::BadInput) << refused.out;
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(
        refused.err.find("error: model: many_experts has 2048 experts in a layer, more than the "
                         "1024 that are searched"),
        0U)
        << refused.err;
}

// One node is 8 GPUs of 10.2 kW: what is typed instead lets it in.
TEST(SizeCommand, SaysWhichLimitIsPassed) {
    const std::vector<BadSize> limits = {
        {{"-c", "dgx-h100", "--power-cap", "5kW"}, "of at most 5 kW (--power-cap 10.2kW)"},
        {{"-c", "dgx-h100", "--max-gpus", "4"}, "of at most 4 (--max-gpus 8)"}};
    for (const BadSize& one : limits) {
        const ProgramOutput output = sized(one.words);
        EXPECT_EQ(output.code, ExitCode::DoesNotFit) << output.err;
        EXPECT_TRUE(says(output.out, one.says)) << output.out;
    }
    EXPECT_EQ(sized({"-c", "dgx-h100", "--power-cap", "10.2kW", "--target", "days=100000"}).code,
              ExitCode::Ok);
}

// Who reads the first line alone has the reason.
TEST(SizeCommand, SaysFirstWhyNothingWasCompared) {
    for (const BadSize& one : std::vector<BadSize>{
             {{"-c", "dgx-h100", "--max-gpus", "4"},
              "SIZE  no cluster was compared: dgx-h100: the fewest are 8 GPUs, of at most 4"},
             {{"-c", "mi355x-8", "--target", "budget=1M"},
              "SIZE  no cluster was compared: mi355x-8: "}}) {
        const ProgramOutput output = sized(one.words);
        EXPECT_TRUE(says(output.out, one.says)) << output.out << output.err;
        EXPECT_FALSE(says(output.out, "can train it")) << output.out;
    }
}

// What is asked of GPUs without a price is answered but for the money.
TEST(SizeCommand, ComparesInTimeAndGpusWhereNoPriceIsKnown) {
    const std::string question =
        "size -m llama-3.1-8b --tuning qlora --seq 2048 --global-batch 16 --tokens 10M --gpu "
        "rtx-3090 --gpus 1,8";
    const ProgramOutput output = ran(question);
    EXPECT_EQ(output.code, ExitCode::Ok) << output.out << output.err;
    EXPECT_TRUE(says(output.out, "(1 GPU): the fewest GPUs on which it fits\n")) << output.out;
    EXPECT_TRUE(says(output.out, "price not known, ")) << output.out;
    EXPECT_TRUE(says(output.out, "looked for, as no cost is known: on_demand price of rtx-3090"))
        << output.out;
    // What has a price is compared by it, and the other is left out by name.
    const ProgramOutput priced = ran(question + " --gpu rtx-4090");
    EXPECT_TRUE(says(priced.out, ": the cheapest on which it fits\n")) << priced.out;
    EXPECT_TRUE(says(priced.out, "left out: rtx-3090: on_demand price")) << priced.out;
}

// A rack of 72 GPUs has no layout for a batch of 64; 64 of them have.
TEST(SizeCommand, NamesTheGpusOfANodeOverWhichTheBatchDivides) {
    const ProgramOutput output =
        ran("size -m llama-3.2-1b --seq 4096 --global-batch 64 --tokens "
            "10B --stack fsdp2 -c gb200-nvl72 -n 1 --target days=0.1 --minimize time");
    const std::string way = "--gpus-per-node 64";
    EXPECT_TRUE(says(output.out, "64 of the 72 GPUs of a node, over which the batch divides: "))
        << output.out << output.err;
    const std::size_t typed = output.out.find("  fabricast size ");
    ASSERT_NE(typed, std::string::npos) << output.out;
    const std::size_t begin = typed + std::string("  fabricast ").size();
    const std::string line = output.out.substr(begin, output.out.find('\n', begin) - begin);
    EXPECT_TRUE(says(line, way)) << line;
    EXPECT_TRUE(says(line, " --minimize time")) << line;
    EXPECT_EQ(ran(line).code, ExitCode::Ok) << line;
}

TEST(SizeCommand, OffersAsManyNodesAsItWouldPick) {
    const std::string asked =
        "size -m llama-3.1-70b --seq 8192 --global-batch 1024 --tokens 200B "
        "-c dgx-h100 --target days=20";
    const std::string picked = ran(asked).out;
    const std::size_t begin = std::string("SIZE  ").size();
    const std::string cluster = picked.substr(begin, picked.find(": ") - begin);
    const std::string offered = ran(asked + " -n 8,9,10,11,12").out;
    EXPECT_TRUE(says(offered, "more nodes: " + cluster)) << cluster << "\n" << offered;
}

// What is bought for several jobs is bought once.
TEST(SizeCommand, RefusesJobsWithDifferentPrices) {
    const std::string folder = tempFolder();
    const auto job = [&folder](const std::string& name, const std::string& price) {
        EXPECT_TRUE(writeTextFile(folder + name,
                                  "{\"model\": \"llama-3.2-1b\", \"stack\": \"fsdp2\", "
                                  "\"price\": " +
                                      price +
                                      ", \"workload\": {\"sequence\": 4096, \"global_batch\": "
                                      "256, \"tokens\": \"1B\"}}"));
        return folder + name;
    };
    const std::string jobs =
        "size --job " + job("one.json", "2.0") + " --job " + job("two.json", "3.0") + " ";
    const ProgramOutput output = ran(jobs + "-c dgx-h100 -n 1");
    EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
    EXPECT_TRUE(says(output.err, "two.json:1:")) << output.err;
    EXPECT_TRUE(says(output.err, "the price is $3/h a GPU, and $2/h a GPU in ")) << output.err;
    EXPECT_EQ(ran(jobs + "-c dgx-h100 -n 1 --price 2.5").code, ExitCode::Ok);
    EXPECT_TRUE(says(ran("size --job " + folder + "one.json").err, "one.json:1:"));
}

TEST(SizeCommand, SaysHowFarATargetIsOffInAFewDigits) {
    const std::string text = sized({"-c", "dgx-h100", "-n", "1", "--target", "days=1e-300"}).out;
    EXPECT_TRUE(says(text, " min, more than 1,000,000 times as long\n")) << text;
}

TEST(SizeCommand, LeavesOneLineBlankWhereNothingWasCompared) {
    const std::string text = sized({"-c", "dgx-h100", "-n", "4", "--power-cap", "1W"}).out;
    EXPECT_TRUE(says(text, "1B tokens\n\nleft out: dgx-h100: ")) << text;
}

// Clusters of one site are compared.
TEST(SizeCommand, HasNoFlagsOfSites) {
    const ProgramOutput help = runProgram({"size", "--help"}, {});
    EXPECT_EQ(help.code, ExitCode::Ok);
    EXPECT_FALSE(says(help.out, "--sites") || says(help.out, "--wan"));
}

TEST(SizeCommand, AnswersInHoursWhatIsAskedInHours) {
    const ProgramOutput answer =
        ran("size -m llama-3.2-1b -c dgx-h100 -n 1,2 --stack fsdp2 --seq 4096 --global-batch 64 "
            "--tokens 1B --target hours=2");
    EXPECT_TRUE(says(answer.out, "reaches 2 hours")) << answer.out << answer.err;
    EXPECT_FALSE(says(answer.out, "0.0833")) << answer.out;
}

TEST(SizeCommand, RefusesWhatItCannotAnswer) {
    const std::vector<BadSize> bad = {
        {{"--target", "mfu=40%"}, "\"mfu=40%\" is not a target of hardware"},
        {{"--target", "days=0"}, "\"days=0\" must be a number above 0"},
        {{"-c", "dgx-h101"}, "dgx-h100"},
        {{"-c", "dgx-h100", "--fabric", "ib-nope"}, "ib-nope"},
        {{"-n", "0"}, "\"0\" is not a whole number above 0"},
        {{"--must-fit-in", "rooms=1"}, "\"rooms=1\" is not a number of racks"},
        {{"--power-cap", "12"}, "--power-cap"},
        {{"--price", "2.10"}, "one price for all GPUs does not tell which to take"},
        {{"--allow", "idle_gpus"}, "idle GPUs cannot be allowed"},
        {{"--utilisation", "200%"}, "--utilisation"}};
    for (const BadSize& one : bad) {
        const ProgramOutput output = sized(one.words);
        EXPECT_EQ(output.code, ExitCode::BadInput) << one.says << output.out;
        EXPECT_TRUE(says(output.err, one.says)) << output.err;
    }
    const ProgramOutput open = runProgram({"size", "-m", "llama-3.2-1b", "-c", "dgx-h100"}, {});
    EXPECT_EQ(open.code, ExitCode::BadInput);
    EXPECT_TRUE(says(open.err, "the global batch is not given")) << open.err;
}

}  // namespace
}  // namespace fabricast
