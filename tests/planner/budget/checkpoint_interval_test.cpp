#include "planner/budget/goodput.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>

namespace fabricast {
namespace {

Seconds secondsOf(const CaseRow& row, const std::string& column) {
    return Seconds(std::stod(row.at(column)));
}

TEST(CheckpointInterval, IsDalys) {
    for (const CaseRow& row : readCases("budget/intervals.csv")) {
        const Seconds blocking = secondsOf(row, "blocking_s");
        const Seconds mtbf = secondsOf(row, "mtbf_s");
        EXPECT_NEAR(dalyInterval(blocking, mtbf).count(), std::stod(row.at("daly_s")), 1e-5);
    }
}

TEST(CheckpointInterval, GivesTheGoodputOfItsFormula) {
    for (const CaseRow& row : readCases("budget/cycle_goodput.csv")) {
        const CycleTimes cycle{.interval = secondsOf(row, "interval_s"),
                               .blocking = secondsOf(row, "blocking_s"),
                               .recovery = secondsOf(row, "recovery_s"),
                               .mtbf = secondsOf(row, "mtbf_s")};
        EXPECT_NEAR(cycleGoodput(cycle), std::stod(row.at("goodput")), 1e-9)
            << row.at("interval_s");
    }
}

/// The best interval by walking downhill on the expected time: golden section between bounds.
double bestInterval(double blocking, double mtbf) {
    const double golden = (std::sqrt(5.0) - 1.0) / 2.0;
    const auto share = [&](double t) {
        return cycleGoodput({Seconds(t), Seconds(blocking), Seconds(0.0), Seconds(mtbf)});
    };
    double lo = 1e-3 * blocking;
    double hi = 10.0 * std::sqrt(2.0 * blocking * mtbf);
    for (int round = 0; round < 200; ++round) {
        const double left = hi - golden * (hi - lo);
        const double right = lo + golden * (hi - lo);
        (share(left) < share(right) ? lo : hi) = share(left) < share(right) ? left : right;
    }
    return (lo + hi) / 2.0;
}

RC_GTEST_PROP(CheckpointInterval, DalysIsTheOptimumOfTheExpectedTime, ()) {
    const double mtbf = *rc::gen::inRange(600, 1'000'000);
    // Daly's series is in d / 2M: up to a tenth it is within a thousandth of the optimum.
    const double blocking = mtbf * *rc::gen::inRange(1, 100) / 1000.0;
    const double daly = dalyInterval(Seconds(blocking), Seconds(mtbf)).count();
    const double best = bestInterval(blocking, mtbf);
    RC_ASSERT(std::abs(daly / best - 1.0) < 1e-3);
    const auto share = [&](double t) {
        return cycleGoodput({Seconds(t), Seconds(blocking), Seconds(0.0), Seconds(mtbf)});
    };
    RC_ASSERT(share(daly) >= share(best) * (1.0 - 1e-6));
    const double young = std::sqrt(2.0 * blocking * mtbf);  // Young's first order
    RC_ASSERT(share(daly) >= share(young) - 1e-12);
}

RC_GTEST_PROP(CheckpointInterval, GoodputIsAShareAndFallsWithFailures, ()) {
    const auto positive = [] { return std::pow(10.0, *rc::gen::inRange(-60, 120) / 10.0); };
    const CycleTimes cycle{
        Seconds(positive()), Seconds(positive()), Seconds(positive()), Seconds(positive())};
    const double share = cycleGoodput(cycle);
    RC_ASSERT(share >= 0.0 && share <= 1.0);
    CycleTimes worse = cycle;
    worse.mtbf = Seconds(cycle.mtbf.count() / 2.0);
    RC_ASSERT(cycleGoodput(worse) <= share);
    worse = cycle;
    worse.recovery = Seconds(cycle.recovery.count() * 2.0);
    RC_ASSERT(cycleGoodput(worse) <= share);
    worse = cycle;
    worse.blocking = Seconds(cycle.blocking.count() * 2.0);
    RC_ASSERT(cycleGoodput(worse) <= share);
}

}  // namespace
}  // namespace fabricast
