#include "planner/ops/trained_weights.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace fabricast {
namespace {

/// Llama 3.1 8B under FSDP2 on eight GPUs, of which `part` is trained.
Scenario partlyTrained(const char* part) {
    Scenario run = exampleRun("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
    run.settings.train = *trainedPart(part);
    return run;
}

double stepOf(const Scenario& scenario) {
    return estimated(scenario).step.value.count();
}

// Each more of these is trained, and takes longer.
TEST(FrozenWeights, SpareTheirShareOfBackward) {
    const double last = stepOf(partlyTrained("last:4"));
    const double half = stepOf(partlyTrained("last:16"));
    const double norms = stepOf(partlyTrained("norms"));
    const double rest = stepOf(partlyTrained("no_embedding"));
    const double all = stepOf(partlyTrained("all"));
    EXPECT_LT(last, half);
    EXPECT_LT(half, rest);
    EXPECT_LT(norms, rest);
    EXPECT_LT(rest, all);
    // Forward is a third of the products, and four of 32 layers have a backward.
    EXPECT_LT(last, 0.6 * all);
    EXPECT_GT(last, 0.33 * all);
}

// Checkpointed, every layer passes its gradient on and runs again.
TEST(FrozenWeights, UnderCheckpointsTakeBackwardAllTheSame) {
    Scenario run = partlyTrained("last:4");
    const double without = stepOf(run);
    run.settings.recompute.kind = Checkpointing::Full;
    EXPECT_GT(stepOf(run), 1.5 * without);
}

TEST(FrozenWeights, AreLeftOutOfTheCount) {
    const Scenario norms = partlyTrained("norms");
    // Two norms in each of 32 layers, and the last.
    EXPECT_EQ(elementsTrained(norms), 65 * std::int64_t{4096});
    const Scenario rest = partlyTrained("no_embedding");
    EXPECT_EQ(elementsTrained(rest), 8'030'261'248 - std::int64_t{128256} * 4096);
    EXPECT_NEAR(trainedShare(rest, 6 * 8e9), 1.0, 1e-12);
    EXPECT_LT(trainedShare(partlyTrained("last:1"), 6 * 8e9), 0.4);
}

}  // namespace
}  // namespace fabricast
