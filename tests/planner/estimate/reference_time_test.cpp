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

TEST(ReferenceTime, IsThatOfItsType) {
    EXPECT_EQ(stepWithOther({.forward = false}), stepWith(Reference::None));
    EXPECT_EQ(stepWithOther({.dtype = Dtype::Fp16}), stepWith(Reference::Whole));
}

// A step without the forward of a large teacher would be a tenth of the real one.
TEST(ReferenceTime, OfAnotherModelIsNotForecast) {
    const auto refused = [](const ReferenceSettings& other) {
        Scenario run = exampleRun("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
        run.settings.reference = Reference::Whole;
        run.settings.referenceModel = other;
        const auto step = estimateStep(run, exampleTiming());
        return step ? "" : step.error().where;
    };
    EXPECT_EQ(refused({.parameters = 70'000'000'000}), "settings.reference_model.parameters");
    EXPECT_EQ(refused({.dtype = Dtype::Fp32}), "settings.reference_model.dtype");
    EXPECT_EQ(refused({.parameters = 70'000'000'000, .forward = false}), "");
}

// A sharded copy is gathered as well.
TEST(ReferenceTime, OfShardsIsNoShorter) {
    EXPECT_GE(stepWith(Reference::Sharded), stepWith(Reference::Whole));
}

}  // namespace
}  // namespace fabricast
