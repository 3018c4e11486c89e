#include "planner/spec/stage_split.h"

#include <gtest/gtest.h>

#include <numeric>

namespace fabricast {
namespace {

struct SplitCase {
    const char* name;
    std::int64_t layers;
    StageSplit split;
    std::vector<std::int64_t> expected;
};

constexpr PipelineSettings kEndsCount{.embeddingWeight = 1, .headWeight = 1};

TEST(StageSplit, LayersOfEachStage) {
    const SplitCase cases[] = {
        {"one stage has everything", 32, {}, {32}},
        {"even", 32, {.stages = 4}, {8, 8, 8, 8}},
        // (126 + 1 + 1) / 8 = 16, one of which is the embedding or the head
        {"405B over 8", 126, {8, 1, kEndsCount}, {15, 16, 16, 16, 16, 16, 16, 15}},
        {"405B over 8 by first and last",
         126,
         {8, 1, {.firstStageLayers = 15, .lastStageLayers = 15}},
         {15, 16, 16, 16, 16, 16, 16, 15}},
        // torchtitan, recorded: 70B over 8 ranks of 2; 82 = 16 · 5 + 2
        {"70B over 16 chunks",
         80,
         {8, 2, kEndsCount},
         {5, 6, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 4}},
        {"405B over 16 chunks",
         126,
         {8, 2, kEndsCount},
         {7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7}},
        // rank 0 has 4 layers in 2 chunks, the others 6
        {"given first with chunks", 16, {3, 2, {.firstStageLayers = 4}}, {2, 3, 3, 2, 3, 3}},
    };
    for (const SplitCase& test : cases) {
        const auto sizes = splitLayers(test.layers, test.split);
        ASSERT_TRUE(sizes.has_value()) << test.name << sizes.error().text();
        EXPECT_EQ(*sizes, test.expected) << test.name;
        EXPECT_EQ(std::accumulate(sizes->begin(), sizes->end(), std::int64_t{0}), test.layers);
    }
}

TEST(StageSplit, RefusesWhatLeavesAStageWithoutAShare) {
    EXPECT_FALSE(splitLayers(4, {.stages = 8}).has_value());
    EXPECT_FALSE(splitLayers(16, {4, 1, {.firstStageLayers = 3}}).has_value());
    EXPECT_FALSE(splitLayers(16, {3, 2, {.firstStageLayers = 6}}).has_value());
    // Nothing is left for the stages between.
    EXPECT_FALSE(splitLayers(16, {4, 1, {.firstStageLayers = 16}}).has_value());
    EXPECT_FALSE(splitLayers(16, {2, 1, {.lastStageLayers = 16}}).has_value());
    EXPECT_FALSE(
        splitLayers(16, {2, 1, {.firstStageLayers = 4, .lastStageLayers = 4}}).has_value());
    EXPECT_FALSE(splitLayers(1LL << 60, {1LL << 40, 1LL << 40, {}}).has_value());
    EXPECT_FALSE(splitLayers(-1, {}).has_value());
}

TEST(StageSplit, SaysWhetherThereIsARemainder) {
    EXPECT_FALSE(splitsEvenly(126, {.stages = 8}));
    EXPECT_TRUE(splitsEvenly(126, {8, 1, kEndsCount}));
    EXPECT_TRUE(splitsEvenly(32, {.stages = 4, .chunks = 2}));
}

}  // namespace
}  // namespace fabricast
