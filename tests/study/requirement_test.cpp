#include "study/requirements.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

constexpr std::int64_t kGib = std::int64_t{1} << 30;

Headline<Bytes> gib(std::int64_t lo, std::int64_t value, std::int64_t hi) {
    return {.value = Bytes(value * kGib), .lo = Bytes(lo * kGib), .hi = Bytes(hi * kGib)};
}

MemoryBreakdown memoryOf(Verdict verdict) {
    MemoryBreakdown memory{.peak = gib(58, 60, 70), .capacity = Bytes(80 * kGib)};
    memory.host.perNode = Bytes(100 * kGib);
    memory.host.there = Bytes(200 * kGib);
    memory.onDevice = verdict;
    memory.verdict = verdict;
    return memory;
}

StepEstimate stepOf() {
    StepEstimate step;
    step.step = {.value = Seconds(2.0), .lo = Seconds(1.8), .hi = Seconds(2.5)};
    step.tokensPerSecond = 100'000;
    step.tokensPerGpuSecond = 12'500;
    step.utilisation.mfu = 0.4;
    return step;
}

RunCost costOfRun() {
    constexpr double kDay = 86400.0;
    constexpr double kKwh = 3.6e6;
    RunCost cost;
    cost.goodput.share = {.value = 0.9, .lo = 0.8, .hi = 0.95};
    cost.perMtok = {.value = Usd(0.3), .lo = Usd(0.25), .hi = Usd(0.4)};
    cost.energyPerMtok = {
        .value = Joules(0.2 * kKwh), .lo = Joules(0.1 * kKwh), .hi = Joules(0.3 * kKwh)};
    RunTotals run;
    run.wall = {.value = Seconds(20 * kDay), .lo = Seconds(18 * kDay), .hi = Seconds(25 * kDay)};
    run.price = {.value = Usd(1000), .lo = Usd(900), .hi = Usd(1200)};
    cost.run = run;
    return cost;
}

/// Eight GPUs of one node, and the numbers that the verdicts of the table follow from.
ComparedSide sideOf(Verdict verdict = Verdict::Fits) {
    ComparedSide side{.memory = memoryOf(verdict)};
    side.scenario.layout.dp = 8;
    side.step = stepOf();
    side.cost = costOfRun();
    return side;
}

/// Faster by a fifth, smaller by a sixth, cheaper.
ComparedSide baselineSide() {
    ComparedSide side = sideOf();
    side.step->step.value = Seconds(1.6);
    side.step->tokensPerSecond = 125'000;
    side.memory.peak = gib(49, 50, 60);
    side.cost->perMtok->value = Usd(0.31);
    return side;
}

std::string_view wordOf(CheckVerdict verdict) {
    return verdict == CheckVerdict::Holds   ? "holds"
           : verdict == CheckVerdict::Fails ? "fails"
                                            : "cannot_tell";
}

TEST(Requirement, EveryExpressionHasItsVerdictOrItsError) {
    const ComparedSide side = sideOf();
    const ComparedSide baseline = baselineSide();
    const std::vector<CaseRow> rows = readCases("check/requirements.csv");
    ASSERT_GE(rows.size(), 200U);
    for (const CaseRow& row : rows) {
        const Result<Requirement> read = readRequirement(row.at("requirement"), "run.json:7:5");
        if (row.at("verdict") == "error") {
            ASSERT_FALSE(read) << row.at("requirement");
            EXPECT_EQ(read.error().where, "run.json:7:5");
            EXPECT_NE(read.error().text().find(row.at("says")), std::string::npos)
                << row.at("requirement") << ": " << read.error().text();
            continue;
        }
        ASSERT_TRUE(read) << read.error().text();
        EXPECT_EQ(wordOf(judged(*read, side, &baseline).verdict), row.at("verdict"))
            << row.at("requirement");
    }
}

CheckVerdict fitsOf(const std::string& typed, Verdict verdict) {
    return judged(readRequirement(typed, "").value(), sideOf(verdict), nullptr).verdict;
}

TEST(Requirement, FitsIsAsSureAsItIsAskedFor) {
    for (const char* typed : {"fits", "fits surely", "fits @ p50"}) {
        EXPECT_EQ(fitsOf(typed, Verdict::Fits), CheckVerdict::Holds) << typed;
        EXPECT_EQ(fitsOf(typed, Verdict::DoesNotFit), CheckVerdict::Fails) << typed;
    }
    EXPECT_EQ(fitsOf("fits", Verdict::Likely), CheckVerdict::CannotTell);
    EXPECT_EQ(fitsOf("fits", Verdict::Unlikely), CheckVerdict::CannotTell);
    EXPECT_EQ(fitsOf("fits surely", Verdict::Likely), CheckVerdict::Fails);
    EXPECT_EQ(fitsOf("fits @ p50", Verdict::Likely), CheckVerdict::Holds);
    EXPECT_EQ(fitsOf("fits @ p50", Verdict::Unlikely), CheckVerdict::Fails);
}

TEST(Requirement, WhatHasNoValueCannotBeToldAndSaysWhy) {
    ComparedSide side = sideOf();
    side.cost->run.reset();
    side.cost->perMtok.reset();
    const auto whyOf = [&side](const char* typed, const ComparedSide* baseline) {
        const CheckedRequirement checked =
            judged(readRequirement(typed, "").value(), side, baseline);
        EXPECT_EQ(checked.verdict, CheckVerdict::CannotTell) << typed;
        return checked.why;
    };
    EXPECT_NE(whyOf("days <= 30", nullptr).find("--tokens"), std::string::npos);
    EXPECT_NE(whyOf("usd_per_mtok <= 1", nullptr).find("--price"), std::string::npos);
    EXPECT_NE(whyOf("step_s <= baseline", nullptr).find("--baseline"), std::string::npos);
    side.step.reset();
    side.cost.reset();
    side.whyNoStep = "the schedule has too many passes";
    EXPECT_NE(whyOf("mfu >= 40%", nullptr).find("too many passes"), std::string::npos);
    EXPECT_NE(whyOf("goodput >= 40%", nullptr).find("too many passes"), std::string::npos);
}

TEST(Requirement, ARunWithoutProgressFailsWhatItTakes) {
    ComparedSide side = sideOf();
    side.cost->goodput.share = {};
    side.cost->goodput.count = 1;
    side.cost->run.reset();
    side.cost->perMtok.reset();
    for (const char* typed : {"days <= 30", "usd_per_run < $1M", "usd_per_mtok <= 1"}) {
        const CheckedRequirement checked =
            judged(readRequirement(typed, "").value(), side, nullptr);
        EXPECT_EQ(checked.verdict, CheckVerdict::Fails) << typed;
        EXPECT_NE(checked.why.find("no progress"), std::string::npos) << checked.why;
    }
}

TEST(Requirement, TheShortfallIsHowMuchBetterItHasToBe) {
    const auto shortfall = [](const char* typed) {
        return shortfallOf(judged(readRequirement(typed, "").value(), sideOf(), nullptr));
    };
    EXPECT_DOUBLE_EQ(shortfall("step_s <= 3"), 1.0);
    EXPECT_DOUBLE_EQ(shortfall("step_s <= 1"), 2.5);
    EXPECT_DOUBLE_EQ(shortfall("step_s <= 1 @ p50"), 2.0);
    EXPECT_DOUBLE_EQ(shortfall("tokens_per_s >= 200k"), 2.5);
    EXPECT_DOUBLE_EQ(shortfall("mem_peak <= 35 GiB"), 2.0);
    EXPECT_GT(shortfall("gpus == 16"), 1.0);
}

}  // namespace
}  // namespace fabricast
