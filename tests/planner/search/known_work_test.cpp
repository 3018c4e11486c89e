#include "planner/search/known_work.h"

#include "planner/memory/stage_memory.h"
#include "planner/search/find_plans.h"
#include "planner/spec/layout_fields.h"
#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <tuple>

namespace fabricast {
namespace {

using namespace literals;

SearchTask saying(SearchTask task, const std::string& settings) {
    for (StackSettings& stack : task.stacks) {
        stack.asked = settings;
    }
    return task;
}

SearchTask usualTask() {
    return saying(taskOf({.memory = 24_GiB}, {"fsdp2", "megatron", "deepspeed"}), "");
}

/// What a search says of each plan, to the last bit.
using Said = std::vector<std::tuple<std::string, double, std::int64_t, std::int64_t, Verdict>>;

Said saidOf(const SearchTask& task,
            KnownWork* known,
            PlanObjective objective,
            std::size_t threads = 1) {
    const SearchOptions options{
        .top = 8, .objective = objective, .distinct = true, .threads = threads, .known = known};
    const PlanReport report = findPlans(task, exampleTiming(), options).value();
    Said said;
    for (const std::vector<Plan>& plans : {report.plans, report.misses}) {
        for (const Plan& plan : plans) {
            said.emplace_back(plan.scenario.stack + " " + layoutText(plan.scenario.layout),
                              plan.step.step.value.count(),
                              plan.memory.peak.value.count(),
                              plan.memory.peak.hi.count(),
                              plan.memory.verdict);
        }
    }
    return said;
}

/// Idle threads walk the memory of what comes up next, and change nothing by that.
TEST(FindPlans, SaysTheSameWhateverIsWalkedAhead) {
    const SearchTask task = usualTask();
    const Said alone = saidOf(task, nullptr, PlanObjective::Throughput);
    EXPECT_FALSE(alone.empty());
    for (const std::size_t threads : {2U, 5U, 16U}) {
        EXPECT_EQ(alone, saidOf(task, nullptr, PlanObjective::Throughput, threads));
    }
}

/// Which of dp and pp lies inside the other changes no memory, and is walked once.
TEST(LayoutMemories, AreThoseOfEitherPlacement) {
    const Watch watch;
    Scenario scenario = exampleRun("megatron", {.dp = 2, .tp = 2, .pp = 4});
    scenario.layout.schedule = ScheduleKind::OneFOneB;
    LayoutMemories memories;
    const auto one = memories.ofFullestStage(scenario, kNoLimit, watch).value();
    scenario.layout.placement = RankPlacement::PpInside;
    const auto other = memories.ofFullestStage(scenario, kNoLimit, watch).value();
    const auto walked = memoryOfFullestStage(scenario, kNoLimit).value();
    EXPECT_EQ(memories.size(), 1U);
    for (const MemoryBreakdown& memory : {one, other}) {
        EXPECT_EQ(memory.peak.value, walked.peak.value);
        EXPECT_EQ(memory.peak.lo, walked.peak.lo);
        EXPECT_EQ(memory.peak.hi, walked.peak.hi);
        EXPECT_EQ(memory.verdict, walked.verdict);
    }
}

/// Nor does the way in which context ranks exchange what they attend to.
TEST(LayoutMemories, AreThoseOfEveryContextKind) {
    Scenario scenario = exampleRun("megatron", {.tp = 2, .pp = 2, .cp = 2});
    scenario.layout.schedule = ScheduleKind::OneFOneB;
    LayoutMemories memories;
    for (const CpKind kind : {CpKind::Ring, CpKind::AllGather, CpKind::Ulysses}) {
        scenario.layout.cpKind = kind;
        const auto known = memories.ofFullestStage(scenario, kNoLimit, {}).value();
        const auto walked = memoryOfFullestStage(scenario, kNoLimit).value();
        EXPECT_EQ(known.peak.value, walked.peak.value);
        EXPECT_EQ(known.peak.hi, walked.peak.hi);
    }
    EXPECT_EQ(memories.size(), 1U);
}

/// What another search walked whole counts as if this one had walked it as far as it needs.
TEST(KnownWork, CutsASearchWhereItWouldBeCutWithoutIt) {
    const SearchTask task = usualTask();
    KnownWork known;
    (void)findPlans(
        task, exampleTiming(), {.top = 60, .objective = PlanObjective::Memory, .known = &known});
    (void)findPlans(task, exampleTiming(), {.top = 3, .pareto = true, .known = &known});
    for (const PlanObjective objective : {PlanObjective::Memory, PlanObjective::Throughput}) {
        for (const std::int64_t most : {100'000, 300'000}) {
            SearchOptions options{.top = 20, .objective = objective, .mostWalked = most};
            const PlanReport fresh = findPlans(task, exampleTiming(), options).value();
            options.known = &known;
            const PlanReport again = findPlans(task, exampleTiming(), options).value();
            EXPECT_EQ(fresh.cutShort, again.cutShort);
            ASSERT_EQ(fresh.plans.size(), again.plans.size());
            for (std::size_t i = 0; i < fresh.plans.size(); ++i) {
                EXPECT_EQ(fresh.plans[i].scenario.layout, again.plans[i].scenario.layout);
            }
        }
    }
}

struct Change {
    const char* name;
    std::function<void(SearchTask&)> make;
};

std::vector<Change> changes() {
    return {
        {"nothing", [](SearchTask&) {}},
        {"the batch", [](SearchTask& task) { task.base.workload.globalBatch = 32; }},
        {"a batch of few", [](SearchTask& task) { task.base.workload.globalBatch = 2; }},
        {"the GPUs", [](SearchTask& task) { task.base.cluster.nodes = 2; }},
        {"the network",
         [](SearchTask& task) {
             task.base.cluster.node.nicBandwidth = {.value = BytesPerSecond(1e9)};
         }},
        {"the sequence", [](SearchTask& task) { task.base.workload.sequence = 2048; }},
        {"the memory",
         [](SearchTask& task) { task.base.cluster.node.gpu.usableMemory = {.value = 12_GiB}; }},
        {"too little memory",
         [](SearchTask& task) { task.base.cluster.node.gpu.usableMemory = {.value = 1_GiB}; }},
        {"what is kept free", [](SearchTask& task) { task.base.cluster.reserve = 0.2; }},
        {"the host",
         [](SearchTask& task) { task.base.cluster.node.hostMemory = {.value = 1_GiB}; }},
        {"the kernels",
         [](SearchTask& task) { task.base.cluster.node.gpu.kernels->gemmScale = 2.0; }},
        {"the model", [](SearchTask& task) { task.base.model.layers = 6; }},
        {"the stacks", [](SearchTask& task) { task.stacks.pop_back(); }},
        {"what is recomputed",
         [](SearchTask& task) {
             task.rules.fixed.recompute = {.kind = Checkpointing::Full};
             task.rules.fixed.said.insert("recompute");
         }},
        {"where activations wait",
         [](SearchTask& task) {
             task.rules.fixed.layout.offload = Offload::Activations;
             task.rules.fixed.said.insert("offload");
         }},
        {"nothing again", [](SearchTask&) {}},
    };
}

class KnownWorkOf : public testing::TestWithParam<PlanObjective> {};

// One value after another changes, and what is known of the others changes no answer.
TEST_P(KnownWorkOf, OtherQuestionsChangesNoAnswer) {
    KnownWork known;
    for (const Change& change : changes()) {
        SearchTask task = usualTask();
        change.make(task);
        EXPECT_EQ(saidOf(task, &known, GetParam()), saidOf(task, nullptr, GetParam()))
            << change.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Objectives,
                         KnownWorkOf,
                         testing::Values(PlanObjective::Throughput, PlanObjective::Memory));

struct WorkDone {
    std::size_t blocks = 0;
    std::size_t walks = 0;

    friend bool operator==(const WorkDone&, const WorkDone&) = default;
};

WorkDone doneFor(const SearchTask& task, KnownWork& known) {
    const SearchSpace space = enumerateLayouts(task).value();
    WorkDone done;
    for (const BorrowedWork& work : borrowed(task, space, &known)) {
        done.blocks += work->blocks.times.size();
        done.walks = work->memories->size();  // of all stacks
    }
    return done;
}

TEST(KnownWork, IsNotDoneAgain) {
    KnownWork known;
    EXPECT_EQ(doneFor(usualTask(), known), WorkDone{});
    saidOf(usualTask(), &known, PlanObjective::Throughput);
    const WorkDone first = doneFor(usualTask(), known);
    EXPECT_GT(first.blocks, 10U);
    EXPECT_GT(first.walks, 5U);
    saidOf(usualTask(), &known, PlanObjective::Throughput);
    EXPECT_EQ(doneFor(usualTask(), known), first);
}

/// What one search has in its hands is there for the next as well.
TEST(KnownWork, IsThereForSeveralSearchesAtATime) {
    KnownWork known;
    saidOf(usualTask(), &known, PlanObjective::Throughput);
    const SearchTask task = usualTask();
    const SearchSpace space = enumerateLayouts(task).value();
    const auto blocksOf = [](const std::vector<BorrowedWork>& works) {
        std::size_t blocks = 0;
        for (const BorrowedWork& work : works) {
            blocks += work->blocks.size();
        }
        return blocks;
    };
    const std::vector<BorrowedWork> one = borrowed(task, space, &known, true);
    const std::vector<BorrowedWork> other = borrowed(task, space, &known, true);
    EXPECT_GT(blocksOf(one), 10U);
    EXPECT_EQ(blocksOf(other), blocksOf(one));
}

/// Of how many blocks a search asked what their layers keep.
std::size_t keptFor(PlanObjective objective) {
    const SmallWorld world{.layers = 16, .memory = 80_GiB, .batch = 64};
    const SearchTask task = saying(taskOf(world, {"fsdp2", "megatron"}), "");
    KnownWork known;
    const SearchOptions options{.top = 1, .objective = objective, .known = &known};
    EXPECT_TRUE(findPlans(task, exampleTiming(), options));
    std::size_t kept = 0;
    for (const BorrowedWork& work : borrowed(task, enumerateLayouts(task).value(), &known)) {
        kept += work->blocks.kept.size();
    }
    return kept;
}

/// Which micro-batches fit is asked only where they may be fast enough.
TEST(KnownWork, HoldsWhatLayersKeepWhereItDecides) {
    EXPECT_GT(keptFor(PlanObjective::Throughput), 0U);
    EXPECT_LT(keptFor(PlanObjective::Throughput), keptFor(PlanObjective::Memory));
}

// On another GPU all takes other times, and what was walked needs as much memory.
TEST(KnownWork, IsWalkedOnceForAllGpus) {
    KnownWork known;
    saidOf(usualTask(), &known, PlanObjective::Throughput);
    const std::size_t walks = doneFor(usualTask(), known).walks;
    SearchTask larger = usualTask();
    larger.base.cluster.node.gpu.usableMemory = {.value = 48_GiB};
    larger.base.cluster.node.hostMemory = {.value = 4096_GiB};
    larger.base.cluster.reserve = 0.1;
    EXPECT_EQ(doneFor(larger, known), (WorkDone{.blocks = 0, .walks = walks}));
    EXPECT_EQ(saidOf(larger, &known, PlanObjective::Throughput),
              saidOf(larger, nullptr, PlanObjective::Throughput));
}

TEST(KnownWork, IsOfTheSameSettingsAlone) {
    KnownWork known;
    saidOf(usualTask(), &known, PlanObjective::Throughput);
    EXPECT_EQ(doneFor(saying(usualTask(), "fp16"), known).blocks, 0U);
    SearchTask unsaid = usualTask();
    for (StackSettings& stack : unsaid.stacks) {
        stack.asked.reset();
    }
    EXPECT_EQ(doneFor(unsaid, known), WorkDone{});
}

TEST(KnownWork, KeepsTheLatestSubjectsOnly) {
    constexpr std::size_t kFew = 1000;  // blocks of some searches
    KnownWork known(kFew);
    for (std::int64_t layers = 1; layers <= 6; ++layers) {
        SearchTask task = usualTask();
        task.base.model.layers = layers;
        saidOf(task, &known, PlanObjective::Throughput);
    }
    SearchTask first = usualTask();
    first.base.model.layers = 1;
    SearchTask last = usualTask();
    last.base.model.layers = 6;
    EXPECT_EQ(doneFor(first, known), WorkDone{});
    EXPECT_GT(doneFor(last, known).walks, 0U);
    EXPECT_GT(doneFor(last, known).blocks, 0U);
}

// What layers keep is the same on every GPU: it comes from whoever worked it out.
TEST(KnownWork, OfAnotherGpuChangesNoAnswer) {
    KnownWork known;
    saidOf(usualTask(), &known, PlanObjective::Throughput);
    SearchTask other = usualTask();
    other.base.cluster.node.gpu.usableMemory = {.value = 32_GiB};
    EXPECT_EQ(saidOf(other, &known, PlanObjective::Throughput),
              saidOf(other, nullptr, PlanObjective::Throughput));
}

TEST(KnownWork, ServesSeveralThreads) {
    KnownWork known;
    const Said alone = saidOf(usualTask(), nullptr, PlanObjective::Throughput);
    std::vector<Said> found(4);
    std::vector<std::thread> threads;
    for (Said& said : found) {
        threads.emplace_back(
            [&] { said = saidOf(usualTask(), &known, PlanObjective::Throughput); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const Said& said : found) {
        EXPECT_EQ(said, alone);
    }
}

}  // namespace
}  // namespace fabricast
