#include "study/changes.h"

#include <gtest/gtest.h>

#include <vector>

namespace fabricast {
namespace {

TEST(ChangeTitles, ASideEffectOfSeveralChangesIsSaidOnce) {
    const Change tensor{.kind = "axes", .sideEffect = "collectives inside every layer"};
    const Change stack{.kind = "stack", .sideEffect = "different training software"};
    const std::vector<Change> both = {tensor, stack, tensor};
    EXPECT_EQ(sideEffectsOf(both), "collectives inside every layer; different training software");
}

TEST(ChangeTitles, WhatIsMultipliedTwiceIsSaidAsItsProduct) {
    const Change nodes{.kind = "nodes", .sideEffect = " times the hardware", .times = 2};
    EXPECT_EQ(sideEffectsOf(std::vector<Change>{nodes, nodes}), "4 times the hardware");
}

}  // namespace
}  // namespace fabricast
