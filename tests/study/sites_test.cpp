#include "planner/result/memory_breakdown.h"
#include "study/explain.h"
#include "study/plan.h"
#include "study/simulate.h"
#include "study/workbench.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

using SiteEdits = std::vector<std::pair<std::string, std::string>>;

const Workbench& sitesBench() {
    static const Workbench opened = Workbench::open({}, 2).value();
    return opened;
}

/// Llama 3.1 8B on four DGX H100, sharded over a node and replicated.
Question onSites(const SiteEdits& said, const std::string& nodes = "4") {
    std::vector<Edit> edits = {{"model", "llama-3.1-8b", "-m"},
                               {"cluster.name", "dgx-h100", "-c"},
                               {"cluster.nodes", nodes, "-n"},
                               {"stack", "fsdp2", "--stack"},
                               {"layout.shard", "hsdp", "--layout"},
                               {"layout.shard_size", "8", "--layout"},
                               {"layout.recompute", "full", "--layout"},
                               {"workload.sequence", "8192", "--seq"},
                               {"workload.global_batch", nodes == "4" ? "32" : "16", "--seq"}};
    for (const auto& [key, value] : said) {
        edits.push_back({key, value, "--set"});
    }
    return with(readQuestion("", "").value(), edits).value();
}

SiteEdits twoSites(const std::string& wan, SiteEdits more = {}) {
    more.emplace_back("cluster.sites", "2");
    more.emplace_back("cluster.wan", wan);
    more.emplace_back("cluster.wan_latency", "10ms");
    return more;
}

SiteEdits apart(const std::string& steps, SiteEdits more = {}) {
    more.emplace_back("settings.outer.steps", steps);
    return twoSites("100Gbps", std::move(more));
}

StepEstimate stepOn(const Question& question) {
    return *explain(question, {.memory = false, .step = true}, sitesBench(), {}).value().step;
}

double secondsOn(const Question& question) {
    return stepOn(question).step.value.count();
}

std::string refusalOf(const Question& question) {
    const auto answer = explain(question, {.memory = false, .step = true}, sitesBench(), {});
    return answer ? "" : answer.error().text();
}

TEST(Sites, OneIsAsNone) {
    EXPECT_EQ(secondsOn(onSites({})), secondsOn(onSites({{"cluster.sites", "1"}})));
}

TEST(Sites, AFasterLineIsNeverSlower) {
    double before = secondsOn(onSites({}));
    for (const char* wan : {"100Tbps", "800Gbps", "100Gbps", "10Gbps", "1Gbps"}) {
        const double seconds = secondsOn(onSites(twoSites(wan)));
        EXPECT_GE(seconds, before) << wan;
        before = seconds;
    }
}

TEST(Sites, GradientsOfReplicasCrossOnceAStep) {
    const StepEstimate step = stepOn(onSites(twoSites("10Gbps")));
    double far = 0.0;
    for (const CommLine& line : step.comm) {
        if (line.sites > 1 && line.use == "gradients") {
            EXPECT_EQ(line.sites, 2);
            EXPECT_TRUE(line.betweenNodes);
            far += line.seconds;
        }
    }
    // bf16 gradients of 8.03 G parameters cross once, 16.06 GB at 94.1 % of 1.25 GB/s, in 33 calls
    // of twice 10 ms; and 50 ms inside the sites.
    EXPECT_NEAR(far, 13.65 + 0.66, 0.1);
}

TEST(Sites, NodesAreDividedEvenly) {
    EXPECT_NE(refusalOf(onSites(twoSites("10Gbps"), "3")).find("evenly"), std::string::npos);
    EXPECT_NE(refusalOf(onSites({{"cluster.sites", "2"}})).find("--wan"), std::string::npos);
    EXPECT_NE(refusalOf(onSites({{"cluster.wan", "10Gbps"}})).find("one site"), std::string::npos);
}

TEST(Sites, OuterStepsCostWhatTheirBytesTake) {
    const StepEstimate step = stepOn(onSites(apart("50")));
    ASSERT_TRUE(step.outer);
    EXPECT_EQ(step.outer->steps, 50);
    EXPECT_DOUBLE_EQ(step.outer->parameters, 8'030'261'248.0);
    // 2(s-1)/s of 8.03 G parameters of 4 bytes; at 94.1 % of 12.5 GB/s, and twice 10 ms.
    EXPECT_EQ(step.outer->sent.count(), 32'121'044'992);
    EXPECT_NEAR(step.outer->exchange, 32'121'044'992.0 / (12.5e9 * 0.941) + 0.02, 1e-6);
    EXPECT_NEAR(step.step.value.count(),
                step.outer->inner + (step.outer->exchange + step.outer->update) / 50.0,
                1e-9);
    const StepEstimate narrow = stepOn(onSites(apart("50", {{"settings.outer.wire", "int8"}})));
    EXPECT_EQ(narrow.outer->sent.count(), 8'030'261'248);
}

TEST(Sites, RareOuterStepsTakeTheTimeOfOneSite) {
    const StepEstimate alone = stepOn(onSites({}, "2"));
    const StepEstimate rare = stepOn(onSites(apart("1000000")));
    EXPECT_NEAR(rare.step.value / alone.step.value, 1.0, 1e-5);
    EXPECT_NEAR(rare.tokensPerSecond / alone.tokensPerSecond, 2.0, 1e-4);
    double before = secondsOn(onSites(apart("1")));
    for (const char* steps : {"2", "10", "100", "1000"}) {
        const double seconds = secondsOn(onSites(apart(steps)));
        EXPECT_LT(seconds, before) << steps;
        before = seconds;
    }
}

TEST(Sites, OverlapHidesTheExchangeBehindTheNextSteps) {
    const StepEstimate waits = stepOn(onSites(apart("50")));
    const StepEstimate hides = stepOn(onSites(apart("50", {{"settings.outer.overlap", "true"}})));
    EXPECT_EQ(hides.outer->exposedExchange, 0.0);
    EXPECT_LT(hides.step.value, waits.step.value);
}

TEST(Sites, OuterStatesAreCounted) {
    const auto memoryOn = [](const Question& question) {
        return *explain(question, {}, sitesBench(), {}).value().memory;
    };
    const MemoryBreakdown alone = memoryOn(onSites({}, "2"));
    const MemoryBreakdown gpu = memoryOn(onSites(apart("50")));
    // Eight ranks share a copy: 8 bytes of 8.03 G parameters, an eighth of them on each.
    const Bytes more = gpu.stages[0].betweenSteps - alone.stages[0].betweenSteps;
    EXPECT_EQ(more.count(), 8'030'261'248);
    const MemoryBreakdown host = memoryOn(onSites(apart("50", {{"settings.outer.place", "host"}})));
    EXPECT_EQ(host.stages[0].betweenSteps, alone.stages[0].betweenSteps);
    EXPECT_EQ(host.stages[0].host.count(), 12'045'391'872);
}

TEST(Sites, WhatDoesNotFitIsRefusedByName) {
    const std::string many = refusalOf(onSites(apart("10", {{"settings.outer.fragments", "11"}})));
    EXPECT_NE(many.find("settings.outer.fragments=10"), std::string::npos) << many;
    const std::string one = refusalOf(onSites({{"settings.outer.steps", "10"}}));
    EXPECT_NE(one.find("settings.outer.steps"), std::string::npos) << one;
    const std::string none =
        refusalOf(onSites(twoSites("1Gbps", {{"settings.outer.wire", "bf16"}})));
    EXPECT_NE(none.find("settings.outer.wire"), std::string::npos) << none;
    const auto played = simulate(onSites(apart("10")), {}, sitesBench(), {});
    ASSERT_FALSE(played);
    EXPECT_NE(played.error().text().find("outer"), std::string::npos) << played.error().text();
}

TEST(Sites, TheSimulatorAgrees) {
    for (const char* wan : {"100Gbps", "10Gbps"}) {
        const auto played = simulate(onSites(twoSites(wan)), {}, sitesBench(), {});
        ASSERT_TRUE(played) << played.error().text();
        EXPECT_NEAR(1.0 + played->step.difference(), 1.0, 0.1) << wan;
    }
}

}  // namespace
}  // namespace fabricast
