#include "planner/ops/rank_shape.h"

#include <gtest/gtest.h>

#include <numeric>

namespace fabricast {
namespace {

/// 1,024 tokens that each choose two of eight experts of 512 columns.
Scenario twoOfEight() {
    Scenario scenario;
    scenario.model.attention.heads = 8;
    scenario.model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 512, .sharedWidth = 256};
    scenario.workload.sequence = 1024;
    scenario.layout.microBatch = 1;
    return scenario;
}

std::int64_t sumOf(const std::vector<std::int64_t>& parts) {
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
}

struct MoeShapeCase {
    const char* name;
    std::int64_t ep = 1, etp = 1;
    double imbalance = 1.0, capacity = 0.0;
    bool pad = false;
    std::int64_t sent = 0, rows = 0;
};

class MoeShapes : public testing::TestWithParam<MoeShapeCase> {};

TEST_P(MoeShapes, CountRows) {
    const MoeShapeCase& c = GetParam();
    Scenario scenario = twoOfEight();
    scenario.layout.ep = c.ep;
    scenario.layout.etp = c.etp;
    scenario.settings.kernels.imbalance = c.imbalance;
    scenario.settings.kernels.capacityFactor = c.capacity;
    scenario.settings.kernels.padToCapacity = c.pad;
    const MoeShape shape = moeShape(scenario);
    EXPECT_EQ(shape.sent, c.sent);
    EXPECT_EQ(shape.rows, c.rows);
    EXPECT_EQ(sumOf(shape.perExpert), c.rows);
    EXPECT_EQ(shape.perExpert.size(), static_cast<std::size_t>(8 / c.ep));
    EXPECT_EQ(shape.width, 512 / c.etp);
}

INSTANTIATE_TEST_SUITE_P(
    ,
    MoeShapes,
    testing::Values(
        // 1,024 tokens x 2; every rank of ep sends a rank its share, so that rows stay
        MoeShapeCase{.name = "all_here", .sent = 2048, .rows = 2048},
        MoeShapeCase{.name = "four_ranks", .ep = 4, .sent = 2048, .rows = 2048},
        // this rank's experts are chosen half again as often
        MoeShapeCase{.name = "imbalance", .ep = 4, .imbalance = 1.5, .sent = 2048, .rows = 3072},
        // where all experts are here, there is nothing to be uneven
        MoeShapeCase{.name = "imbalance_alone", .imbalance = 1.5, .sent = 2048, .rows = 2048},
        // both ranks of expert tensor parallelism bring theirs
        MoeShapeCase{.name = "etp", .ep = 2, .etp = 2, .sent = 2048, .rows = 4096},
        // 8 experts x ceil(2048 / 8 x 0.5) = 8 x 128
        MoeShapeCase{.name = "dropped", .capacity = 0.5, .sent = 1024, .rows = 1024},
        // more room than rows: nothing is dropped
        MoeShapeCase{.name = "roomy", .capacity = 2.0, .sent = 2048, .rows = 2048},
        // two experts here take ceil(256 x 1.25) from each of four ranks, of half again as many
        MoeShapeCase{.name = "full",
                     .ep = 4,
                     .imbalance = 1.5,
                     .capacity = 1.25,
                     .sent = 2048,
                     .rows = 2560},
        // 8 x ceil(256 x 1.25) = 8 x 320, filled up whatever the routing
        MoeShapeCase{.name = "padded",
                     .ep = 4,
                     .imbalance = 1.5,
                     .capacity = 1.25,
                     .pad = true,
                     .sent = 2560,
                     .rows = 2560}),
    [](const auto& shape) { return std::string(shape.param.name); });

// Halves round to even: 10 rows over 4 ranks are 2 each, 14 are 4.
TEST(MoeShape, HalvesRoundToEven) {
    Scenario scenario = twoOfEight();
    scenario.layout.ep = 4;
    for (const auto& [tokens, rows] : {std::pair{5, 8}, std::pair{7, 16}}) {
        scenario.workload.sequence = tokens;
        EXPECT_EQ(moeShape(scenario).received, rows);
    }
}

// What does not divide is distributed: 7 tokens x 1 over three experts are 2, 2 and 3.
TEST(MoeShape, RemaindersGoToTheLastExperts) {
    Scenario scenario = twoOfEight();
    scenario.model.moe->experts = 3;
    scenario.model.moe->topK = 1;
    scenario.workload.sequence = 7;
    EXPECT_EQ(moeShape(scenario).perExpert, (std::vector<std::int64_t>{2, 2, 3}));
}

}  // namespace
}  // namespace fabricast
