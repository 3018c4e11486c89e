#include "planner/backtest/fit_likeness.h"

#include "planner/evidence/likeness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace fabricast {
namespace {

RunTraits traitsWith(double microBatch, const std::string& settings = "torch-eager") {
    RunTraits traits{.settings = settings};
    traits.counts.fill(1.0);
    traits.counts[4] = microBatch;
    traits.shares[0] = 1.0;
    return traits;
}

TEST(Likeness, IsOneOfEqualRunsAndFallsWithDistance) {
    EXPECT_DOUBLE_EQ(likeness(traitsWith(1), traitsWith(1)), 1.0);
    EXPECT_NEAR(likeness(traitsWith(1), traitsWith(8)), std::exp(-0.5), 1e-12);  // three octaves
    EXPECT_NEAR(likeness(traitsWith(8), traitsWith(1)), std::exp(-0.5), 1e-12);
    EXPECT_NEAR(likeness(traitsWith(1), traitsWith(1, "megatron")), std::exp(-0.5), 1e-12);
    RunTraits other = traitsWith(1);
    other.shares = {0.7, 0.3};
    EXPECT_NEAR(likeness(traitsWith(1), other), std::exp(-4.0), 1e-12);
}

TEST(Likeness, StretchesNothingFarFromEveryRun) {
    const OwnLikeness own = ownLikeness({{.traits = traitsWith(1), .weight = 0.1}});
    EXPECT_NEAR(stretchOf(own, traitsWith(1)), std::exp(0.1), 1e-12);
    EXPECT_NEAR(stretchOf(own, traitsWith(1e12)), 1.0, 1e-9);
    EXPECT_DOUBLE_EQ(leastStretch(own), 1.0);
    EXPECT_DOUBLE_EQ(stretchOf({}, traitsWith(1)), 1.0);
}

// Between two runs that are weighed against each other the sum is beyond what either says.
TEST(Likeness, StaysWithinWhatTheRunsSay) {
    const OwnLikeness own = ownLikeness(
        {{.traits = traitsWith(1), .weight = 0.3}, {.traits = traitsWith(2), .weight = -0.1}});
    for (const double microBatch : {0.01, 0.1, 0.5, 1.0, 1.5, 4.0, 64.0}) {
        EXPECT_LE(stretchOf(own, traitsWith(microBatch)), std::exp(own.most) + 1e-12);
        EXPECT_GE(stretchOf(own, traitsWith(microBatch)), leastStretch(own) - 1e-12);
    }
}

std::vector<RunSlopes> runsWith(const std::vector<PublishedRun>& rows) {
    std::vector<RunSlopes> runs;
    for (const PublishedRun& row : rows) {
        runs.push_back({.run = &row, .traits = traitsWith(static_cast<double>(*row.microBatch))});
    }
    return runs;
}

// The formula for a group that is left out is as good as working it out without the group.
TEST(RunLikeness, LeavesGroupsOut) {
    std::vector<PublishedRun> rows(5);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].microBatch = std::int64_t{1} << i;
    }
    const std::vector<RunSlopes> runs = runsWith(rows);
    const std::vector<double> misses = {0.02, 0.025, 0.03, 0.01, 0.015};
    const LeftOutGroups groups{.of = {0, 0, 1, 1, 2}, .count = 3};
    const std::vector<double> left = RunLikeness(runs, misses).leftOut(misses, groups);
    for (std::size_t group = 0; group < groups.count; ++group) {
        std::vector<RunSlopes> others;
        std::vector<double> known;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (groups.of[i] != group) {
                others.push_back(runs[i]);
                known.push_back(misses[i]);
            }
        }
        const std::vector<LikeRun> own = RunLikeness(others, known).likeRuns();
        const auto said = [&own](const RunTraits& traits) {
            double sum = 0.0;
            for (const LikeRun& run : own) {
                sum += run.weight * likeness(run.traits, traits);
            }
            return sum;
        };
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (groups.of[i] == group) {
                EXPECT_NEAR(left[i], misses[i] - said(runs[i].traits), 1e-9);
            }
        }
    }
}

// One run in ten that took twice as long says little of the others.
TEST(RunLikeness, WeighsOddRunsLess) {
    std::vector<PublishedRun> rows(10);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].microBatch = static_cast<std::int64_t>(i + 1);
    }
    const std::vector<RunSlopes> runs = runsWith(rows);
    std::vector<double> misses(rows.size(), 0.05);
    misses[3] = 0.7;
    const auto own = chooseLikeness(runs, misses);
    ASSERT_TRUE(own);
    EXPECT_NEAR(std::log(stretchOf(*own, traitsWith(8))), 0.05, 0.02);
}

TEST(RunLikeness, SaysNothingOfMissesThatStepsOfOneJobHave) {
    std::vector<PublishedRun> rows(10);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].microBatch = static_cast<std::int64_t>(i + 1);
    }
    EXPECT_FALSE(chooseLikeness(runsWith(rows), std::vector<double>(rows.size(), 0.004)));
    EXPECT_FALSE(chooseLikeness(runsWith(rows), std::vector<double>(rows.size(), 0.6)));
}

}  // namespace
}  // namespace fabricast
