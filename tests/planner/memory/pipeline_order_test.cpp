#include "planner/memory/program/ordered_stages.h"
#include "planner/sharding/stage_shape.h"
#include "tests/support/scenarios.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

using namespace literals;

struct FlightCase {
    const char* name;
    ScheduleKind schedule;
    std::int64_t pp, vpp, count, group;
    std::vector<std::int64_t> inFlight;  ///< chunks alive at once, by rank
};

Scenario pipelined(const FlightCase& flight) {
    Scenario scenario = smallTitan(80_GiB);
    scenario.stack = "paper";  // no framework runs all of these
    scenario.layout = {.dp = 1,
                       .pp = flight.pp,
                       .vpp = flight.vpp,
                       .schedule = flight.schedule,
                       .scheduleGroup = flight.group};
    scenario.workload.globalBatch = flight.count;
    return scenario;
}

class PipelineFlight : public testing::TestWithParam<FlightCase> {};

TEST_P(PipelineFlight, HoldsAsManyChunksAsTheSchedule) {
    const FlightCase& flight = GetParam();
    for (std::int64_t rank = 0; rank < flight.pp; ++rank) {
        const auto order = pipelineOrder(pipelined(flight), rank);
        ASSERT_TRUE(order) << order.error().text();
        EXPECT_EQ(mostInFlight(*order), flight.inFlight[static_cast<std::size_t>(rank)]) << rank;
    }
}

TEST_P(PipelineFlight, EveryForwardHasItsBackward) {
    const FlightCase& flight = GetParam();
    for (std::int64_t rank = 0; rank < flight.pp; ++rank) {
        const auto order = pipelineOrder(pipelined(flight), rank);
        ASSERT_TRUE(order);
        std::set<std::pair<int, std::int64_t>> alive;
        for (const PipelineAction& action : order->actions) {
            const std::pair pass{action.chunk, action.microBatch};
            EXPECT_EQ(action.forward ? alive.insert(pass).second : alive.erase(pass) == 1, true);
        }
        EXPECT_TRUE(alive.empty());
    }
}

// 1F1B: min(m, p-r). Interleaved: min(2(p-r-1) + (v-1)·N + 1, m·v). GPipe: m; looped BFS: m·v.
// ZB-H1: p on every rank; ZB-H2: 2p-1; ZB-V: 2p half stages; DualPipeV: 2p+1; DualPipe: p+1.
INSTANTIATE_TEST_SUITE_P(
    ,
    PipelineFlight,
    testing::Values(
        FlightCase{"gpipe", ScheduleKind::Gpipe, 4, 1, 16, 0, {16, 16, 16, 16}},
        FlightCase{"one_f_one_b", ScheduleKind::OneFOneB, 4, 1, 16, 0, {4, 3, 2, 1}},
        FlightCase{"few_microbatches", ScheduleKind::OneFOneB, 4, 1, 2, 0, {2, 2, 2, 1}},
        FlightCase{"interleaved", ScheduleKind::Interleaved, 4, 2, 8, 0, {11, 9, 7, 5}},
        FlightCase{"groups_of_8", ScheduleKind::Interleaved, 4, 4, 16, 8, {31, 29, 27, 25}},
        FlightCase{"looped_bfs", ScheduleKind::LoopedBfs, 2, 2, 12, 0, {24, 24}},
        FlightCase{"interleaved_zb", ScheduleKind::InterleavedZb, 4, 2, 8, 0, {8, 8, 8, 8}},
        FlightCase{"zb_h1", ScheduleKind::ZbH1, 4, 1, 8, 0, {4, 4, 4, 4}},
        FlightCase{"zb_h2", ScheduleKind::ZbH2, 4, 1, 16, 0, {7, 7, 7, 7}},
        FlightCase{"zb_v", ScheduleKind::ZbV, 4, 2, 16, 0, {8, 8, 8, 8}},
        FlightCase{"dualpipe_v", ScheduleKind::DualPipeV, 4, 2, 16, 0, {9, 9, 9, 9}},
        FlightCase{"dualpipe", ScheduleKind::DualPipe, 4, 1, 16, 0, {5, 5, 5, 5}}),
    [](const auto& flight) { return flight.param.name; });

// Rank 0 of a folded pipeline of four holds the first chunk and the last; DualPipe's ranks hold two
// stages each.
TEST(PipelinePlaces, FoldedSchedulesGoDownAndUp) {
    const Layout folded{.pp = 4, .vpp = 2, .schedule = ScheduleKind::ZbV};
    EXPECT_TRUE(isOnRank(folded, 0, 0));
    EXPECT_TRUE(isOnRank(folded, 7, 0));
    EXPECT_TRUE(isOnRank(folded, 4, 3));
    const Layout plain{.pp = 4, .vpp = 2, .schedule = ScheduleKind::Interleaved};
    EXPECT_TRUE(isOnRank(plain, 4, 0));
    const Layout both{.pp = 4, .schedule = ScheduleKind::DualPipe};
    EXPECT_TRUE(isOnRank(both, 0, 3));
    EXPECT_TRUE(isOnRank(both, 3, 3));
    EXPECT_FALSE(isOnRank(both, 1, 3));
}

}  // namespace
}  // namespace fabricast
