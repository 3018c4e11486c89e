#include "simulator/network/fair_share.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

std::vector<BytesPerSecond> capacitiesOf(const std::vector<double>& numbers) {
    std::vector<BytesPerSecond> capacities;
    for (const double number : numbers) {
        capacities.emplace_back(number);
    }
    return capacities;
}

TEST(FairShare, SharesOneLinkByWeight) {
    FairShare network(capacitiesOf({90.0}));
    const FlowIndex one = network.start({.uses = {{0}}, .weight = 1.0});
    EXPECT_DOUBLE_EQ(network.rate(one).count(), 90.0);
    const FlowIndex two = network.start({.uses = {{0}}, .weight = 2.0});
    EXPECT_DOUBLE_EQ(network.rate(one).count(), 30.0);
    EXPECT_DOUBLE_EQ(network.rate(two).count(), 60.0);
    network.end(two);
    EXPECT_DOUBLE_EQ(network.rate(one).count(), 90.0);
}

// Links of 10 and 6: a over both, b over the first, c over the second. The level rises to 3, where
// the second is full with a and c; b continues to 10 - 3 = 7.
TEST(FairShare, FillsWhatOthersLeave) {
    FairShare network(capacitiesOf({10.0, 6.0}));
    const FlowIndex a = network.start({.uses = {{0}, {1}}});
    const FlowIndex b = network.start({.uses = {{0}}});
    const FlowIndex c = network.start({.uses = {{1}}});
    EXPECT_DOUBLE_EQ(network.rate(a).count(), 3.0);
    EXPECT_DOUBLE_EQ(network.rate(b).count(), 7.0);
    EXPECT_DOUBLE_EQ(network.rate(c).count(), 3.0);
    EXPECT_EQ(network.bottleneck(a), 1U);
    EXPECT_EQ(network.bottleneck(b), 0U);
}

TEST(FairShare, LeavesAtItsLimitWhatAFlowCannotUse) {
    FairShare network(capacitiesOf({10.0}));
    const FlowIndex slow = network.start({.uses = {{0}}, .limit = BytesPerSecond(2.0)});
    const FlowIndex fast = network.start({.uses = {{0}}});
    EXPECT_DOUBLE_EQ(network.rate(slow).count(), 2.0);
    EXPECT_EQ(network.bottleneck(slow), FairShare::kNoResource);
    EXPECT_DOUBLE_EQ(network.rate(fast).count(), 8.0);
}

// Four copies over two links, half over each: 4 · 1/2 · r = 10.
TEST(FairShare, CountsCopiesAndParts) {
    FairShare network(capacitiesOf({10.0, 10.0}));
    const FlowIndex flow = network.start({.uses = {{0, 0.5}, {1, 0.5}}, .copies = 4.0});
    EXPECT_DOUBLE_EQ(network.rate(flow).count(), 5.0);
}

TEST(FairShare, SolvesAgainOnlyWhatShares) {
    FairShare network(capacitiesOf({10.0, 10.0, 10.0}));
    const FlowIndex far = network.start({.uses = {{2}}});
    const FlowIndex near = network.start({.uses = {{0}, {1}}});
    const FlowIndex other = network.start({.uses = {{1}}});
    EXPECT_EQ(std::vector<FlowIndex>(network.solved().begin(), network.solved().end()),
              (std::vector<FlowIndex>{near, other}));
    network.end(other);
    EXPECT_EQ(std::vector<FlowIndex>(network.solved().begin(), network.solved().end()),
              (std::vector<FlowIndex>{near}));
    EXPECT_DOUBLE_EQ(network.rate(far).count(), 10.0);
}

/// What begins and ends at one time has the rates that one after another would have.
TEST(FairShare, SolvesOnceForAllThatBeginsAndEndsTogether) {
    const std::vector<BytesPerSecond> capacities = {BytesPerSecond(10), BytesPerSecond(6)};
    FairShare each(capacities);
    FairShare once(capacities);
    std::vector<FlowIndex> flows;
    for (const double weight : {1.0, 2.0, 3.0, 4.0}) {
        FlowDemand demand{.uses = {{0, 1.0}}, .weight = weight};
        if (weight > 2.0) {
            demand.uses.push_back({1, 0.5});
        }
        flows.push_back(each.start(demand));
        EXPECT_EQ(once.add(demand), flows.back());
    }
    each.end(flows[1]);
    once.remove(flows[1]);
    EXPECT_EQ(each.start({.limit = BytesPerSecond(2)}), once.add({.limit = BytesPerSecond(2)}));
    once.settle();
    EXPECT_EQ(once.solved().size(), 4U);
    for (const FlowIndex flow : flows) {
        EXPECT_EQ(once.rate(flow), each.rate(flow));
    }
    once.settle();
    EXPECT_TRUE(once.solved().empty());
}

TEST(FairShare, StopsWhatCrossesADeadLink) {
    FairShare network(capacitiesOf({10.0, 10.0}));
    const FlowIndex dead = network.start({.uses = {{0}, {1}}});
    const FlowIndex alive = network.start({.uses = {{0}}});
    network.setCapacity(1, BytesPerSecond(0));
    EXPECT_EQ(network.rate(dead).count(), 0.0);
    EXPECT_DOUBLE_EQ(network.rate(alive).count(), 10.0);
}

/// A network with flows that come and go, made of small numbers.
struct Play {
    std::vector<double> capacities;
    struct Step {
        std::optional<FlowDemand> start;
        std::size_t end = 0;
    };
    std::vector<Step> steps;
};

Play anyPlay() {
    Play play;
    const int links = *rc::gen::inRange(1, 9);
    for (int link = 0; link < links; ++link) {
        play.capacities.push_back(*rc::gen::inRange(1, 100));
    }
    const int steps = *rc::gen::inRange(1, 30);
    for (int step = 0; step < steps; ++step) {
        if (*rc::gen::inRange(0, 3) == 0) {
            play.steps.push_back({std::nullopt, *rc::gen::inRange<std::size_t>(0, 64)});
            continue;
        }
        FlowDemand demand{.weight = *rc::gen::inRange(1, 5) * 0.5,
                          .copies = static_cast<double>(*rc::gen::inRange(1, 4))};
        std::set<ResourceIndex> crossed;
        const int hops = *rc::gen::inRange(1, 5);
        for (int hop = 0; hop < hops; ++hop) {
            crossed.insert(static_cast<ResourceIndex>(*rc::gen::inRange(0, links)));
        }
        for (const ResourceIndex link : crossed) {
            demand.uses.push_back({link, *rc::gen::inRange(1, 5) * 0.25});
        }
        if (*rc::gen::inRange(0, 4) == 0) {
            demand.limit = BytesPerSecond(*rc::gen::inRange(1, 40));
        }
        play.steps.push_back({std::move(demand), 0});
    }
    return play;
}

constexpr double kClose = 1e-9;

/// The inequality system of the header, for every flow.
void expectFair(const FairShare& network,
                const std::vector<double>& capacities,
                const std::set<FlowIndex>& flows) {
    std::vector<double> load(capacities.size(), 0.0);
    for (const FlowIndex flow : flows) {
        for (const ResourceUse use : network.demand(flow).uses) {
            load[use.resource] +=
                network.demand(flow).copies * use.share * network.rate(flow).count();
        }
    }
    for (std::size_t link = 0; link < capacities.size(); ++link) {
        RC_ASSERT(load[link] <= capacities[link] * (1.0 + kClose));
    }
    for (const FlowIndex flow : flows) {
        const FlowDemand& demand = network.demand(flow);
        const double level = network.rate(flow).count() / demand.weight;
        if (network.rate(flow).count() >= demand.limit.count() * (1.0 - kClose)) {
            continue;
        }
        const bool held = std::ranges::any_of(demand.uses, [&](ResourceUse use) {
            bool most = load[use.resource] >= capacities[use.resource] * (1.0 - kClose);
            for (const FlowIndex other : flows) {
                for (const ResourceUse its : network.demand(other).uses) {
                    const double theirs =
                        network.rate(other).count() / network.demand(other).weight;
                    most =
                        most && (its.resource != use.resource || theirs <= level * (1.0 + kClose));
                }
            }
            return most;
        });
        RC_ASSERT(held);
    }
}

/// The same shares by the textbook: raise all that are not held back until one more is.
std::vector<double> naiveRates(const std::vector<double>& capacities,
                               const std::vector<FlowDemand>& flows) {
    std::vector<double> rate(flows.size(), 0.0);
    std::vector<bool> held(flows.size(), false);
    while (std::ranges::find(held, false) != held.end()) {
        double rise = std::numeric_limits<double>::infinity();
        std::vector<double> left = capacities;
        std::vector<double> slope(capacities.size(), 0.0);
        for (std::size_t flow = 0; flow < flows.size(); ++flow) {
            for (const ResourceUse use : flows[flow].uses) {
                left[use.resource] -= flows[flow].copies * use.share * rate[flow];
                slope[use.resource] +=
                    held[flow] ? 0.0 : flows[flow].copies * use.share * flows[flow].weight;
            }
            if (!held[flow]) {
                rise =
                    std::min(rise, (flows[flow].limit.count() - rate[flow]) / flows[flow].weight);
            }
        }
        for (std::size_t link = 0; link < left.size(); ++link) {
            rise = slope[link] > 0.0 ? std::min(rise, left[link] / slope[link]) : rise;
        }
        rise = std::max(rise, 0.0);
        for (std::size_t flow = 0; flow < flows.size(); ++flow) {
            rate[flow] += held[flow] ? 0.0 : rise * flows[flow].weight;
        }
        for (std::size_t flow = 0; flow < flows.size(); ++flow) {
            const bool atLimit = rate[flow] >= flows[flow].limit.count() * (1.0 - 1e-12);
            const bool full = std::ranges::any_of(flows[flow].uses, [&](ResourceUse use) {
                return left[use.resource] - rise * slope[use.resource] <=
                       capacities[use.resource] * 1e-12;
            });
            held[flow] = held[flow] || atLimit || full;
        }
    }
    return rate;
}

TEST(FairShare, SolvesItsInequalitiesAndMatchesTheTextbook) {
    rc::check([] {
        const Play play = anyPlay();
        FairShare network(capacitiesOf(play.capacities));
        std::set<FlowIndex> flows;
        for (const Play::Step& step : play.steps) {
            if (step.start) {
                flows.insert(network.start(*step.start));
            } else if (!flows.empty()) {
                const auto ended =
                    std::next(flows.begin(), static_cast<std::ptrdiff_t>(step.end % flows.size()));
                network.end(*ended);
                flows.erase(ended);
            }
            expectFair(network, play.capacities, flows);
            std::vector<FlowDemand> demands;
            for (const FlowIndex flow : flows) {
                demands.push_back(network.demand(flow));
            }
            const std::vector<double> naive = naiveRates(play.capacities, demands);
            std::size_t at = 0;
            for (const FlowIndex flow : flows) {
                RC_ASSERT(std::abs(network.rate(flow).count() - naive[at]) <=
                          kClose * std::max(1.0, naive[at]));
                ++at;
            }
        }
    });
}

}  // namespace
}  // namespace fabricast
