#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace fabricast {
namespace second_opinion_test {

const std::string kPlan =
    "plan -m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 32 --stack megatron "
    "--stack torchtitan --fix pp=4 --top 4 -f json";

/// By rank, of the plans that have it.
std::vector<double> numbersOf(const JsonValue& plans, const std::string& key) {
    std::vector<double> numbers;
    for (const JsonValue& plan : plans.items()) {
        if (plan.find(key) != nullptr) {
            numbers.push_back(numberOf(plan, key));
        }
    }
    return numbers;
}

TEST(SecondOpinion, PutsTheBestPlansInTheOrderOfTheirSimulations) {
    const JsonValue root = jsonOf(ran(kPlan, {"--simulate", "12"}).out);
    const std::vector<double> simulated = numbersOf(*root.find("plans"), "simulated_step_s");
    const std::vector<double> forecast = numbersOf(*root.find("plans"), "step_s");
    ASSERT_EQ(simulated.size(), 4U);
    EXPECT_TRUE(std::ranges::is_sorted(simulated));
    for (std::size_t i = 0; i < simulated.size(); ++i) {
        EXPECT_NEAR(simulated[i] / forecast[i], 1.0, 0.1);
    }
}

TEST(SecondOpinion, LeavesTheOthersBehind) {
    const JsonValue root = jsonOf(ran(kPlan, {"--simulate", "2"}).out);
    EXPECT_EQ(numbersOf(*root.find("plans"), "simulated_step_s").size(), 2U);
    EXPECT_EQ(root.find("plans")->items().size(), 4U);
    EXPECT_EQ(root.find("plans")->items().front().find("simulated_step_s") == nullptr, false);
    const JsonValue alone = jsonOf(ran(kPlan).out);
    const std::vector<double> forecast = numbersOf(*alone.find("plans"), "step_s");
    EXPECT_EQ(numbersOf(*root.find("plans"), "step_s").back(), forecast.back());
}

TEST(SecondOpinion, RefusesNone) {
    const ProgramOutput output = ran(kPlan, {"--simulate", "0"});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_NE(output.err.find("--simulate"), std::string::npos) << output.err;
}

// Where nothing is shared and no stage waits, the engines agree.
TEST(SecondOpinion, BacktestsTheSimulation) {
    const std::string file = FABRICAST_SOURCE_DIR "/tests/cases/published/few_runs.csv";
    const JsonValue forecast = jsonOf(ran("backtest -f json", {file}).out);
    const JsonValue simulated =
        jsonOf(ran("backtest -f json --engine simulation", {file, "--threads", "2"}).out);
    EXPECT_EQ(textOf(forecast, "engine"), "forecast");
    EXPECT_EQ(textOf(simulated, "engine"), "simulation");
    const auto& rows = simulated.find("rows")->items();
    ASSERT_EQ(rows.size(), forecast.find("rows")->items().size());
    int compared = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double mine = numberOf(rows[i], "predicted_step_s");
        const double theirs = numberOf(forecast.find("rows")->items()[i], "predicted_step_s");
        EXPECT_EQ(mine > 0.0, theirs > 0.0);
        if (mine > 0.0) {
            EXPECT_NEAR(mine / theirs, 1.0, 0.1) << textOf(rows[i], "id");
            ++compared;
        }
    }
    EXPECT_GT(compared, 10);
}

}  // namespace second_opinion_test
}  // namespace fabricast
