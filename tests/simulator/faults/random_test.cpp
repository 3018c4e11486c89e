#include "simulator/faults/jitter_draw.h"
#include "simulator/faults/random_draws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace fabricast {
namespace {

TEST(NormalQuantile, IsThatOfTheTables) {
    // mpmath, sqrt(2) erfinv(2p - 1) with 40 digits.
    for (const auto& [p, z] : {std::pair{0.5, 0.0},
                               {0.75, 0.67448975019608174320},
                               {0.9, 1.28155156554460046696},
                               {0.975, 1.95996398454005423552},
                               {0.999, 3.09023230616781354152},
                               {1e-3, -3.09023230616781354152},
                               {1e-9, -5.99780701500768687156},
                               {1e-20, -9.26234008979840757372},
                               {1e-100, -21.27345356096532429512}}) {
        EXPECT_NEAR(normalQuantile(p), z, 2e-14 * std::max(1.0, std::abs(z))) << p;
    }
}

TEST(NormalQuantile, InvertsTheDistribution) {
    for (double z = -8.0; z <= 5.0; z += 0.01) {
        const double below = 0.5 * std::erfc(-z / std::sqrt(2.0));
        EXPECT_NEAR(normalQuantile(below), z, 1e-9 * std::max(1.0, std::abs(z))) << z;
    }
}

/// The mean of what is drawn over evenly spread u.
double meanLargest(double count) {
    constexpr int kPoints = 200'000;
    double sum = 0.0;
    for (int i = 0; i < kPoints; ++i) {
        sum += largestOfNormals(count, (i + 0.5) / kPoints);
    }
    return sum / kPoints;
}

TEST(LargestOfNormals, HasThePublishedMeans) {
    // The integral of n z phi(z) Phi(z)^(n-1); 1.42360 for 8 in Harter, Biometrika 48, 1961.
    EXPECT_NEAR(meanLargest(1), 0.0, 1e-9);
    EXPECT_NEAR(meanLargest(2), 0.5641895835, 1e-4);
    EXPECT_NEAR(meanLargest(8), 1.4236003060, 1e-4);
    EXPECT_NEAR(meanLargest(64), 2.343733, 1e-4);
    EXPECT_NEAR(meanLargest(1024), 3.248240, 1e-4);
    EXPECT_NEAR(meanLargest(16384), 3.971351, 1e-4);
}

TEST(LargestOfNormals, IsTheLargestOfSoMany) {
    RandomStream random(3, 0, RandomUse::Jitter);
    constexpr int kDraws = 20'000;
    double sum = 0.0;
    for (int i = 0; i < kDraws; ++i) {
        double largest = -10.0;
        for (int rank = 0; rank < 16; ++rank) {
            largest = std::max(largest, normalQuantile(random.uniform()));
        }
        sum += largest;
    }
    EXPECT_NEAR(sum / kDraws, meanLargest(16), 5.0 * 0.6 / std::sqrt(kDraws));
}

// The table that steps are drawn from.
TEST(JitterDraw, IsTheLargestOfItsGroups) {
    for (const double ranks : {1.0, 2.0, 64.0, 16384.0}) {
        const JitterDraw one({{.ranks = ranks, .spread = Seconds(3.0)}});
        const JitterDraw two({{.ranks = 0.25 * ranks, .spread = Seconds(3.0)},
                              {.ranks = 0.75 * ranks, .spread = Seconds(3.0)},
                              {.ranks = ranks, .spread = Seconds(0.01)}});
        for (double u = 1e-12; u < 1.0; u = u < 0.01 ? 1.7 * u : u + 0.003) {
            EXPECT_NEAR(one.seconds(u), 3.0 * largestOfNormals(ranks, u), 3e-4)
                << ranks << " " << u;
            if (one.seconds(u) > 0.2) {  // where the third group is never the largest
                EXPECT_NEAR(two.seconds(u), one.seconds(u), 1e-9) << ranks << " " << u;
            }
        }
    }
}

TEST(JitterDraw, DrawsTheLargerOfUnlikeGroups) {
    const JitterDraw both(
        {{.ranks = 8.0, .spread = Seconds(1.0)}, {.ranks = 512.0, .spread = Seconds(0.6)}});
    RandomStream random(4, 0, RandomUse::Jitter);
    constexpr int kDraws = 50'000;
    double drawn = 0.0;
    double apart = 0.0;
    for (int i = 0; i < kDraws; ++i) {
        drawn += both.seconds(random.uniform());
        apart += std::max(largestOfNormals(8.0, random.uniform()),
                          0.6 * largestOfNormals(512.0, random.uniform()));
    }
    EXPECT_NEAR(drawn / kDraws, apart / kDraws, 5.0 * 0.4 * std::sqrt(2.0 / kDraws));
}

TEST(RandomStream, GivesTheSameNumbersForever) {
    RandomStream random(1, 0, RandomUse::Failures);
    const std::uint64_t first = random.next();
    EXPECT_EQ(RandomStream(1, 0, RandomUse::Failures).next(), first);
    std::set<std::uint64_t> firsts;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        for (std::uint64_t run = 0; run < 20; ++run) {
            firsts.insert(RandomStream(seed, run, RandomUse::Failures).next());
            firsts.insert(RandomStream(seed, run, RandomUse::Jitter).next());
        }
    }
    EXPECT_EQ(firsts.size(), 800U);
}

TEST(RandomStream, IsUniformAndExponential) {
    RandomStream random(5, 1, RandomUse::Failures);
    constexpr int kDraws = 200'000;
    double sum = 0.0;
    double squares = 0.0;
    double gaps = 0.0;
    int late = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double u = random.uniform();
        ASSERT_TRUE(u > 0.0 && u < 1.0);
        sum += u;
        squares += u * u;
        const double gap = random.exponential(7.0);
        gaps += gap;
        late += gap > 14.0 ? 1 : 0;
    }
    EXPECT_NEAR(sum / kDraws, 0.5, 5.0 * 0.289 / std::sqrt(kDraws));
    EXPECT_NEAR(squares / kDraws, 1.0 / 3.0, 5.0 * 0.3 / std::sqrt(kDraws));
    EXPECT_NEAR(gaps / kDraws, 7.0, 5.0 * 7.0 / std::sqrt(kDraws));
    EXPECT_NEAR(static_cast<double>(late) / kDraws, std::exp(-2.0), 0.005);
    EXPECT_TRUE(std::isinf(random.exponential(HUGE_VAL)));
}

}  // namespace
}  // namespace fabricast
