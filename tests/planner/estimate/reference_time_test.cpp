#include "planner/estimate/reference_time.h"

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

double stepWithOther(const ReferenceSettings& other) {
    Scenario run = exampleRun("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
    run.settings.reference = Reference::Whole;
    run.settings.referenceModel = other;
    return estimated(run).step.value.count();
}

// What is not modelled is not in the step: a note says so.
TEST(ReferenceTime, IsLeftOutWhereItIsNotModelled) {
    const double alone = stepWith(Reference::None);
    EXPECT_EQ(stepWithOther({.forward = false}), alone);
    EXPECT_EQ(stepWithOther({.parameters = 70'000'000'000}), alone);
    EXPECT_EQ(stepWithOther({.dtype = Dtype::Fp32}), alone);
    EXPECT_EQ(stepWithOther({.dtype = Dtype::Fp16}), stepWith(Reference::Whole));
    Settings settings;
    settings.reference = Reference::Whole;
    settings.referenceModel.parameters = 70'000'000'000;
    EXPECT_NE(referenceTimeNote(settings).find("one of another size is not modelled"),
              std::string::npos);
}

// A sharded copy is gathered as well.
TEST(ReferenceTime, OfShardsIsNoShorter) {
    EXPECT_GE(stepWith(Reference::Sharded), stepWith(Reference::Whole));
}

}  // namespace
}  // namespace fabricast
