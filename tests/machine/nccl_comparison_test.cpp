#include "machine/nccl_comparison.h"

#include "tests/support/nccl_dump.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fabricast {
namespace {

TEST(NcclComparison, TheModelIsAskedForTheSameGroup) {
    const auto estimates = parseNcclEstimates(ncclDump(), "costs.jsonl");
    ASSERT_TRUE(estimates);
    const auto comparison = compareNccl(ProfileStore::builtIn(), "dgx-h100", *estimates);
    ASSERT_TRUE(comparison) << comparison.error().text();
    ASSERT_EQ(comparison->rows.size(), 4U);
    EXPECT_EQ(comparison->skipped.size(), 4U);
    for (const ComparedEstimate& row : comparison->rows) {
        EXPECT_TRUE(std::isfinite(row.model.seconds.count()));
        EXPECT_GT(row.model.seconds.count(), 0.0);
        EXPECT_GT(row.forecast.seconds.count(), 0.0);
        EXPECT_NEAR(
            row.off(), row.model.seconds.count() / row.nccl.choice().time.count() - 1, 1e-12);
    }
    // One rank in each of two nodes has no NVLink to use, and eight in one have no network.
    EXPECT_GT(comparison->rows[3].model.seconds, comparison->rows[0].model.seconds * 1.1);
}

}  // namespace
}  // namespace fabricast
