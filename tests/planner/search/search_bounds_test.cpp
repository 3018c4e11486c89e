#include "planner/estimate/step_bounds.h"
#include "planner/memory/stage_memory.h"
#include "planner/result/plan_report.h"
#include "planner/search/block_costs.h"
#include "planner/search/lower_bounds.h"
#include "planner/search/memory_bound.h"
#include "planner/search/time_bound.h"
#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

namespace fabricast {
namespace {

using namespace literals;

struct BoundCase {
    SmallWorld world;
    std::string stack;
    RecomputeSettings held{};  ///< none: open
};

SearchTask boundTask(const BoundCase& given) {
    SearchTask task = taskOf(given.world, {given.stack});
    if (given.held.kind != Checkpointing::None) {
        hold(task, given.held);
    }
    return task;
}

class SearchBounds : public testing::TestWithParam<BoundCase> {
protected:
    /// Some candidates of a world, the same in every run.
    std::vector<Candidate> some(std::size_t count) const {
        std::mt19937 random(7);
        std::vector<Candidate> chosen;
        for (std::size_t i = 0; i < count && !all_.empty(); ++i) {
            chosen.push_back(all_[random() % all_.size()]);
        }
        return chosen;
    }

    SearchTask task_ = boundTask(GetParam());
    SearchSpace space_ = enumerateLayouts(task_).value();
    std::vector<Candidate> all_ = allOf(space_);
    CandidateScenarios scenarios_{task_, space_};
    StepEstimator estimator_ = StepEstimator::make(task_.base.cluster, exampleTiming()).value();
    std::vector<BorrowedWork> known_ = borrowed(task_, space_, nullptr);
    BlockCosts blocks_{task_, space_, estimator_, known_};
};

TEST_P(SearchBounds, MemoryIsNeverBelowThem) {
    MemoryBound bound(task_, space_);
    std::size_t seen = 0;
    for (const Candidate& candidate : some(60)) {
        const auto scenario = scenarios_.allowed(candidate);
        if (!scenario) {
            continue;
        }
        const auto memory = memoryOfAllStages(**scenario);
        const auto& cost = blocks_.of(candidate, **scenario);
        if (!memory || !cost) {
            continue;
        }
        const std::uint32_t stack = space_.families[candidate.family].stack;
        const Settings* usual = scenarios_.usual(stack, (*scenario)->layout).value();
        const auto order = bound.fromOrder(candidate, **scenario, *cost);
        const auto& kept = blocks_.leastKept(candidate, **scenario);
        ASSERT_TRUE(kept.has_value());
        const std::string what = layoutText((*scenario)->layout);
        EXPECT_LE(bound.fromCounts(candidate, *usual), memory->peak.lo.count()) << what;
        EXPECT_LE(bound.fromKept(candidate, *usual, *kept), memory->peak.lo.count()) << what;
        ASSERT_TRUE(order.has_value());
        EXPECT_LE(bound.fromFlight(candidate, *usual, *kept), *order) << what;
        EXPECT_LE(*order, memory->peak.lo.count()) << what;
        // Nor is one left out that needs just as much as is left.
        const Bytes room = tensorRoom(**scenario, Bytes(std::int64_t{1} << 50), memory->peak.value);
        EXPECT_LE(*order,
                  room.count() + bound.leastRuntime((*scenario)->layout, (*scenario)->settings))
            << what;
        ++seen;
    }
    EXPECT_GT(seen, 5U);
}

// What layers keep decides: of the layouts that have no room in their order, many have none by what
// they have in flight.
TEST_P(SearchBounds, FlightsAreNearlyAsFullAsOrders) {
    MemoryBound bound(task_, space_);
    double closest = 0.0;
    for (const Candidate& candidate : some(60)) {
        const auto scenario = scenarios_.allowed(candidate);
        if (!scenario || !blocks_.of(candidate, **scenario)) {
            continue;
        }
        const auto order =
            bound.fromOrder(candidate, **scenario, *blocks_.of(candidate, **scenario));
        const auto& kept = blocks_.leastKept(candidate, **scenario);
        const std::int64_t flight = bound.fromFlight(candidate, (*scenario)->settings, *kept);
        closest = std::max(closest, static_cast<double>(flight) / static_cast<double>(*order));
    }
    EXPECT_GT(closest, 0.6);
}

// Blocks are made of ends and layers that many share; layers that recompute everything or nothing,
// of those that recompute a part.
TEST_P(SearchBounds, BlocksThatAreTurnedAreThoseWorkedOut) {
    for (const Candidate& candidate : some(100)) {
        const auto scenario = scenarios_.allowed(candidate);
        if (!scenario) {
            continue;
        }
        const auto ops = layerOps(**scenario);
        const auto own = ops ? estimator_.blocks(**scenario, *ops) : tl::unexpected(ops.error());
        const auto& time = blocks_.timeOf(candidate, **scenario);
        ASSERT_EQ(time.has_value(), own.has_value());
        const auto expectSame = [](const SegmentTime& a, const SegmentTime& b) {
            for (const auto pass : {&SegmentTime::forward,
                                    &SegmentTime::recompute,
                                    &SegmentTime::input,
                                    &SegmentTime::weight}) {
                EXPECT_EQ((a.*pass).device.total(), (b.*pass).device.total());
                EXPECT_EQ((a.*pass).launches, (b.*pass).launches);
                EXPECT_EQ((a.*pass).experts, (b.*pass).experts);
            }
            EXPECT_EQ(a.trained, b.trained);
            EXPECT_EQ(a.packed, b.packed);
        };
        for (const auto segment : {&ModelTime::embedding,
                                   &ModelTime::dense,
                                   &ModelTime::sparse,
                                   &ModelTime::norm,
                                   &ModelTime::head}) {
            if (own) {
                SCOPED_TRACE(layoutText((*scenario)->layout));
                expectSame((*time).*segment, (*own).*segment);
            }
        }
    }
}

// What is kept by layers that recompute a part comes with what others keep.
TEST_P(SearchBounds, LayersKeepWhatTheyKeepWorkedOutAlone) {
    for (const Candidate& candidate : some(100)) {
        const auto scenario = scenarios_.allowed(candidate);
        if (!scenario) {
            continue;
        }
        SearchSpace single = space_;
        single.recomputes[space_.families[candidate.family].stack] = {
            (*scenario)->settings.recompute};
        Candidate only = candidate;
        only.recompute = 0;
        std::vector<BorrowedWork> nothing = borrowed(task_, single, nullptr);
        BlockCosts alone(task_, single, estimator_, nothing);
        const auto& own = alone.leastKept(only, **scenario);
        const auto& kept = blocks_.leastKept(candidate, **scenario);
        ASSERT_EQ(kept.has_value(), own.has_value());
        if (own) {
            SCOPED_TRACE(layoutText((*scenario)->layout));
            EXPECT_EQ(kept->dense, own->dense);
            EXPECT_EQ(kept->sparse, own->sparse);
        }
    }
}

TEST_P(SearchBounds, EqualSettingsAreOneObject) {
    std::vector<const Settings*> different;
    for (const Candidate& candidate : some(100)) {
        const std::uint32_t stack = space_.families[candidate.family].stack;
        const Layout layout = space_.layoutOf(candidate);
        const Settings* usual = scenarios_.usual(stack, layout).value();
        EXPECT_TRUE(*usual == task_.stacks[stack].settingsFor(layout).value());
        const auto same = std::ranges::find_if(
            different, [usual](const Settings* one) { return *one == *usual; });
        if (same == different.end()) {
            different.push_back(usual);
        } else {
            EXPECT_EQ(*same, usual) << layoutText(layout);
        }
    }
}

TEST_P(SearchBounds, TimeIsNeverBelowThem) {
    TimeBound bound(task_, space_, estimator_.host());
    std::size_t seen = 0;
    for (const Candidate& candidate : some(300)) {
        const auto scenario = scenarios_.allowed(candidate);
        const auto step =
            scenario ? estimateStep(**scenario, exampleTiming()) : tl::unexpected(scenario.error());
        if (!step) {
            continue;
        }
        const auto& time = blocks_.timeOf(candidate, **scenario);
        ASSERT_TRUE(time.has_value());
        const Settings& settings = (*scenario)->settings;
        const bool all = settings.recompute.kind == Checkpointing::Full;
        const double perFlop = leastPerFlop(settings, estimator_.limits());
        const double seconds = step->step.value.count() * (1 + 1e-12);
        Candidate largest = candidate;
        largest.size = static_cast<std::uint16_t>(space_.sizesOf(candidate.family).size() - 1);
        const Layout layout = (*scenario)->layout;
        const auto waits = estimator_.leastWaits(*scenarios_.of(largest).value());
        const auto& least = blocks_.leastPerSample(largest, *scenarios_.of(largest).value());
        ASSERT_TRUE(waits.has_value() && least.has_value());
        ASSERT_TRUE(scenarios_.of(candidate).has_value());
        const auto ordered = bound.fromOrder(candidate, **scenario, *time, *waits);
        const auto* layers = bound.layersOf(candidate, **scenario).value();
        PassFloors& known = blocks_.floorsOf(candidate, **scenario);
        const auto floor = estimator_.floor(**scenario, *time, *layers, known);
        ASSERT_TRUE(floor.has_value());
        const auto close = bound.fromFloor(candidate, **scenario, *floor);
        const std::string what = layoutText((*scenario)->layout);
        const double after = bound.hostStep(**scenario);
        EXPECT_EQ(layout.tp * layout.cp > 1 || layout.ep > 1,
                  waits->dense.forward + waits->sparse.forward > 0.0)
            << what;
        EXPECT_LE(bound.fromFlops(settings, all, perFlop) + after, seconds) << what;
        EXPECT_LE(bound.fromFlops(settings, all, perFlop) + bound.fromWaits(layout, *waits),
                  seconds)
            << what;
        EXPECT_LE(bound.fromSamples(layout, *least) + bound.fromWaits(layout, *waits), seconds)
            << what;
        EXPECT_LE(bound.fromBlocks(layout, *time) + bound.fromWaits(layout, *waits), seconds)
            << what;
        if (blocks_.shares(candidate, **scenario)) {
            const auto passes =
                estimator_.modelFloor(**scenario, *time, blocks_.floorsOf(candidate, **scenario));
            ASSERT_TRUE(passes.has_value());
            EXPECT_LE(bound.fromPasses(layout, *passes), seconds) << what;
        }
        ASSERT_TRUE(ordered.has_value() && close.has_value());
        EXPECT_LE(*ordered, seconds) << what;
        EXPECT_LE(*close, seconds) << what;
        ++seen;
    }
    EXPECT_GT(seen, 3U);
}

TEST_P(SearchBounds, TheTailAddsToThem) {
    TimeBound bound(task_, space_, estimator_.host());
    double most = 0.0;
    std::size_t seen = 0;
    for (const Candidate& candidate : some(300)) {
        const auto scenario = scenarios_.allowed(candidate);
        const auto step =
            scenario ? estimateStep(**scenario, exampleTiming()) : tl::unexpected(scenario.error());
        if (!step) {
            continue;
        }
        const std::string what = layoutText((*scenario)->layout);
        const auto& blocks = blocks_.timeOf(candidate, **scenario);
        const auto* layers = bound.layersOf(candidate, **scenario).value();
        PassFloors& known = blocks_.floorsOf(candidate, **scenario);
        const auto floor = estimator_.floor(**scenario, *blocks, *layers, known);
        ASSERT_TRUE(floor.has_value());
        const double passes = bound.fromFloor(candidate, **scenario, *floor).value();
        const double seconds = step->step.value.count() * (1 + 1e-12);
        // Of every micro-batch that has this order, the tail of the largest bounds all.
        const std::vector<MicroBatchSize>& sizes = space_.sizesOf(candidate.family);
        for (Candidate larger = candidate; larger.size < sizes.size(); ++larger.size) {
            const std::vector<std::uint16_t>& ways = sizes[larger.size].ways;
            if (std::ranges::find(ways, candidate.way) != ways.end()) {
                const Scenario& other = *scenarios_.of(larger).value();
                const auto tail = estimator_.leastTail(other);
                ASSERT_TRUE(tail.has_value()) << what;
                // What layouts share changes nothing.
                auto fresh = StepEstimator::make(task_.base.cluster, exampleTiming()).value();
                EXPECT_EQ(*tail, *fresh.leastTail(other)) << what;
                EXPECT_LE(passes + *tail, seconds) << what;
                most = std::max(most, *tail);
            }
        }
        ++seen;
    }
    EXPECT_GT(seen, 3U);
    EXPECT_GT(most, 0.0);
}

TEST_P(SearchBounds, WhatTheHostCannotHoldDoesNotFitIt) {
    SearchTask task = task_;
    task.base.cluster.node.hostMemory = {.value = 16_GiB};
    MemoryBound bound(task, space_);
    for (const Candidate& candidate : some(60)) {
        const auto scenario = scenarios_.allowed(candidate);
        if (!scenario || (*scenario)->layout.offload == Offload::None) {
            continue;
        }
        const auto memory = memoryOfAllStages(**scenario);
        const std::uint32_t stack = space_.families[candidate.family].stack;
        const Settings* usual = scenarios_.usual(stack, (*scenario)->layout).value();
        Plan plan{.scenario = **scenario, .memory = memory.value()};
        plan.memory.host.there = 16_GiB;
        EXPECT_TRUE(bound.fitsHost(candidate.family, *usual) || !plan.fitsHost())
            << layoutText(plan.scenario.layout) << " " << plan.memory.host.perNode.count();
    }
}

/// Even stages hold what a mean rank does, so that nearly all of it is counted before any walk.
TEST(MemoryBoundOfExperts, CountsWhatOffloadsOnTheHost) {
    SearchTask task = taskOf({.model = "qwen3-30b-a3b", .layers = 4, .gpus = 16, .memory = 80_GiB},
                             {"torchtitan"});
    const SearchSpace space = enumerateLayouts(task).value();
    CandidateScenarios scenarios(task, space);
    std::set<std::tuple<bool, bool>> seen;
    for (std::uint32_t family = 0; family < space.families.size(); ++family) {
        const Layout& layout = space.families[family].layout;
        const std::vector<Candidate> candidates = space.candidatesOf(family);
        if (layout.offload != Offload::ParametersCpu || layout.pp > 1 || candidates.empty() ||
            !seen.emplace(layout.ep > 1, layout.tp > 1).second) {
            continue;
        }
        const Scenario* scenario = scenarios.allowed(candidates.front()).value();
        const Bytes perNode = memoryOfAllStages(*scenario)->host.perNode;
        ASSERT_GT(perNode.count(), 0);
        const auto fits = [&](std::int64_t tenths) {
            task.base.cluster.node.hostMemory = {.value = Bytes(perNode.count() / 10 * tenths)};
            return MemoryBound(task, space).fitsHost(family, scenario->settings);
        };
        EXPECT_TRUE(fits(11)) << layoutText(layout);
        EXPECT_FALSE(fits(9)) << layoutText(layout);
    }
    EXPECT_GE(seen.size(), 3U);
}

/// Stages behind the dense layers hold more than the first two.
TEST(MemoryBoundOfExperts, CountsTheFirstStageOfExpertsAlone) {
    const SearchTask task =
        taskOf({.model = "deepseek-v3", .layers = 8, .gpus = 16, .memory = 80_GiB}, {"torchtitan"});
    const SearchSpace space = enumerateLayouts(task).value();
    CandidateScenarios scenarios(task, space);
    StepEstimator estimator = StepEstimator::make(task.base.cluster, exampleTiming()).value();
    std::vector<BorrowedWork> known = borrowed(task, space, nullptr);
    BlockCosts blocks(task, space, estimator, known);
    MemoryBound bound(task, space);
    std::size_t seen = 0;
    for (std::uint32_t family = 0; family < space.families.size() && seen < 3; ++family) {
        const std::vector<Candidate> candidates = space.candidatesOf(family);
        if (space.families[family].layout.pp != 8 || candidates.empty()) {
            continue;
        }
        const auto scenario = scenarios.allowed(candidates.front());
        if (!scenario) {
            continue;
        }
        const auto memory = memoryOfAllStages(**scenario).value();
        const auto& cost = blocks.of(candidates.front(), **scenario);
        const std::int64_t least = bound.fromOrder(candidates.front(), **scenario, *cost).value();
        EXPECT_GT(memory.fullest, 1U);
        EXPECT_GT(least, memory.stages[1].requested.count());
        ++seen;
    }
    EXPECT_EQ(seen, 3U);
}

/// Both are compared with what they bound only where the candidates have them.
TEST(SearchSpace, OffloadsWhatIsForecastAndSwapsWhatTheNetworkSees) {
    const auto count = [](const SearchTask& task, auto has) {
        const SearchSpace space = enumerateLayouts(task).value();
        const std::vector<Candidate> all = allOf(space);
        return std::count_if(all.begin(), all.end(), [&](const Candidate& candidate) {
            return has(space.layoutOf(candidate));
        });
    };
    const auto offloads = [](Offload kind) {
        return [kind](const Layout& layout) { return layout.offload == kind; };
    };
    const auto swaps = [](const Layout& layout) {
        return layout.placement == RankPlacement::PpInside;
    };
    const SearchTask deepspeed = taskOf({.gpus = 16, .memory = 80_GiB}, {"deepspeed"});
    EXPECT_GT(count(deepspeed, offloads(Offload::OptimizerCpu)), 0);
    EXPECT_GT(count(deepspeed, offloads(Offload::ParametersCpu)), 0);
    EXPECT_GT(count(deepspeed, offloads(Offload::ParametersNvme)), 0);
    SearchTask undriven = deepspeed;
    undriven.base.cluster.node.nvme.value.reset();
    EXPECT_EQ(count(undriven, offloads(Offload::ParametersNvme)), 0);
    EXPECT_EQ(count(deepspeed, swaps), 0);
    const SearchTask megatron = taskOf({.gpus = 16, .memory = 80_GiB}, {"megatron"});
    EXPECT_EQ(count(megatron, offloads(Offload::OptimizerCpu)), 0);
    EXPECT_GT(count(megatron, swaps), 0);
    EXPECT_EQ(count(taskOf({.gpus = 8, .memory = 80_GiB}, {"megatron"}), swaps), 0);
    SearchTask held = deepspeed;
    held.rules.fixed.layout.offload = Offload::OptimizerCpu;
    held.rules.fixed.said = {"offload"};
    EXPECT_EQ(count(held, offloads(Offload::None)), 0);
    held.base.cluster.node.nvme.value.reset();
    held.rules.fixed.layout.offload = Offload::ParametersNvme;
    EXPECT_NE(enumerateLayouts(held)->refused.at(0).why.find("parameters_nvme"), std::string::npos);
    SearchTask forbidden = megatron;
    forbidden.rules.forbidden = {{"placement", ""}};
    EXPECT_EQ(count(forbidden, swaps), 0);
}

/// A thousand tokens of a sequence are too few for a GPU of eight; who wants that holds it.
TEST(SearchSpace, CutsSequencesIntoPiecesThatFillAGpu) {
    SearchTask task = taskOf({.gpus = 16, .memory = 80_GiB}, {"megatron"});
    task.base.workload.sequence = 8192;
    const auto has = [&task](std::int64_t cp) {
        const SearchSpace space = enumerateLayouts(task).value();
        const std::vector<Candidate> all = allOf(space);
        return std::any_of(all.begin(), all.end(), [&](const Candidate& candidate) {
            return space.layoutOf(candidate).cp == cp;
        });
    };
    EXPECT_TRUE(has(2));
    EXPECT_TRUE(has(4));
    EXPECT_FALSE(has(8));
    task.rules.fixed.layout.cp = 8;
    task.rules.fixed.said = {"cp"};
    EXPECT_TRUE(has(8));
}

/// Megatron may count the embedding and the head as layers: 126 + 2 are 16 stages of 8 chunks.
TEST(SearchSpace, DealsTheEndsOfTheModelAsLayers) {
    SearchTask task = taskOf({.model = "llama-3.1-405b", .layers = 126, .gpus = 16}, {"megatron"});
    task.base.workload.globalBatch = 64;
    task.rules.fixed.layout.pp = 16;
    task.rules.fixed.said = {"pp"};
    const SearchSpace space = enumerateLayouts(task).value();
    const std::vector<Candidate> all = allOf(space);
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Candidate& candidate) {
        return space.layoutOf(candidate).vpp == 8;
    }));
}

INSTANTIATE_TEST_SUITE_P(
    OfThreeModels,
    SearchBounds,
    testing::Values(
        BoundCase{{.gpus = 16, .memory = 80_GiB}, "megatron"},
        BoundCase{{.layers = 8, .gpus = 16, .memory = 80_GiB}, "torchtitan"},
        BoundCase{{.layers = 8, .gpus = 8, .memory = 80_GiB}, "deepspeed"},
        BoundCase{{.gpus = 8, .memory = 80_GiB}, "fsdp2"},
        BoundCase{{.model = "mixtral-8x7b", .layers = 4, .gpus = 16, .memory = 80_GiB}, "megatron"},
        BoundCase{{.model = "deepseek-v2-lite", .layers = 6, .gpus = 16, .memory = 80_GiB},
                  "megatron"},
        BoundCase{{.model = "qwen3-30b-a3b", .layers = 4, .gpus = 16, .memory = 80_GiB},
                  "torchtitan"},
        BoundCase{{.layers = 8, .gpus = 32, .memory = 80_GiB, .batch = 64, .sites = 4}, "megatron"},
        BoundCase{{.layers = 8, .gpus = 32, .memory = 80_GiB, .batch = 64, .sites = 2},
                  "torchtitan"},
        // Some layers of a chunk are checkpointed, or several together.
        BoundCase{{.gpus = 16, .memory = 80_GiB},
                  "megatron",
                  {.kind = Checkpointing::Block, .modules = {}, .layers = 1}},
        BoundCase{{.layers = 8, .gpus = 16, .memory = 80_GiB},
                  "megatron",
                  {.kind = Checkpointing::Full, .modules = {}, .layers = 2}},
        BoundCase{{.model = "deepseek-v2-lite", .layers = 6, .gpus = 16, .memory = 80_GiB},
                  "megatron",
                  {.kind = Checkpointing::Block, .modules = {}, .layers = 2}},
        // More ranks than rows: most of what is gathered is padding.
        BoundCase{{.model = "gpt2", .gpus = 3072, .memory = 80_GiB, .batch = 3072}, "fsdp2"},
        BoundCase{{.layers = 8, .gpus = 6144, .memory = 80_GiB, .batch = 6144}, "torchtitan"},
        BoundCase{
            {.model = "qwen3-30b-a3b", .layers = 4, .gpus = 3072, .memory = 80_GiB, .batch = 3072},
            "torchtitan"}));

}  // namespace
}  // namespace fabricast
