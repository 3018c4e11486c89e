#include "simulator/links/group_traffic.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>

namespace fabricast {
namespace {

RankGroup ranks(std::initializer_list<std::int64_t> numbers) {
    RankGroup group;
    for (const std::int64_t number : numbers) {
        group.push_back(RankId(number));
    }
    return group;
}

/// What each rank sends, and gets.
struct Sums {
    std::map<std::int64_t, double> sent;
    std::map<std::int64_t, double> got;
};
Sums sumsOf(const std::vector<RankTraffic>& traffic) {
    Sums sums;
    for (const RankTraffic& one : traffic) {
        sums.sent[one.from] += one.share;
        sums.got[one.to] += one.share;
    }
    return sums;
}

TEST(GroupTraffic, IsARingInOneNode) {
    EXPECT_EQ(groupTraffic(ranks({0, 1, 2}), TrafficPattern::Rings, 8),
              (std::vector<RankTraffic>{{0, 1, 1.0}, {1, 2, 1.0}, {2, 0, 1.0}}));
}

// Of two members in each of two nodes there are two rings: each passes one link of a node, and
// leaves it by the NIC of one member.
TEST(GroupTraffic, LeavesANodeByEveryMember) {
    EXPECT_EQ(groupTraffic(ranks({0, 1, 8, 9}), TrafficPattern::Rings, 8),
              (std::vector<RankTraffic>{{0, 1, 0.5},
                                        {1, 0, 0.5},
                                        {0, 8, 0.5},
                                        {1, 9, 0.5},
                                        {8, 9, 0.5},
                                        {9, 8, 0.5},
                                        {8, 0, 0.5},
                                        {9, 1, 0.5}}));
}

TEST(GroupTraffic, EveryRankSendsAndGetsAllOfIt) {
    for (const RankGroup& group : {ranks({0, 1, 2, 3}),
                                   ranks({0, 8, 16, 24}),
                                   ranks({0, 4, 8, 12}),
                                   ranks({0, 1, 2, 3, 8, 9, 10, 11})}) {
        for (const TrafficPattern pattern :
             {TrafficPattern::Rings, TrafficPattern::Neighbour, TrafficPattern::ToAll}) {
            const Sums sums = sumsOf(groupTraffic(group, pattern, 8));
            ASSERT_EQ(sums.sent.size(), group.size());
            for (const RankId rank : group) {
                EXPECT_NEAR(sums.sent.at(rank.index()), 1.0, 1e-12);
                EXPECT_NEAR(sums.got.at(rank.index()), 1.0, 1e-12);
            }
        }
    }
}

// Two members at each of two sites send 1/2 of the size inside, and 1/2 of a half between: a third
// of what they send crosses.
TEST(GroupTraffic, CrossesToASiteByCounterparts) {
    const auto traffic = groupTraffic(ranks({0, 1, 16, 17}), TrafficPattern::Rings, 8, 16);
    double crosses = 0.0;
    for (const RankTraffic& one : traffic) {
        crosses += one.from < 16 && one.to >= 16 ? one.share : 0.0;
    }
    EXPECT_NEAR(crosses, 2.0 / 3.0, 1e-12);
    for (const auto& [rank, sent] : sumsOf(traffic).sent) {
        EXPECT_NEAR(sent, 1.0, 1e-12) << rank;
    }
    // At one site nothing changes.
    EXPECT_EQ(groupTraffic(ranks({0, 1, 8, 9}), TrafficPattern::Rings, 8, 16),
              groupTraffic(ranks({0, 1, 8, 9}), TrafficPattern::Rings, 8));
}

TEST(GroupTraffic, OfOneRankIsNothing) {
    EXPECT_TRUE(groupTraffic(ranks({3}), TrafficPattern::ToAll, 8).empty());
}

}  // namespace
}  // namespace fabricast
