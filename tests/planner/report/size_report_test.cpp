#include "planner/report/size_report.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace fabricast {
namespace {

// Bounds are computed as the search comes to them: a search that was stopped has none, and no
// verdict.
TEST(SizeReport, SaysNothingOfWhatWasNotSearched) {
    SizeAnswer answer{.targets = {{SizeMetric::Days, 60.0, "days=60"}}};
    answer.clusters = 20;
    answer.searched = 3;
    answer.ruledOut = 17;
    answer.hasTokens = true;
    answer.mostTokensPerSecond = std::numeric_limits<double>::infinity();
    answer.stopped = true;
    const std::string text = reportText(sizeReport(answer));
    EXPECT_NE(text.find("stopped before a cluster was found that reaches 60 days"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("no cluster"), std::string::npos) << text;
    EXPECT_EQ(text.find("-9,223"), std::string::npos) << text;
    EXPECT_EQ(text.find("17 cannot"), std::string::npos) << text;
}

// Clusters that no work was left for may reach what none that was searched does.
TEST(SizeReport, DeniesOnlyWhatWasSearched) {
    SizeAnswer answer{.targets = {{SizeMetric::Budget, 20000.0, "budget=20000"}}};
    answer.clusters = 223;
    answer.searched = 28;
    answer.hasTokens = true;
    answer.cutShort = true;
    answer.notSearched = {{"dgx-b300", 12}};
    const std::string text = reportText(sizeReport(answer));
    EXPECT_NE(text.find("no cluster that was searched reaches $20,000"), std::string::npos) << text;
    EXPECT_NE(text.find("others may"), std::string::npos) << text;
    EXPECT_EQ(text.find("of the catalogue"), std::string::npos) << text;
    EXPECT_EQ(text.find("neither"), std::string::npos) << text;
}

TEST(SizeReport, PromisesNoMoreThanWasSearchedAndIsSure) {
    SizeAnswer answer{.targets = {{SizeMetric::Days, 1.0, "days=1"}}};
    answer.pick.emplace();
    answer.pick->plans.emplace_back();
    answer.pick->plans.front().memory.verdict = Verdict::Fits;
    answer.pick->fits = true;
    answer.pick->verdicts = {CheckVerdict::Holds};
    answer.front = {*answer.pick};
    EXPECT_TRUE(sizePickText(answer).ends_with("the cheapest that reaches 1 day"))
        << sizePickText(answer);
    answer.pick->verdicts = {CheckVerdict::CannotTell};
    EXPECT_TRUE(sizePickText(answer).ends_with("the cheapest that may reach 1 day"))
        << sizePickText(answer);
    answer.targets.clear();
    answer.pick->verdicts.clear();
    answer.pick->plans.front().memory.verdict = Verdict::Likely;
    EXPECT_TRUE(sizePickText(answer).ends_with("the cheapest on which it may fit"))
        << sizePickText(answer);
}

/// In the unit of the first line, and other hardware before more of the same.
TEST(SizeReport, HasOneUnitOfTimeAndEachBoxFirst) {
    SizeAnswer answer{.targets = {}};
    answer.hasTokens = true;
    const auto add = [&answer](const char* box, std::int64_t nodes, double minutes) {
        SizedCluster one;
        one.box = box;
        one.nodes = nodes;
        one.seconds = 60.0 * minutes;
        answer.front.push_back(one);
    };
    add("dgx-h100", 1, 30.0);
    add("dgx-h100", 2, 15.0);
    add("dgx-b200", 1, 12.0);
    answer.pick = answer.front.front();
    const std::vector<SizedCluster> shown = shownOfFront(answer);
    ASSERT_EQ(shown.size(), 3U);
    EXPECT_EQ(shown[1].box, "dgx-b200");
    EXPECT_EQ(shown[2].nodes, 2);
    const Table table = sizedTable(shown, answer);
    EXPECT_EQ(table.columns[4].title, "min");
    EXPECT_EQ(table.rows[1][4], "12");
    EXPECT_NE(sizedNumbersText(*answer.pick, answer).find("30 min"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
