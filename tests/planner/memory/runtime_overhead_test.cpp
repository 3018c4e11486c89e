#include "planner/memory/overheads.h"
#include "planner/profiles/profile_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace fabricast {
namespace {

RuntimeOverhead overheadOf(const char* machine, Engine engine, const Layout& layout) {
    Scenario scenario;
    scenario.cluster = ProfileStore::builtIn().cluster(machine).value();
    scenario.settings.engine = engine;
    scenario.layout = layout;
    return runtimeOverhead(scenario);
}

double gib(Bytes bytes) {
    return static_cast<double>(bytes.count()) / (1024.0 * 1024.0 * 1024.0);
}

TEST(RuntimeOverhead, CountsTheCommunicatorsOfEachFramework) {
    const auto count = [](Engine engine, const Layout& layout) {
        return overheadOf("dgx-h100", engine, layout).communicators.size();
    };
    for (const Engine engine : {Engine::Ddp, Engine::Fsdp2, Engine::DeepSpeed, Engine::Megatron}) {
        EXPECT_EQ(count(engine, {}), 0U);
    }
    EXPECT_EQ(count(Engine::Ddp, {.dp = 8}), 1U);
    EXPECT_EQ(count(Engine::Fsdp2, {.dp = 8}), 1U);
    EXPECT_EQ(count(Engine::Fsdp2, {.dp = 4, .tp = 2}), 3U);  // and all ranks
    EXPECT_EQ(count(Engine::DeepSpeed, {.dp = 8}), 2U);
    EXPECT_EQ(count(Engine::Megatron, {.tp = 8}), 3U);
    EXPECT_EQ(count(Engine::Megatron, {.dp = 2, .tp = 2, .pp = 2}), 6U);
}

/// What reports of real runs show beside PyTorch's memory (tests/cases/memory/real).
TEST(RuntimeOverhead, HoldsWhatRealRunsShow) {
    const auto holds = [](const RuntimeOverhead& overhead, double measured) {
        EXPECT_LE(gib(overhead.context.lo + overhead.collectives.lo), measured);
        EXPECT_GE(gib(overhead.context.hi + overhead.collectives.hi), measured);
    };
    holds(overheadOf("dgx-h100", Engine::Megatron, {}), 0.79);
    holds(overheadOf("dgx-h100", Engine::Megatron, {.dp = 2, .tp = 2, .pp = 2}), 7.0);
    holds(overheadOf("gb300-nvl72", Engine::Megatron, {.dp = 8, .tp = 4, .pp = 8}), 6.2);
    holds(overheadOf("dgx-a100", Engine::DeepSpeed, {.dp = 8}), 1.4);
    holds(overheadOf("8x-rtx-4090", Engine::Fsdp2, {.dp = 8}), 0.61);
}

/// Messages and reports that say what a process held beside PyTorch's memory, and how its ranks
/// were divided: figures in GiB, with what one figure for each communicator said of them.
TEST(RuntimeOverhead, IsNearerToRealRunsThanOneFigureForAll) {
    struct Seen {
        const char* report;
        const char* machine;
        Engine engine;
        Layout layout;
        double measured;
        double before;
    };
    const Seen kSeen[] = {
        {"oom-0012", "dgx-a100", Engine::DeepSpeed, {.dp = 16, .shard = Shard::Zero3}, 2.31, 0.99},
        {"oom-0070", "aws-p3dn", Engine::Ddp, {.dp = 8}, 0.96, 0.78},
        {"oom-0071", "aws-p3dn", Engine::Ddp, {.dp = 8}, 1.04, 0.78},
        {"oom-0203", "hgx-a800", Engine::DeepSpeed, {.dp = 8, .shard = Shard::Zero3}, 1.82, 0.99},
        {"oom-0145", "dgx-h200", Engine::Megatron, {.tp = 8, .sp = true}, 6.6, 3.81},
        {"oom-0206",
         "gb300-nvl72",
         Engine::Megatron,
         {.dp = 8, .tp = 4, .sp = true, .pp = 8, .shard = Shard::Zero1},
         6.23,
         6.56},
        {"HoldsWhatRealRunsShow", "8x-rtx-4090", Engine::Fsdp2, {.dp = 8}, 0.61, 0.78},
    };
    std::vector<double> now;
    std::vector<double> before;
    for (const Seen& seen : kSeen) {
        const RuntimeOverhead overhead = overheadOf(seen.machine, seen.engine, seen.layout);
        const double forecast = gib(overhead.context.value + overhead.collectives.value);
        now.push_back(std::abs(forecast - seen.measured));
        before.push_back(std::abs(seen.before - seen.measured));
    }
    const auto mean = [](const std::vector<double>& all) {
        return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    };
    EXPECT_LT(mean(now), mean(before));
    std::ranges::sort(now);
    std::ranges::sort(before);
    EXPECT_LT(now[now.size() / 2], before[before.size() / 2]);
}

/// The bound of a search is never above it.
TEST(RuntimeOverhead, IsAtLeastWhatTheBoundCounts) {
    for (const Engine engine : {Engine::Ddp, Engine::Fsdp2, Engine::DeepSpeed, Engine::Megatron}) {
        for (const Layout& layout : {Layout{}, Layout{.dp = 4}, Layout{.tp = 2, .pp = 2}}) {
            const RuntimeOverhead overhead = overheadOf("dgx-h200", engine, layout);
            const ClusterSpec cluster = ProfileStore::builtIn().cluster("dgx-h200").value();
            EXPECT_LE(LeastRuntime(cluster).of(layout, {.engine = engine}),
                      overhead.context.lo + overhead.collectives.lo);
        }
    }
}

/// What it remembers of other layouts and settings is not taken for theirs.
TEST(RuntimeOverhead, TheLeastOfOneLayoutIsNotAnothers) {
    const ClusterSpec cluster = ProfileStore::builtIn().cluster("dgx-h200").value();
    Settings deepEp;
    deepEp.kernels.dispatchOncePerNode = true;
    Settings fewChannels;
    fewChannels.nccl.maxChannels = 2;
    const std::vector<Layout> layouts{
        {},
        {.dp = 8},
        {.dp = 8, .shard = Shard::Zero3, .offload = Offload::OptimizerCpu},
        {.dp = 8, .shard = Shard::Hsdp, .shardSize = 2},
        {.dp = 4, .tp = 2},
        {.dp = 4, .tp = 2, .sp = true},
        {.dp = 2, .cp = 4},
        {.dp = 2, .cp = 4, .cpKind = CpKind::Ulysses},
        {.dp = 8, .ep = 8},
        {.dp = 8, .ep = 4, .etp = 2},
        {.dp = 2, .pp = 4, .vpp = 2}};
    LeastRuntime asked(cluster);
    for (const Settings& settings : {Settings{}, deepEp, fewChannels, Settings{}}) {
        for (const Layout& layout : layouts) {
            EXPECT_EQ(asked.of(layout, settings), LeastRuntime(cluster).of(layout, settings));
        }
    }
}

}  // namespace
}  // namespace fabricast
