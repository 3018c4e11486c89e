#include "planner/memory/overheads.h"
#include "planner/profiles/profile_store.h"

#include <gtest/gtest.h>

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
        return overheadOf("dgx-h100", engine, layout).communicators;
    };
    for (const Engine engine : {Engine::Ddp, Engine::Fsdp2, Engine::DeepSpeed, Engine::Megatron}) {
        EXPECT_EQ(count(engine, {}), 0);
    }
    EXPECT_EQ(count(Engine::Ddp, {.dp = 8}), 1);
    EXPECT_EQ(count(Engine::Fsdp2, {.dp = 8}), 1);
    EXPECT_EQ(count(Engine::Fsdp2, {.dp = 4, .tp = 2}), 3);  // and all ranks
    EXPECT_EQ(count(Engine::DeepSpeed, {.dp = 8}), 2);
    EXPECT_EQ(count(Engine::Megatron, {.tp = 8}), 3);
    EXPECT_EQ(count(Engine::Megatron, {.dp = 2, .tp = 2, .pp = 2}), 6);
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

/// The bound of a search is never above it.
TEST(RuntimeOverhead, IsAtLeastWhatTheBoundCounts) {
    for (const Engine engine : {Engine::Ddp, Engine::Fsdp2, Engine::DeepSpeed, Engine::Megatron}) {
        for (const Layout& layout : {Layout{}, Layout{.dp = 4}, Layout{.tp = 2, .pp = 2}}) {
            const RuntimeOverhead overhead = overheadOf("dgx-h200", engine, layout);
            const RuntimeMemory runtime =
                ProfileStore::builtIn().cluster("dgx-h200").value().node.gpu.runtime;
            EXPECT_LE(leastRuntimeBytes(runtime, layout),
                      overhead.context.lo + overhead.collectives.lo);
        }
    }
}

}  // namespace
}  // namespace fabricast
