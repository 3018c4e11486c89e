#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

ProgramOutput advise(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"advise",
                                          "-m",
                                          "gpt2",
                                          "--gpu",
                                          "h100",
                                          "--gpus",
                                          "2",
                                          "--seq",
                                          "1024",
                                          "--global-batch",
                                          "8"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runProgram(arguments, {});
}

TEST(AdviseCommand, WalksTheDecision) {
    const ProgramOutput text = advise({"--tokens", "10B"});
    EXPECT_EQ(text.code, ExitCode::Ok) << text.err;
    expectGolden("advise_gpt2.txt", text.out);
}

TEST(AdviseCommand, SaysItInJson) {
    const ProgramOutput output = advise({"-f", "json"});
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root) << output.err;
    EXPECT_EQ(root->find("schema")->text().value(), "fabricast.advice/1");
    const JsonValue& recommended = *root->find("recommended");
    const std::string key = recommended.find("key")->text().value();
    EXPECT_NE(recommended.find("layout"), nullptr);
    EXPECT_NE(recommended.find("cost")->find("usd_per_mtok"), nullptr);
    bool yes = false;
    for (const JsonValue& step : root->find("steps")->items()) {
        EXPECT_NE(step.find("why")->text().value(), "");
        const std::string answer = step.find("answer")->text().value();
        yes = yes || (step.find("key")->text().value() == key && answer != "no");
    }
    EXPECT_TRUE(yes);
    EXPECT_GT(root->find("changes")->items().size(), 1U);
}

TEST(AdviseCommand, RefusesByFlagWithWhatToType) {
    const ProgramOutput dear = advise({"--max-usd", "100"});
    EXPECT_EQ(dear.code, ExitCode::BadInput);
    EXPECT_NE(dear.err.find("error: --max-usd: "), std::string::npos) << dear.err;
    EXPECT_NE(dear.err.find("try: --tokens 1T"), std::string::npos) << dear.err;
    EXPECT_EQ(advise({"--max-usd", "0"}).code, ExitCode::BadInput);
    EXPECT_NE(advise({"-f", "csv"}).err.find("--format"), std::string::npos);
    EXPECT_EQ(advise({"--layout", "tp=2"}).code, ExitCode::BadInput);
    EXPECT_EQ(advise({"--price", "nobody"}).code, ExitCode::BadInput);
}

TEST(AdviseCommand, WhereAllCostsTooMuchItExplainsTheCheapest) {
    const ProgramOutput output = runProgram({"advise",
                                             "-m",
                                             "llama-3.1-8b",
                                             "-c",
                                             "8x-rtx-4090",
                                             "--seq",
                                             "4096",
                                             "--tokens",
                                             "1B",
                                             "--max-usd",
                                             "50"},
                                            {});
    EXPECT_EQ(output.code, ExitCode::DoesNotFit);
    const std::size_t next = output.out.find("next: fabricast explain ");
    ASSERT_NE(next, std::string::npos) << output.out;
    EXPECT_NE(output.out.find("settings.tuning=lora", next), std::string::npos) << output.out;
}

}  // namespace
}  // namespace fabricast
