#include "planner/backtest/backtest_runs.h"
#include "planner/backtest/error_spread.h"
#include "planner/backtest/run_groups.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

BacktestRow row(const std::string& source, double measured, double forecast) {
    BacktestRow made{.source = source, .gpu = "h100", .stack = "fsdp2", .sweep = source};
    made.layout = std::to_string(measured);
    made.counted = true;
    made.work = source;
    made.samples = 1.0;
    made.measuredStep = measured;
    made.predictedStep = forecast;
    return made;
}

TEST(ErrorSpread, IsOfSizesButForTheBias) {
    const ErrorSpread spread = spreadOf({-0.1, 0.2, -0.3, 0.4});
    EXPECT_EQ(spread.n, 4U);
    EXPECT_NEAR(spread.bias, 0.05, 1e-12);
    EXPECT_NEAR(spread.median, 0.25, 1e-12);
    EXPECT_NEAR(spread.mean, 0.25, 1e-12);
    EXPECT_NEAR(spread.p90, 0.37, 1e-12);
    EXPECT_NEAR(spread.max, 0.4, 1e-12);
}

TEST(RankCorrelation, KnowsOrderAndTies) {
    EXPECT_NEAR(rankCorrelation({1, 2, 3, 4}, {10, 20, 30, 400}), 1.0, 1e-12);
    EXPECT_NEAR(rankCorrelation({1, 2, 3, 4}, {4, 3, 2, 1}), -1.0, 1e-12);
    EXPECT_NEAR(rankCorrelation({1, 2, 2, 3}, {1, 2, 3, 4}), 0.9486832980505138, 1e-12);
    EXPECT_EQ(rankCorrelation({1, 1, 1}, {1, 2, 3}), 0.0);
}

TEST(Summary, RegretIsWhatOurPickLoses) {
    Backtest backtest;
    backtest.rows = {row("a", 10, 11), row("a", 12, 9), row("a", 20, 21), row("a", 30, 31)};
    summariseRows(backtest);
    EXPECT_EQ(backtest.all.sweeps.sweeps, 1U);
    EXPECT_NEAR(backtest.all.sweeps.regret, 0.2, 1e-12);
    EXPECT_NEAR(backtest.all.sweeps.rank, 0.8, 1e-12);
    backtest.rows.resize(2);  // two are not a sweep
    summariseRows(backtest);
    EXPECT_EQ(backtest.all.sweeps.sweeps, 0U);
}

TEST(Summary, SweepsHaveLayoutsThatDoNotCountOtherwise) {
    Backtest backtest;
    backtest.rows = {row("a", 10, 11), row("a", 12, 9), row("a", 20, 21), row("a", 30, 31)};
    for (BacktestRow& one : backtest.rows) {
        one.counted = one.measuredStep == 10;
        one.ranked = one.measuredStep != 30;
    }
    summariseRows(backtest);
    EXPECT_EQ(backtest.all.step.n, 1U);
    EXPECT_EQ(backtest.all.sweeps.sweeps, 0U);  // three layouts
    backtest.rows.back().ranked = true;
    summariseRows(backtest);
    EXPECT_EQ(backtest.all.step.n, 1U);
    ASSERT_EQ(backtest.groups.size(), 1U);
    EXPECT_EQ(backtest.groups[0].sweeps.sweeps, 1U);
    EXPECT_NEAR(backtest.all.sweeps.regret, 0.2, 1e-12);
}

/// Errors of a comparison: of a, ln(1.1) in one pair of three; of b, none, and those of another
/// split are apart. Without another source of a kind no order counts as clear.
TEST(Summary, PairsTellTheErrorOfAComparison) {
    Backtest backtest;
    backtest.rows = {
        row("a", 10, 10), row("a", 20, 22), row("a", 40, 44), row("b", 10, 10), row("b", 12, 12)};
    backtest.rows[4].split = "other";
    summariseRows(backtest);
    const PairScore& pairs = backtest.all.pairs;
    EXPECT_EQ(pairs.sameSplit.pairs, 3U);
    EXPECT_EQ(pairs.sameSplit.sources, 1U);
    EXPECT_EQ(pairs.sameSplit.right, 3U);
    EXPECT_NEAR(pairs.sameSplit.error, 0.1, 1e-12);
    EXPECT_EQ(pairs.otherSplit.pairs, 1U);
    EXPECT_EQ(pairs.otherSplit.right, 1U);
    EXPECT_EQ(pairs.otherSplit.clear, 0U);
}

/// Eight layouts make 28 pairs, nine 36: 20 of them are off by ln(1.1).
TEST(Summary, ProfilesKeepTheErrorOfKindsWithThirtyPairs) {
    Backtest backtest;
    for (int layout = 0; layout < 8; ++layout) {
        backtest.rows.push_back(row("a", 10 + layout, (10 + layout) * (layout % 2 ? 1.1 : 1.0)));
    }
    summariseRows(backtest);
    ComparisonError error = comparisonErrorOf(backtest.all.pairs);
    EXPECT_EQ(error.sameSplit.pairs, 0);
    EXPECT_EQ(error.sameSplit.error, kErrorOfAnyPair);
    backtest.rows.push_back(row("a", 30, 30));
    summariseRows(backtest);
    error = comparisonErrorOf(backtest.all.pairs);
    EXPECT_EQ(error.sameSplit.pairs, 36);
    EXPECT_EQ(error.sameSplit.sources, 1);
    EXPECT_NEAR(error.sameSplit.error, 0.1, 1e-12);
    EXPECT_EQ(error.otherSplit.pairs, 0);
}

TEST(Summary, CountsWhatLiesInside) {
    Backtest backtest;
    backtest.rows = {row("a", 10, 10), row("b", 12, 10)};
    for (BacktestRow& one : backtest.rows) {
        one.lo = 9;
        one.hi = 11;
    }
    summariseRows(backtest);
    EXPECT_EQ(backtest.all.coverage.n, 2U);
    EXPECT_EQ(backtest.all.coverage.inside, 1U);
    EXPECT_NEAR(backtest.all.coverage.halfWidth, 0.1, 1e-12);
    ASSERT_EQ(backtest.groups.size(), 2U);
    EXPECT_EQ(backtest.groups[0].coverage.inside, 1U);
}

TEST(ConstantRate, IsOfOtherSourcesAndOfTheSameStackFirst) {
    std::vector<BacktestRow> rows = {row("a", 10, 1), row("b", 5, 1), row("c", 2, 1)};
    for (BacktestRow& one : rows) {
        one.modelFlops = 100;
    }
    rows[2].stack = "megatron-core";
    addConstantRate(rows);
    EXPECT_NEAR(*rows[0].constantRateStep, 5, 1e-12);
    EXPECT_NEAR(*rows[1].constantRateStep, 10, 1e-12);
    EXPECT_NEAR(*rows[2].constantRateStep, 100 / 15.0, 1e-12);  // no other source: the GPU's median
}

}  // namespace
}  // namespace fabricast
