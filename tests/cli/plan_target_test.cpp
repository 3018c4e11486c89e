#include "planner/text/json_document.h"
#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fabricast {
namespace plan_target_test {

const std::vector<std::string>& question() {
    static const std::vector<std::string> words = {"-m",
                                                   "llama-3.1-8b",
                                                   "-c",
                                                   "dgx-h100",
                                                   "--seq",
                                                   "8192",
                                                   "--global-batch",
                                                   "16",
                                                   "--fix",
                                                   "recompute=full"};
    return words;
}

ProgramOutput plan(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = question();
    arguments.insert(arguments.begin(), "plan");
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runProgram(arguments, {});
}

/// The question on one stack with the flags of a change typed instead of its own.
std::vector<std::string> changedBy(const std::string& change) {
    std::vector<std::string> asked = question();
    asked.insert(asked.end(), {"--stack", "fsdp2"});
    std::vector<std::string> arguments = {"plan", "--top", "1", "-f", "json"};
    for (std::size_t i = 0; i < asked.size(); i += 2) {
        const bool repeats = asked[i] == "--fix";
        if (repeats || (" " + change).find(" " + asked[i] + " ") == std::string::npos) {
            arguments.insert(arguments.end(), {asked[i], asked[i + 1]});
        }
    }
    std::istringstream words(change);
    for (std::string word; words >> word;) {
        arguments.push_back(word);
    }
    return arguments;
}

/// Of other hardware that reaches the target what is dearer for the same tokens does not come
/// first.
TEST(PlanTarget, TheCheapestHardwareComesFirst) {
    const ProgramOutput output =
        ran("plan -m llama-3.1-8b -c dgx-a100 --tokens 1T --target days=30 --no-fail -f json");
    const Result<JsonValue> root = parseJson(output.out, "out");
    ASSERT_TRUE(root) << output.err;
    double last = 0.0;
    int bought = 0;
    for (const JsonValue& fix : root->find("fixes")->items()) {
        if (fix.find("group")->text() == "buy" && *fix.find("reaches")->boolean()) {
            const double price = *fix.find("usd_per_mtok")->number(0.0, 1e9);
            EXPECT_GE(price, last);
            last = price;
            ++bought;
        }
    }
    EXPECT_GE(bought, 3);
}

TEST(PlanTarget, ThatIsMissedByLittleIsToldApart) {
    const JsonValue best = jsonOf(plan({"--stack", "fsdp2", "--top", "1", "-f", "json"}).out);
    const double mfu = numberOf(best.find("plans")->items().front(), "mfu");
    const std::string wanted = "mfu=" + std::to_string(100.0 * (mfu + 2e-5)) + "%";
    const std::string text = plan({"--stack", "fsdp2", "--target", wanted}).out;
    const std::size_t begin = text.find("\nMISSED  MFU ");
    ASSERT_NE(begin, std::string::npos) << text;
    const std::string line = text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
    const auto percentAfter = [&line](const std::string& word) {
        const std::size_t at = line.find(word) + word.size();
        return line.substr(at, line.find(" %", at) - at);
    };
    EXPECT_NE(percentAfter("MISSED  MFU "), percentAfter("wanted MFU ")) << line;
    EXPECT_EQ(line.find(" 1.00 times"), std::string::npos) << line;
}

TEST(PlanTarget, ThatIsReachedNeedsNoFix) {
    const ProgramOutput output = plan({"--stack", "fsdp2", "--target", "step=1h"});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_NE(output.out.find("\nREACHED  a step of "), std::string::npos) << output.out;
    EXPECT_EQ(output.out.find("what would help"), std::string::npos);
}

TEST(PlanTarget, ThatIsMissedExitsWithOneAndSaysWhatWouldReachIt) {
    const std::vector<std::string> arguments = {"--stack", "fsdp2", "--target", "tokens-per-s=60k"};
    const ProgramOutput text = plan(arguments);
    EXPECT_EQ(text.code, ExitCode::DoesNotFit) << text.err;
    EXPECT_NE(text.out.find("\nMISSED  "), std::string::npos);
    std::vector<std::string> json = arguments;
    json.insert(json.end(), {"-f", "json", "--no-fail"});
    const ProgramOutput output = plan(json);
    EXPECT_EQ(output.code, ExitCode::Ok);
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root) << output.err;
    EXPECT_EQ(root->find("targets")->items()[0].find("met")->boolean().value(), false);
    std::set<std::string> groups;
    for (const JsonValue& fix : root->find("fixes")->items()) {
        groups.insert(textOf(fix, "group"));
        EXPECT_EQ(fix.find("changes_training")->boolean().value(),
                  textOf(fix, "group") == "workload");
        EXPECT_EQ(fix.find("reaches")->boolean().value(), numberOf(fix, "tokens_per_s") >= 60000.0);
        EXPECT_FALSE(textOf(fix, "side_effect").empty());
    }
    EXPECT_EQ(groups, (std::set<std::string>{"free", "workload", "buy"}));
}

TEST(PlanTarget, AFixDoesWhatItSays) {
    const ProgramOutput output =
        plan({"--stack", "fsdp2", "--target", "tokens-per-s=1M", "-f", "json"});
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root) << output.err;
    int typed = 0;
    for (const JsonValue& fix : root->find("fixes")->items()) {
        const std::string change = textOf(fix, "change");
        if (change.find("without") != std::string::npos) {
            continue;
        }
        const ProgramOutput changed = runProgram(changedBy(change), {});
        const auto answer = parseJson(changed.out, "out");
        ASSERT_TRUE(answer) << change << ": " << changed.err;
        const JsonValue& best = answer->find("plans")->items()[0];
        EXPECT_EQ(numberOf(best, "step_s"), numberOf(fix, "step_s")) << change;
        ++typed;
    }
    EXPECT_GE(typed, 4);
}

/// A price that was given for these GPUs is none of others', which have the market's.
TEST(PlanTarget, OtherGpusHaveTheirOwnPrice) {
    const std::string ask =
        "plan -m llama-3.1-8b --gpu h100 --gpus 8 --seq 4096 --stack fsdp2 "
        "--target tokens-per-s=100k -f text";
    const auto rowOf = [](const std::string& out) {
        const std::size_t at = out.find("dgx-b200");
        return at == std::string::npos ? out : out.substr(at, out.find('\n', at) - at);
    };
    const std::string given = rowOf(ran(ask + " --price 3").out);
    EXPECT_NE(given.find("  0.094  "), std::string::npos) << given;
    EXPECT_NE(rowOf(ran(ask).out).find("  0.094  "), std::string::npos);
    EXPECT_NE(given.find("other GPUs: b200-sxm-180gb, at the prices of market-"), std::string::npos)
        << given;
    EXPECT_NE(given.find("price.profile=market-"), std::string::npos) << given;
}

TEST(PlanTarget, OffloadsWhereNothingElseFits) {
    const std::vector<std::string> asked = {"plan",
                                            "-m",
                                            "llama-3.1-8b",
                                            "-c",
                                            "8x-rtx-4090",
                                            "--seq",
                                            "2048",
                                            "--global-batch",
                                            "16",
                                            "--stack",
                                            "fsdp2",
                                            "--fix",
                                            "dp=8,micro_batch=1,recompute=none"};
    const ProgramOutput output = runProgram(asked, {});
    EXPECT_EQ(output.code, ExitCode::Ok);
    EXPECT_NE(output.out.find("offload=parameters_cpu"), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("in host memory: without offload nothing as fast surely fits\n"),
              std::string::npos)
        << output.out;
    EXPECT_EQ(output.out.find("--fix offload"), std::string::npos) << output.out;
    std::vector<std::string> held = asked;
    held.back() += ",offload=parameters_cpu";
    const std::string place = runProgram(held, {}).out;
    EXPECT_NE(place.find("in host memory\n"), std::string::npos) << place;
    std::vector<std::string> without = asked;
    without.insert(without.end(), {"--forbid", "offload"});
    const ProgramOutput refused = runProgram(without, {});
    EXPECT_EQ(refused.code, ExitCode::DoesNotFit);
    EXPECT_NE(refused.out.find("without --forbid offload"), std::string::npos) << refused.out;
}

/// Followed, it would be refused: held and forbidden.
TEST(PlanTarget, NoWayOutHoldsWhatIsForbidden) {
    const std::string output =
        ran("plan -m llama-3.1-70b -c dgx-h100 --seq 8192 --global-batch 64 --forbid offload").out;
    EXPECT_NE(output.find("DOES NOT FIT"), std::string::npos) << output;
    EXPECT_NE(output.find("without --forbid offload"), std::string::npos) << output;
    EXPECT_EQ(output.find("--layout offload"), std::string::npos) << output;
}

TEST(PlanTarget, KeysThatAreHeldAreLetGo) {
    const ProgramOutput output =
        plan({"--stack", "fsdp2", "--set", "workload.sequence=6144", "--target", "mfu=40%"});
    EXPECT_NE(output.out.find("recompute not fixed"), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("recompute is searched; found: recompute="), std::string::npos)
        << output.out;
}

/// A share has one denominator: fp8 is a way to more tokens per second, and none to more MFU.
TEST(PlanTarget, MfuIsOfOnePeakThatIsSaid) {
    const ProgramOutput share = plan({"--stack", "fsdp2", "--target", "mfu=60%"});
    EXPECT_NE(share.out.find(" % of 989 TFLOP/s bf16, wanted MFU 60.0 %"), std::string::npos)
        << share.out;
    EXPECT_EQ(share.out.find("--precision"), std::string::npos) << share.out;
    const ProgramOutput rate = plan({"--stack", "fsdp2", "--target", "tokens-per-s=1M"});
    EXPECT_NE(rate.out.find("--precision fp8"), std::string::npos) << rate.out;
}

TEST(PlanTarget, DaysNeedTokens) {
    EXPECT_NE(plan({"--target", "days=10"}).err.find("--tokens 1T"), std::string::npos);
    const ProgramOutput output =
        plan({"--stack", "fsdp2", "--target", "days=365", "--tokens", "100B"});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_NE(output.out.find("wanted 365 days"), std::string::npos) << output.out;
    EXPECT_EQ(plan({"--stack", "fsdp2", "--target", "step_s=1h"}).out,
              plan({"--stack", "fsdp2", "--target", "step=1h"}).out);
    EXPECT_EQ(plan({"--stack", "fsdp2", "--target", "hours=8760", "--tokens", "100B"}).out,
              output.out);
}

TEST(PlanTarget, RefusesByName) {
    EXPECT_NE(plan({"--target", "speed=2"}).err.find("\"speed=2\" is not a target"),
              std::string::npos);
    EXPECT_NE(plan({"--target", "mfu=140%"}).err.find("--target mfu"), std::string::npos);
    EXPECT_NE(plan({"--target", "step=5"}).err.find("--target step"), std::string::npos);
    EXPECT_NE(plan({"--target", "days=-3", "--tokens", "1T"}).err.find("must be above 0"),
              std::string::npos);
    EXPECT_NE(plan({"--target", "tokens-per-s=0"}).err.find("must be above 0"), std::string::npos);
    for (const char* const target : {"days=1e-308", "step=1e-200s", "tokens-per-s=5e18"}) {
        EXPECT_NE(plan({"--target", target, "--tokens", "1T"}).err.find(" is beyond what any run"),
                  std::string::npos)
            << target;
    }
}

/// Every row of the answer is what its change, typed, is answered with.
void expectRowsComeTrue(const std::string& file, const std::string& target) {
    const std::string line = "plan " + file + " -f json --target " + target + " ";
    const JsonValue answer = jsonOf(ran(line).out);
    const JsonValue* fixes = answer.find("fixes");
    ASSERT_NE(fixes, nullptr);
    ASSERT_GE(fixes->items().size(), 6U);
    for (const JsonValue& fix : fixes->items()) {
        const std::string typed = textOf(fix, "typed");
        const ProgramOutput output = ran(line + typed);
        const JsonValue changed = jsonOf(output.out);
        ASSERT_NE(changed.find("plans"), nullptr) << typed << output.err;
        ASSERT_FALSE(changed.find("plans")->items().empty()) << typed;
        EXPECT_EQ(numberOf(fix, "step_s"), numberOf(changed.find("plans")->items()[0], "step_s"))
            << typed;
        EXPECT_EQ(fix.find("reaches")->boolean().value(), output.code == ExitCode::Ok) << typed;
    }
}

/// Where plans that likely fit are faster than those that surely do, on every stack.
TEST(PlanTarget, ARowIsWhatTheTypedChangeIsAnsweredWith) {
    const std::string file = tempFolder() + "target.json";
    ASSERT_TRUE(writeTextFile(file,
                              R"({"model": "llama-3.2-3b", "cluster": "4x-rtx-4090",
                                  "search": {"stacks": ["megatron", "fsdp2"]},
                                  "workload": {"sequence": 4096, "global_batch": 16}})"));
    expectRowsComeTrue(file, "tokens-per-s=30k");
}

// More ranks would make the batch larger, and the step no shorter.
TEST(PlanTarget, SamplesOfEachRankStayAsManyInAll) {
    const std::string file = tempFolder() + "ranks.json";
    ASSERT_TRUE(
        writeTextFile(file,
                      R"({"model": "llama-3.1-8b", "cluster": {"name": "dgx-h100", "nodes": 2},
            "layout": "tp=4", "search": {"stacks": ["megatron"]},
            "workload": {"sequence": 8192, "global_batch": "4 per rank"}})"));
    expectRowsComeTrue(file, "step=0.6s");
    const std::string text = ran("plan " + file + " --target step=0.6s").out;
    EXPECT_NE(text.find("-n 8 --global-batch 16 "), std::string::npos) << text;
    EXPECT_EQ(text.find("tensor_overlap=true --global-batch"), std::string::npos) << text;
}

}  // namespace plan_target_test
}  // namespace fabricast
