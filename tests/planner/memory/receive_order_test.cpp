#include "planner/memory/engines/torch/receives.h"
#include "tests/support/scenarios.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace fabricast {
namespace {

using namespace literals;

Scenario interleaved(std::int64_t pp, std::int64_t vpp, std::int64_t microBatches) {
    Scenario scenario = smallTitan(80_GiB);
    scenario.layout = {.dp = 1, .pp = pp, .vpp = vpp, .schedule = ScheduleKind::Interleaved};
    scenario.workload.globalBatch = microBatches;
    return scenario;
}

std::vector<PipelineOrder> ordersOf(const Scenario& scenario) {
    std::vector<PipelineOrder> orders;
    for (std::int64_t rank = 0; rank < scenario.layout.pp; ++rank) {
        orders.push_back(*pipelineOrder(scenario, rank));
    }
    return orders;
}

// Every forward but the model's first chunk's and every backward but its last one's reads something
// that was received, once and not after its turn.
TEST(ReceiveOrder, AsksForEveryInputOnceAndInTime) {
    for (const std::int64_t pp : {2, 3, 4}) {
        for (const std::int64_t vpp : {2, 3}) {
            const Scenario scenario = interleaved(pp, vpp, 3 * pp);
            const auto orders = ordersOf(scenario);
            for (std::int64_t rank = 0; rank < pp; ++rank) {
                const ReceiveOrder order = receiveOrder(scenario.layout, orders, rank);
                const auto& actions = orders[static_cast<std::size_t>(rank)].actions;
                std::set<std::tuple<bool, int, std::int64_t>> asked;
                std::size_t expected = 0;
                for (std::size_t i = 0; i < actions.size(); ++i) {
                    for (const PipelineAction& posted : order[i]) {
                        const bool fresh =
                            asked.insert({posted.forward, posted.chunk, posted.microBatch}).second;
                        EXPECT_TRUE(fresh);
                    }
                    const PipelineAction& now = actions[i];
                    const std::int64_t stage = now.chunk * pp + rank;
                    if (stage != (now.forward ? 0 : pp * vpp - 1)) {
                        ++expected;
                        EXPECT_TRUE(asked.contains({now.forward, now.chunk, now.microBatch}));
                    }
                }
                EXPECT_EQ(asked.size(), expected);
            }
        }
    }
}

// Two ranks of two chunks, two microbatches. Rank 0 runs F0 F1 of its first chunk, then of its
// second; rank 1 has sent the first microbatch back to it before the second leaves: the second
// chunk's first input is asked for one action early.
TEST(ReceiveOrder, ReceivesArePostedWhenTheSenderIsReady) {
    const Scenario scenario = interleaved(2, 2, 2);
    const ReceiveOrder order = receiveOrder(scenario.layout, ordersOf(scenario), 0);
    ASSERT_GE(order.size(), 4U);
    EXPECT_TRUE(order[0].empty());
    EXPECT_TRUE(order[1].empty());
    ASSERT_EQ(order[2].size(), 1U);
    EXPECT_EQ(order[2][0].chunk, 1);
    EXPECT_EQ(order[2][0].microBatch, 0);
    ASSERT_EQ(order[3].size(), 1U);
    EXPECT_EQ(order[3][0].microBatch, 1);
}

}  // namespace
}  // namespace fabricast
