#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

double stepWith(Reference reference) {
    Scenario run = exampleRun("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
    run.settings.reference = reference;
    return estimated(run).step.value.count();
}

// Forward is a third of the products of a step, and the reference has one more.
TEST(ReferenceTime, IsAForwardMore) {
    const double alone = stepWith(Reference::None);
    EXPECT_GT(stepWith(Reference::Whole), 1.25 * alone);
    EXPECT_LT(stepWith(Reference::Whole), 1.4 * alone);
}

// A sharded copy is gathered as well.
TEST(ReferenceTime, OfShardsIsNoShorter) {
    EXPECT_GE(stepWith(Reference::Sharded), stepWith(Reference::Whole));
}

}  // namespace
}  // namespace fabricast
