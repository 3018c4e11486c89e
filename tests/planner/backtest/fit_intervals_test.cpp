#include "planner/backtest/backtest_runs.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

/// Sources of 20 runs each, evenly from 10 % too fast to 10 % too slow.
std::vector<BacktestRow> evenRows(int sources, const std::string& evidence) {
    std::vector<BacktestRow> rows;
    for (int source = 0; source < sources; ++source) {
        for (int run = 0; run < 20; ++run) {
            BacktestRow row{.source = "s" + std::to_string(source)};
            row.counted = true;
            row.evidence = evidence;
            row.predictedStep = 10.0;
            row.measuredStep = 9.0 + 2.0 * run / 19.0;
            rows.push_back(row);
        }
    }
    return rows;
}

TEST(FitIntervals, HoldsFourOfFiveRunsOfOtherSources) {
    std::vector<BacktestRow> rows = evenRows(5, "all/te/dense");
    const StepIntervals intervals = fitIntervals(rows);
    ASSERT_EQ(intervals.classes.size(), 3U);
    const StepInterval& all = intervals.classes.at("all");
    EXPECT_EQ(all.runs, 100);
    EXPECT_EQ(all.sources, 5);
    // A tenth of the runs, all of them of the two least ratios, lie at or below 0.9 + 2/190.
    EXPECT_NEAR(all.below, 0.9105, 1e-4);
    EXPECT_NEAR(all.above, 1.0895, 1e-4);
    int inside = 0;
    for (const BacktestRow& row : rows) {
        inside += *row.measuredStep >= *row.looseLo && *row.measuredStep <= *row.looseHi ? 1 : 0;
    }
    EXPECT_GE(inside, 80);
}

TEST(FitIntervals, ASmallClassCountsWithTheOneAboveIt) {
    std::vector<BacktestRow> rows = evenRows(3, "all/te/dense");
    for (const BacktestRow& row : evenRows(1, "all/te/sparse")) {
        rows.push_back(row);
    }
    const StepIntervals intervals = fitIntervals(rows);
    EXPECT_EQ(intervals.classes.count("all/te/sparse"), 0U);
    EXPECT_EQ(intervals.of("all/te/sparse"), intervals.of("all/te"));
}

TEST(FitIntervals, LeavesTheSourceOutThatItSpeaksOf) {
    std::vector<BacktestRow> rows = evenRows(4, "all/te/dense");
    for (BacktestRow& row : rows) {
        if (row.source == "s0") {
            row.measuredStep = 30.0;
        }
    }
    (void)fitIntervals(rows);
    EXPECT_LT(*rows.front().looseHi, 12.0);  // the other three have no such runs
}

TEST(FitIntervals, SayNothingWithoutRuns) {
    std::vector<BacktestRow> rows;
    EXPECT_TRUE(fitIntervals(rows).classes.empty());
}

}  // namespace
}  // namespace fabricast
