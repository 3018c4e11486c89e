#include "tests/support/golden.h"
#include "tests/support/profile_folder.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fabricast {
namespace explain_cost_test {

ProgramOutput explain(const std::vector<std::string>& more) {
    return ran(
        "explain -m llama-3.1-8b -c dgx-h100 -n 2 --stack fsdp2 --layout recompute=full "
        "--seq 8192 --global-batch 64",
        more);
}

JsonValue documentOf(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--section", "cost", "--format", "json"});
    const ProgramOutput output = explain(arguments);
    EXPECT_EQ(output.err, "");
    return jsonOf(output.out);
}

// A search prints what its best plan costs: nothing, of a run that never ends.
TEST(ExplainCost, EverySearchSaysThatARunMakesNoProgress) {
    const std::string often =
        " -m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 16 --mtbf 1s ";
    for (const char* const command : {"plan --stack fsdp2", "advise"}) {
        const std::string said = ran(command + often).out;
        EXPECT_NE(said.find("\nthe run makes no progress: "), std::string::npos) << said;
    }
    EXPECT_EQ(ran("plan --stack fsdp2 -m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 16")
                  .out.find("progress"),
              std::string::npos);
}

TEST(ExplainCost, LooksAsItLooks) {
    const auto with = [](const std::string& format) {
        return explain({"--section", "cost", "--tokens", "1T", "-f", format}).out;
    };
    // Step times change when kernels are refitted: only the form is compared.
    const std::string text = with("text");
    for (const char* words : {"COST  $",
                              " per million tokens [$",
                              "on_demand $2.95/h a GPU, "
                              "market-2026-05 (2026-05)",
                              "\nGPU-hours ",
                              "\ncheckpoint (async): a "
                              "failure every ",
                              "site: typical",
                              "price: $1.99/h to $5/h, median"}) {
        EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
    }
    EXPECT_TRUE(with("md").starts_with("**FITS** **COST** $"));
    EXPECT_TRUE(with("csv").starts_with("key,value,lo,hi\ndays,"));
    const std::string next = explain({"--section", "cost"}).out;
    EXPECT_NE(next.find("--section cost --tokens 1T\n"), std::string::npos) << next;
}

TEST(ExplainCost, NumbersFollowFromEachOther) {
    const JsonValue root = documentOf({"--tokens", "15T"});
    const JsonValue& cost = *root.find("cost");
    const auto value = [&cost](const char* key) { return numberOf(*cost.find(key), "value"); };
    EXPECT_EQ(numberOf(cost, "tokens"), 15e12);
    EXPECT_NEAR(value("usd_per_run"), value("usd_per_mtok") * 15e6, 1e-6 * value("usd_per_run"));
    EXPECT_NEAR(value("gpu_hours"), value("days") * 24 * 16, 1e-6 * value("gpu_hours"));
    EXPECT_NEAR(
        value("kwh"), value("gpu_hours") * value("watts_per_gpu") / 1000, 1e-6 * value("kwh"));
    EXPECT_NEAR(value("usd_per_run"), value("gpu_hours") * 2.95, 1e-6 * value("usd_per_run"));
    const JsonValue& price = *cost.find("price");
    EXPECT_EQ(price.find("profile")->text(), "market-2026-05");
    EXPECT_EQ(price.find("date")->text(), "2026-05");
    for (const char* key : {"usd_per_mtok", "days", "kwh", "goodput"}) {
        EXPECT_LE(numberOf(*cost.find(key), "lo"), value(key)) << key;
        EXPECT_LE(value(key), numberOf(*cost.find(key), "hi")) << key;
    }
    const JsonValue& checkpoint = *cost.find("checkpoint");
    EXPECT_EQ(numberOf(checkpoint, "size_bytes"), 8'030'261'248.0 * 12);
    EXPECT_EQ(checkpoint.find("cycles")->items().size(), 1U);
}

TEST(ExplainCost, IsPartOfAllAndOfNothingElse) {
    EXPECT_NE(explain({"--section", "all", "-f", "json"}).out.find("\"usd_per_mtok\""),
              std::string::npos);
    EXPECT_EQ(explain({"--section", "time", "-f", "json"}).out.find("usd"), std::string::npos);
    EXPECT_EQ(documentOf({}).find("memory"), nullptr);
}

TEST(ExplainCost, FlagsSayHowItIsPaidAndSaved) {
    const auto usd = [](const std::vector<std::string>& more) {
        return numberOf(*documentOf(more).find("cost")->find("usd_per_mtok"), "value");
    };
    const auto goodput = [](const std::vector<std::string>& more) {
        return numberOf(*documentOf(more).find("cost")->find("goodput"), "value");
    };
    EXPECT_NEAR(usd({"--price", "aws"}) / usd({}), 6.88 / 2.95, 1e-9);
    EXPECT_NEAR(usd({"--price-kind", "reserved"}) / usd({}), 2.35 / 2.95, 1e-9);
    EXPECT_LT(usd({"--price-kind", "owned"}), usd({}));
    EXPECT_EQ(goodput({"--mtbf", "none"}), 1.0);
    EXPECT_LT(goodput({"--mtbf", "500h"}), goodput({}));
    EXPECT_LT(goodput({"--site", "meta-rsc-1"}), goodput({}));
    EXPECT_LT(goodput({"--checkpoint", "sync"}), goodput({}));
    EXPECT_LT(goodput({"--checkpoint-interval", "10d"}), goodput({}));
    EXPECT_EQ(documentOf({"--checkpoint", "two_level"})
                  .find("cost")
                  ->find("checkpoint")
                  ->find("cycles")
                  ->items()
                  .size(),
              2U);
}

/// A price of a run that is never done is no answer by itself.
TEST(ExplainCost, SaysThatARunHardlyGetsOn) {
    const ProgramOutput output = explain(
        {"--section", "cost", "--tokens", "1T", "--mtbf", "1h", "--checkpoint-interval", "6h"});
    EXPECT_NE(output.out.find("the run makes "), std::string::npos) << output.out;
}

/// Not failures where there are hardly any.
TEST(ExplainCost, SaysThatSavesTakeAllTheTime) {
    const std::string said =
        ran("explain -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --section cost",
            {"--set", "operation.checkpoint=sync", "--checkpoint-interval", "1e-9 s"})
            .out;
    EXPECT_NE(said.find("hardly any progress: it saves every "), std::string::npos) << said;
    EXPECT_EQ(said.find("failures occur faster"), std::string::npos) << said;
}

TEST(ExplainCost, RefusesTwoPricesOfOneGpuHour) {
    const std::string file = tempFolder() + "/two_prices.json";
    std::ofstream(file) << R"({"model": "llama-3.1-8b", "cluster": "dgx-h100", "stack": "fsdp2",
        "price": {"usd_per_gpu_hour": 2, "profile": "aws"}})";
    const ProgramOutput refused = ran("explain --section cost", {file});
    EXPECT_EQ(refused.code, ExitCode::BadInput);
    EXPECT_NE(refused.err.find("two prices of one GPU-hour"), std::string::npos) << refused.err;
    for (const char* const price : {"aws", "$2/h"}) {  // typed, it is instead of both
        EXPECT_EQ(ran("explain --section cost --no-fail", {file, "--price", price}).err, "");
    }
}

/// Rather than leave out what was asked for.
TEST(ExplainCost, ATableRefusesWhatHasNoRowsInIt) {
    const std::string run = " -m llama-3.1-8b -c dgx-h100 --seq 4096 --global-batch 16 -f csv ";
    for (const char* const asked :
         {"plan --sensitivity", "plan --target mfu=90%", "explain --stack fsdp2 --why time.gemm"}) {
        const ProgramOutput refused = ran(asked + run);
        EXPECT_EQ(refused.code, ExitCode::BadInput) << asked;
        EXPECT_EQ(refused.out, "") << asked;
        EXPECT_NE(refused.err.find("no place in a table"), std::string::npos) << refused.err;
    }
}

TEST(ExplainCost, WhyOpensItsNumbers) {
    for (const char* key : {"usd_per_mtok",
                            "kwh_per_mtok",
                            "goodput",
                            "mtbf",
                            "checkpoint",
                            "usd_per_gpu_hour",
                            "watts_per_gpu",
                            "days",
                            "gpu_hours",
                            "usd_per_run",
                            "kwh"}) {
        const std::string name = std::string("cost.") + key;
        const ProgramOutput why = explain({"--why", name, "--tokens", "1T"});
        EXPECT_EQ(why.code, ExitCode::Ok) << why.err;
        EXPECT_TRUE(why.out.starts_with(name + " = ")) << why.out;
        EXPECT_EQ(why.out.find("e+"), std::string::npos) << why.out;
    }
    for (const char* key : {"usd_per_mtok", "usd_per_run"}) {
        const std::string why =
            explain({"--why", std::string("cost.") + key, "--tokens", "1T"}).out;
        EXPECT_NE(why.find("  source: $2.95/h of a GPU, on_demand price of "), std::string::npos)
            << why;
        EXPECT_NE(why.find("cost.usd_per_gpu_hour\n"), std::string::npos) << why;
    }
    EXPECT_NE(
        explain({"--why", "cost.mtbf"}).out.find("50,677 h of a GPU x 3,600 s an hour / 16 GPUs"),
        std::string::npos);
    EXPECT_NE(explain({"--why", "cost.days"}).err.find("try: --tokens 15T"), std::string::npos);
    EXPECT_NE(explain({"--why", "cost.dollars"}).err.find("try: one of: cost.usd_per_mtok"),
              std::string::npos);
    EXPECT_EQ(explain({"--why", "cost.goodput", "--why", "time.gemm"}).err, "");
}

TEST(ExplainCost, AnUnknownPriceIsSaidWithWhatToType) {
    const ProgramOutput text =
        explain({"--section", "cost", "--price-kind", "spot", "--price", "aws"});
    EXPECT_EQ(text.code, ExitCode::Ok);
    EXPECT_TRUE(
        text.out.starts_with("FITS  COST  not known  no price: spot price of h100-sxm5-80gb is "
                             "not in aws-2026-06; use --price-kind on_demand, or --price FILE"))
        << text.out;
    const JsonValue cost = *documentOf({"--price-kind", "spot", "--price", "aws"}).find("cost");
    EXPECT_TRUE(cost.find("usd_per_mtok")->is(JsonValue::Kind::Null));
    EXPECT_NE(cost.find("usd_per_mtok_why"), nullptr);
    EXPECT_GT(numberOf(*cost.find("kwh_per_mtok"), "value"), 0.0);
}

TEST(ExplainCost, RefusesByFlagWithWhatToType) {
    struct Case {
        std::vector<std::string> flags;
        const char* where;
        const char* hint;
    };
    const std::vector<Case> cases = {
        {{"--tokens", "15X"}, "--tokens", "15"},
        {{"--tokens", "-1"}, "--tokens", ""},
        {{"--tokens", "0"}, "--tokens", ""},
        {{"--tokens", "9e18"}, "--tokens", ""},
        {{"--mtbf", "50000"}, "--mtbf", "50000 h"},
        {{"--mtbf", "0h"}, "--mtbf", "50000 h"},
        {{"--mtbf", "1e-300h"}, "--mtbf", "50000 h"},
        {{"--mtbf", "often"}, "--mtbf", "for example"},
        {{"--checkpoint", "asyn"}, "--checkpoint", "did you mean \"async\""},
        {{"--checkpoint-interval", "20"}, "--checkpoint-interval", "20 min"},
        {{"--checkpoint-interval", "1e18 steps"},
         "--checkpoint-interval",
         "a whole number of steps"},
        {{"--checkpoint-interval", "0 steps"}, "--checkpoint-interval", "500 steps"},
        {{"--checkpoint-interval", "9999999999999999999999 steps"},
         "--checkpoint-interval",
         "999999999"},
        {{"--price", "markt"}, "--price", "did you mean"},
        {{"--price", "$x/h"}, "--price", "$2.10/h"},
        {{"--price", "no/such.json"}, "no/such.json", ""},
        {{"--price-kind", "stolen"}, "--price-kind", "on_demand"},
        {{"--site", "typicl"}, "--site", "did you mean \"typical\""}};
    for (const Case& one : cases) {
        std::vector<std::string> flags = one.flags;
        flags.insert(flags.end(), {"--section", "cost"});
        const ProgramOutput output = explain(flags);
        EXPECT_EQ(output.code, ExitCode::BadInput) << one.flags[0] << " " << one.flags[1];
        EXPECT_EQ(output.out, "");
        EXPECT_TRUE(output.err.starts_with(std::string("error: ") + one.where)) << output.err;
        EXPECT_NE(output.err.find(one.hint), std::string::npos) << output.err;
    }
}

TEST(ExplainCost, TakesAPriceOutright) {
    const JsonValue root = documentOf({"--price", "$2.5/h"});
    const JsonValue& price = *root.find("cost")->find("price");
    EXPECT_EQ(numberOf(price, "usd_per_gpu_hour"), 2.5);
    EXPECT_EQ(price.find("profile")->text(), "given price");
    EXPECT_NE(explain({"--section", "cost", "--price", "2.5 USD/h"})
                  .out.find("$2.50/h a GPU, given price\n"),
              std::string::npos);
    EXPECT_EQ(explain({"--section", "cost", "--price", "$0/h"}).code, ExitCode::BadInput);
    // A file's price, and a profile typed over it.
    const std::string file = FABRICAST_SOURCE_DIR "/tests/cases/scenarios/llama_8b_two_nodes.json";
    const auto cost = [&file](std::vector<std::string> more) {
        more.insert(more.begin(), {"explain", file, "--section", "cost"});
        return runProgram(more, {}).out;
    };
    EXPECT_NE(cost({}).find("$2.50/h a GPU, given price"), std::string::npos) << cost({});
    EXPECT_NE(cost({"--price", "aws"}).find("$6.88/h a GPU, aws-2026-06"), std::string::npos);
}

TEST(ExplainCost, ReadsAQuoteOfOnesOwn) {
    const std::filesystem::path file = std::filesystem::path(tempFolder()) / "fabricast_quote.json";
    std::ofstream(file) << R"({"schema": "fabricast.price/1", "name": "quote", "title": "an offer",
        "date": "2026-11-20", "gpus": {"h100": {"reserved": {"value": "$2/h", "source": "datasheet",
        "from": "offer 4711"}}}})";
    const JsonValue root = documentOf({"--price", file.string(), "--price-kind", "reserved"});
    const JsonValue& price = *root.find("cost")->find("price");
    EXPECT_EQ(numberOf(price, "usd_per_gpu_hour"), 2.0);
    EXPECT_EQ(price.find("date")->text(), "2026-11-20");
}

// An answer can be asked again: what it costs is still said.
TEST(ExplainCost, AnAnswerKeepsWhatWasPaidFor) {
    const std::vector<std::string> budget = {
        "--tokens", "1B", "--price", "2.10", "--mtbf", "1000h", "--checkpoint", "sync"};
    std::vector<std::string> asked = budget;
    asked.insert(asked.end(), {"--section", "cost", "--format", "json"});
    const std::string answer = explain(asked).out;
    const std::string file = tempFolder() + "answer.json";
    std::ofstream(file) << answer;
    const ProgramOutput again = ran("explain " + file + " --section cost --format json", {});
    EXPECT_EQ(again.err, "");
    for (const char* key : {"usd_per_mtok", "usd_per_run", "goodput"}) {
        EXPECT_EQ(numberOf(*jsonOf(again.out).find("cost")->find(key), "value"),
                  numberOf(*jsonOf(answer).find("cost")->find(key), "value"))
            << key;
    }
}

}  // namespace explain_cost_test
}  // namespace fabricast
