#include "planner/search/find_plans.h"

#include "planner/estimate/offload_time.h"
#include "planner/estimate/run_traits.h"
#include "planner/evidence/likeness.h"
#include "planner/memory/stage_memory.h"
#include "tests/planner/search/every_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

namespace fabricast {
namespace {

using namespace literals;

using Found = std::vector<std::tuple<double, std::string, Layout>>;

Found found(const SearchTask& task, std::size_t threads, std::size_t top = 6) {
    Found plans;
    const auto report = findPlans(task, exampleTiming(), {.top = top, .threads = threads});
    for (const Plan& plan : report.value().plans) {
        plans.emplace_back(plan.step.step.value.count(), plan.scenario.stack, plan.scenario.layout);
    }
    return plans;
}

/// Every layout that its stack takes, estimated; then the fastest ones walked until enough fit.
std::vector<double> bruteForce(const SearchTask& task, std::size_t top) {
    std::vector<std::pair<double, Scenario>> steps;
    for (const StackSettings& stack : task.stacks) {
        for (Scenario& scenario : EveryLayout(task, stack).scenarios()) {
            if (!checkOffload(scenario)) {
                continue;  // its blocks would be timed in vain
            }
            if (const auto step = estimateStep(scenario, exampleTiming())) {
                steps.emplace_back(step->step.value.count(), std::move(scenario));
            }
        }
    }
    std::sort(
        steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<double> times;
    for (std::size_t i = 0; i < steps.size() && times.size() < top; ++i) {
        const auto memory = memoryOfAllStages(steps[i].second);
        if (memory && memory->verdict != Verdict::DoesNotFit &&
            Plan{.scenario = steps[i].second, .memory = *memory}.fitsHost()) {
            times.push_back(steps[i].first);
        }
    }
    return times;
}

struct WorldCase {
    SmallWorld world;
    std::vector<std::string> stacks;
    std::string key{};  ///< that some plan has
    PartialLayout held{};
    std::size_t top = 6;
};

class SmallWorlds : public testing::TestWithParam<WorldCase> {};

TEST_P(SmallWorlds, SearchFindsWhatBruteForceFinds) {
    SearchTask task = taskOf(GetParam().world, GetParam().stacks);
    const std::size_t top = GetParam().top;
    task.rules.fixed = GetParam().held;
    if (task.rules.fixed.says("recompute")) {
        hold(task, GetParam().held.recompute);
    }
    const Found plans = found(task, 1, top);
    const std::vector<double> times = bruteForce(task, top);
    ASSERT_EQ(plans.size(), times.size());
    ASSERT_FALSE(plans.empty());
    for (std::size_t i = 0; i < plans.size(); ++i) {
        EXPECT_DOUBLE_EQ(std::get<0>(plans[i]), times[i]) << "plan " << i;
    }
    EXPECT_TRUE(std::any_of(plans.begin(), plans.end(), [](const auto& plan) {
        return layoutText(std::get<Layout>(plan)).find(GetParam().key) != std::string::npos;
    }));
    EXPECT_EQ(plans, found(task, 2, top));
    EXPECT_EQ(plans, found(task, 16, top));
}

/// Own runs took the longer, the more they split layers: one layout of each tp.
OwnLikeness splitRuns(const SearchTask& task) {
    std::vector<LikeRun> runs;
    std::set<std::int64_t> seen;
    for (const Scenario& scenario : EveryLayout(task, task.stacks.front()).scenarios()) {
        const auto step = estimateStep(scenario, exampleTiming());
        if (step && seen.insert(scenario.layout.tp).second) {
            const double weight = 0.2 * std::log2(static_cast<double>(scenario.layout.tp)) - 0.2;
            runs.push_back(
                {.id = "own", .traits = traitsOf(scenario, step->parts), .weight = weight});
        }
    }
    return ownLikeness(std::move(runs));
}

// Bounds of a time by speeds alone would pass over layouts that own runs say are faster.
TEST(LikeRuns, StretchWhatTheSearchFinds) {
    for (const WorldCase& each :
         {WorldCase{{.gpus = 8, .memory = 80_GiB}, {"torchtitan"}},
          WorldCase{{.gpus = 4, .memory = 12_GiB}, {"megatron", "torchtitan"}}}) {
        SearchTask task = taskOf(each.world, each.stacks);
        const std::vector<double> plain = bruteForce(task, each.top);
        task.base.cluster.node.own.like = splitRuns(task);
        ASSERT_LT(leastStretch(task.base.cluster.node.own.like), 0.95);
        const std::vector<double> times = bruteForce(task, each.top);
        const Found plans = found(task, 2, each.top);
        ASSERT_EQ(plans.size(), times.size());
        for (std::size_t i = 0; i < plans.size(); ++i) {
            EXPECT_DOUBLE_EQ(std::get<0>(plans[i]), times[i]) << "plan " << i;
        }
        EXPECT_NE(plain, times);
    }
}

INSTANTIATE_TEST_SUITE_P(
    OfThreeModels,
    SmallWorlds,
    testing::Values(
        WorldCase{{.gpus = 8, .memory = 80_GiB}, {"fsdp2", "deepspeed"}},
        WorldCase{{.gpus = 8, .memory = 8_GiB}, {"fsdp2", "deepspeed"}},
        WorldCase{{.gpus = 4, .memory = 80_GiB}, {"megatron"}},
        WorldCase{{.gpus = 4, .memory = 12_GiB}, {"megatron", "torchtitan"}},
        WorldCase{{.gpus = 8, .memory = 8_GiB}, {"torchtitan"}},
        WorldCase{{.model = "mixtral-8x7b", .layers = 2, .gpus = 4, .memory = 30_GiB},
                  {"megatron"}},
        WorldCase{{.model = "qwen3-30b-a3b", .layers = 2, .gpus = 8, .memory = 8_GiB},
                  {"torchtitan"}},
        WorldCase{{.model = "deepseek-v2-lite", .layers = 4, .gpus = 4, .memory = 16_GiB},
                  {"megatron"}},
        WorldCase{{.model = "qwen3-30b-a3b", .layers = 3, .gpus = 16, .memory = 12_GiB},
                  {"torchtitan"}},
        WorldCase{{.model = "llama-3.2-1b", .layers = 4, .gpus = 16, .memory = 3_GiB},
                  {"megatron", "fsdp2"}},
        // Its rotary tables are cast only where nothing is recomputed.
        WorldCase{
            {.model = "olmo-2-7b", .layers = 2, .gpus = 8, .memory = 20_GiB}, {"fsdp2"}, "", {}, 2},
        WorldCase{{.gpus = 4, .memory = 5_GiB}, {"fsdp2", "deepspeed"}, "offload="},
        WorldCase{{.model = "llama-3.2-1b", .gpus = 16, .memory = 24_GiB},
                  {"megatron"},
                  "placement=pp_inside",
                  {.layout = {.pp = 2}, .said = {"tp", "pp", "cp"}, .recompute = {}},
                  16},
        // Some layers of a chunk are checkpointed, or several together.
        WorldCase{{.layers = 8, .gpus = 4, .memory = 34_GiB},
                  {"megatron"},
                  "",
                  {.layout = {},
                   .said = {"recompute"},
                   .recompute = {.kind = Checkpointing::Block, .modules = {}, .layers = 1}}},
        WorldCase{{.layers = 8, .gpus = 4, .memory = 34_GiB},
                  {"megatron"},
                  "",
                  {.layout = {},
                   .said = {"recompute"},
                   .recompute = {.kind = Checkpointing::Full, .modules = {}, .layers = 2}}},
        WorldCase{{.model = "mixtral-8x7b", .layers = 4, .gpus = 4, .memory = 40_GiB},
                  {"megatron"},
                  "",
                  {.layout = {},
                   .said = {"recompute"},
                   .recompute = {.kind = Checkpointing::Block, .modules = {}, .layers = 1}}}));

/// What is left free is not there to begin with, and the rest is all there.
TEST(FindPlans, FindsWhatBruteForceFindsWhereAShareIsLeftFree) {
    SearchTask task = taskOf({.gpus = 4, .memory = 12_GiB}, {"megatron", "torchtitan"});
    task.base.cluster.reserve = 0.2;
    const Found plans = found(task, 1);
    const std::vector<double> times = bruteForce(task, 6);
    ASSERT_EQ(plans.size(), times.size());
    ASSERT_FALSE(plans.empty());
    for (std::size_t i = 0; i < plans.size(); ++i) {
        EXPECT_DOUBLE_EQ(std::get<0>(plans[i]), times[i]) << "plan " << i;
    }
}

/// Ranks that are not whole copies of the states are no layouts, however little fits.
TEST(FindPlans, TakesAHeldShardSizeWhereItDivides) {
    SearchTask task = taskOf({.gpus = 4, .memory = 1_GiB}, {"torchtitan"});
    task.rules.fixed = {.layout = {.shard = Shard::Hsdp, .shardSize = 2},
                        .said = {"shard", "shard_size"},
                        .recompute = {}};
    const auto report = findPlans(task, exampleTiming(), {.top = 3}).value();
    EXPECT_GT(report.candidates, 0);
    for (const Plan& miss : report.misses) {
        EXPECT_EQ(miss.scenario.layout.replicas() % 2, 0);
    }
}

/// Of layouts whose copies are held, those whose ranks they divide are left, each with so many.
TEST(FindPlans, TakesHeldCopiesWhereTheyDivide) {
    SearchTask task = taskOf({.gpus = 4, .memory = Bytes(1LL << 40)}, {"torchtitan"});
    task.rules.fixed = {.said = {"copies"}, .recompute = {}, .copies = 2};
    const auto report = findPlans(task, exampleTiming(), {.top = 64}).value();
    ASSERT_FALSE(report.plans.empty());
    for (const Plan& plan : report.plans) {
        const Layout& layout = plan.scenario.layout;
        const std::int64_t each = layout.shard == Shard::None ? 1 : layout.shardSize;
        EXPECT_EQ(layout.replicas(), 2 * each) << layoutText(layout);
        EXPECT_EQ(layout.shard == Shard::None, each == 1) << layoutText(layout);
    }
}

/// A search that wants no misses ends without any.
TEST(FindPlans, AsksForNoMissesWhereNoneAreWanted) {
    const SearchTask task = taskOf({.gpus = 4, .memory = 1_GiB}, {"megatron", "fsdp2"});
    const auto report = findPlans(task, exampleTiming(), {.top = 1, .misses = 0}).value();
    EXPECT_TRUE(report.plans.empty());
    EXPECT_TRUE(report.misses.empty());
}

/// Where nothing fits among the first that are looked at, those that need least are tried.
TEST(FindPlans, SaysWhatACutSearchDidNotComeTo) {
    const SearchTask task = taskOf({.gpus = 4, .memory = 12_GiB}, {"megatron", "torchtitan"});
    const auto whole = findPlans(task, exampleTiming(), {.top = 6}).value();
    ASSERT_FALSE(whole.plans.empty());
    EXPECT_EQ(whole.cutShort, "");
    for (const std::size_t threads : {1U, 16U}) {
        const auto cut =
            findPlans(task, exampleTiming(), {.top = 6, .mostWalked = 1, .threads = threads})
                .value();
        EXPECT_TRUE(cut.cutShort.starts_with("the memory of ")) << cut.cutShort;
        ASSERT_FALSE(cut.plans.empty());
        EXPECT_GE(cut.plans[0].step.step.value, whole.plans[0].step.step.value);
        EXPECT_NE(cut.plans[0].memory.verdict, Verdict::DoesNotFit);
    }
}

/// Nor does it matter for that whether anybody wants the nearest misses.
TEST(FindPlans, TriesTheLeanestWhereNoMissesAreWanted) {
    const SearchTask task = taskOf({.gpus = 4, .memory = 12_GiB}, {"megatron", "torchtitan"});
    const SearchOptions options{.top = 1, .misses = 0, .distinct = true, .mostWalked = 1};
    const PlanReport cut = findPlans(task, exampleTiming(), options).value();
    ASSERT_FALSE(cut.plans.empty());
    EXPECT_EQ(cut.plans[0].memory.verdict, Verdict::Fits);
}

/// What is looked at counts too, and not only what is walked.
TEST(FindPlans, EndsWhereItLookedAtTooMuch) {
    const SearchTask task = taskOf({.gpus = 4, .memory = 1_GiB}, {"megatron", "fsdp2"});
    const PlanReport bare = findPlans(task, exampleTiming(), {.top = 1, .misses = 0}).value();
    EXPECT_TRUE(bare.plans.empty());
    EXPECT_GT(bare.walked, 0);
    const SearchTask roomy = taskOf({.gpus = 8, .memory = 80_GiB}, {"megatron", "fsdp2"});
    const PlanReport whole = findPlans(roomy, exampleTiming(), {.top = 6}).value();
    for (const std::size_t threads : {1U, 16U}) {
        const PlanReport cut =
            findPlans(roomy,
                      exampleTiming(),
                      {.top = 6, .mostWalked = whole.walked / 4, .threads = threads})
                .value();
        EXPECT_NE(cut.cutShort, "");
        EXPECT_LT(cut.looks, whole.looks);
    }
}

/// Plans that are complete leave the rest of the work to the front: it says where it ended.
TEST(FindPlans, SaysThatAFrontWasCutShort) {
    const SearchTask task = taskOf({.layers = 8, .gpus = 8, .memory = 40_GiB}, {"megatron"});
    const auto front = [&task](std::int64_t most) {
        const SearchOptions options{.top = 2, .pareto = true, .mostWalked = most};
        return findPlans(task, exampleTiming(), options).value();
    };
    const PlanReport whole = front(kMostEventsWalked);
    EXPECT_EQ(whole.cutShort, "");
    const PlanReport cut = front(40'000);
    EXPECT_EQ(cut.plans.size(), whole.plans.size());
    EXPECT_LT(cut.pareto.size(), whole.pareto.size());
    EXPECT_NE(cut.cutShort, "");
}

/// Each walk stands for itself: the answer with the least memory is cut alike by any threads.
TEST(FindPlans, CutsASearchForMemoryAlikeOnAnyThreads) {
    const SearchTask task = taskOf({.gpus = 8, .memory = 8_GiB}, {"fsdp2", "deepspeed"});
    const auto cut = [&task](std::size_t threads) {
        SearchOptions options{.top = 6, .objective = PlanObjective::Memory, .mostWalked = 300'000};
        options.threads = threads;
        return findPlans(task, exampleTiming(), options).value();
    };
    const PlanReport one = cut(1);
    const PlanReport many = cut(16);
    EXPECT_NE(one.cutShort, "");
    EXPECT_EQ(one.cutShort, many.cutShort);
    ASSERT_EQ(one.plans.size(), many.plans.size());
    for (std::size_t i = 0; i < one.plans.size(); ++i) {
        EXPECT_EQ(one.plans[i].scenario.layout, many.plans[i].scenario.layout);
    }
}

TEST(FindPlans, OffloadsWhereNothingElseFits) {
    SearchTask task = taskOf({.gpus = 4, .memory = 5_GiB}, {"fsdp2", "deepspeed"});
    for (const auto& [seconds, stack, layout] : found(task, 1)) {
        EXPECT_NE(layout.offload, Offload::None) << layoutText(layout);
    }
    task.rules.forbidden = {{"offload", ""}};
    EXPECT_TRUE(found(task, 1).empty());
    task.rules.forbidden.clear();
    task.base.cluster.node.hostMemory = {.value = 8_GiB};
    EXPECT_TRUE(found(task, 1).empty());
    // What the host has no room for is still shown where there is nothing else.
    task.rules.fixed.layout.offload = Offload::ParametersCpu;
    task.rules.fixed.said = {"offload"};
    const PlanReport none = findPlans(task, exampleTiming(), {}).value();
    EXPECT_TRUE(none.plans.empty());
    ASSERT_FALSE(none.misses.empty());
    EXPECT_EQ(none.misses.front().memory.host.verdict(), Verdict::DoesNotFit);
}

TEST(FindPlans, ChunksWithoutAPipelineAreNoLayouts) {
    SearchTask task = taskOf({.memory = 40_GiB}, {"megatron"});
    task.rules.fixed.layout.vpp = 2;
    task.rules.fixed.said = {"vpp"};
    const PlanReport some = findPlans(task, exampleTiming(), {}).value();
    ASSERT_FALSE(some.plans.empty());
    EXPECT_GT(some.plans.front().scenario.layout.pp, 1);
    task.rules.fixed.said = {"vpp", "pp"};
    const PlanReport none = findPlans(task, exampleTiming(), {}).value();
    EXPECT_TRUE(none.plans.empty());
    EXPECT_EQ(none.candidates, 0);
    EXPECT_EQ(none.rejections.size(), 1U);
}

// Experts that no rank splits weigh as much in the bounds that the nearest are chosen by.
TEST(FindPlans, TheNearestOfManyIsAsNearAsTheNearestOfFew) {
    SearchTask task = taskOf({.model = "mixtral-8x7b", .memory = 4_GiB}, {"megatron"});
    const auto nearest = [&task] {
        return findPlans(task, exampleTiming(), {}).value().misses.at(0).memory.peak.value;
    };
    const Bytes ofMany = nearest();
    task.rules.fixed.layout.ep = 8;
    task.rules.fixed.said = {"ep"};
    EXPECT_LE(ofMany, nearest());
}

TEST(FindPlans, MoreMemoryNeverMakesTheBestSlower) {
    double before = 1e9;
    for (const Bytes memory : {6_GiB, 8_GiB, 12_GiB, 24_GiB, 80_GiB}) {
        const Found plans = found(taskOf({.gpus = 8, .memory = memory}, {"megatron"}), 1);
        if (!plans.empty()) {
            EXPECT_LE(std::get<0>(plans.front()), before) << memory.count();
            before = std::get<0>(plans.front());
        }
    }
    EXPECT_LT(before, 1e9);
}

/// Stacks that tune by LoRA.
SearchTask withAdapters(SearchTask task, Dtype base) {
    for (StackSettings& stack : task.stacks) {
        const auto usual = stack.settingsFor;
        stack.settingsFor = [usual, base](const Layout& layout) -> Result<Settings> {
            FABRICAST_ASSIGN(Settings settings, usual(layout));
            settings.tuning = Tuning::Lora;
            settings.lora.base = base;
            return settings;
        };
    }
    return task;
}

// All layouts that there is room for are said to be not modelled, and none is looked at.
TEST(FindPlans, LooksAtNothingThatIsNotModelled) {
    const SearchTask task = withAdapters(taskOf({.memory = 40_GiB}, {"fsdp2"}), Dtype::Int8);
    const PlanReport none = findPlans(task, exampleTiming(), {}).value();
    EXPECT_TRUE(none.isNotModelled());
    EXPECT_FALSE(none.refused);
    ASSERT_FALSE(none.rejections.empty());
    EXPECT_NE(none.rejections[0].why.find("int8"), std::string::npos) << none.rejections[0].why;
    EXPECT_GT(none.rejections[0].layouts, 0);
    EXPECT_EQ(none.candidates, 0);
    EXPECT_EQ(none.looks, 0);
    EXPECT_TRUE(none.misses.empty());
}

// A stack takes offload that has no forecast: it is not refused where it is asked for.
TEST(FindPlans, OffloadThatIsAskedForAndHasNoStepTimeIsNotModelled) {
    SearchTask task = withAdapters(taskOf({.memory = 40_GiB}, {"deepspeed"}), Dtype::Bf16);
    StackSettings& stack = task.stacks.front();
    stack.settingsFor = [usual = stack.settingsFor](const Layout& layout) -> Result<Settings> {
        FABRICAST_ASSIGN(Settings settings, usual(layout));
        settings.lora.dtype = Dtype::Bf16;
        return settings;
    };
    task.rules.fixed.layout.shard = Shard::Zero3;
    task.rules.fixed.layout.offload = Offload::ParametersCpu;
    task.rules.fixed.said = {"tp", "shard", "offload"};
    const PlanReport none = findPlans(task, exampleTiming(), {}).value();
    EXPECT_TRUE(none.isNotModelled());
    EXPECT_FALSE(none.refused);
    ASSERT_FALSE(none.rejections.empty());
    EXPECT_EQ(none.rejections[0].why,
              "the step time of offload parameters_cpu is not forecast with LoRA");
    EXPECT_GT(none.rejections[0].layouts, 0);
}

TEST(FindPlans, AStackWithoutTheMethodHasNoLayouts) {
    const SearchTask task = withAdapters(taskOf({.memory = 40_GiB}, {"nemo"}), Dtype::Nf4);
    const PlanReport none = findPlans(task, exampleTiming(), {}).value();
    EXPECT_TRUE(none.refused);
    EXPECT_TRUE(none.hasLayouts());
    EXPECT_EQ(none.candidates, 0);
    ASSERT_EQ(none.rejections.size(), 1U);
    EXPECT_EQ(none.rejections[0].why, "nemo has no nf4 base");
}

TEST(FindPlans, CandidatesStandInTheirOrder) {
    const SearchTask task = taskOf({.model = "mixtral-8x7b", .memory = 40_GiB}, {"megatron"});
    const std::vector<Candidate> all = allOf(enumerateLayouts(task).value());
    EXPECT_TRUE(std::ranges::is_sorted(all));
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

}  // namespace
}  // namespace fabricast
