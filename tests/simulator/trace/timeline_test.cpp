#include "simulator/trace/svg_text.h"
#include "simulator/trace/timeline_slices.h"
#include "simulator/trace/trace_files.h"

#include <gtest/gtest.h>

#include <array>

namespace fabricast {
namespace {

TEST(SvgText, NumbersAreInPixels) {
    EXPECT_EQ(svgNumber(1250), "12.5");
    EXPECT_EQ(svgNumber(1203), "12.03");
    EXPECT_EQ(svgNumber(700), "7");
}

/// A pass of a second, ten thousand of a tenth of a millisecond, and an optimizer of a second.
struct Step {
    SimProgram program{{.actors = 1}};
    SimRun run;

    Step() {
        program.add({.duration = simTime(Seconds(1.0)), .microBatch = 0, .stage = 0});
        for (int i = 1; i <= 10'000; ++i) {
            program.add({.duration = simTime(Seconds(1e-4)),
                         .microBatch = i,
                         .stage = 0,
                         .kind = i % 3 == 0 ? SimKind::Forward : SimKind::Backward});
        }
        program.add({.duration = simTime(Seconds(1.0)), .kind = SimKind::Optimizer});
        run = simulate(program).value();
    }
};

TEST(TimelineSlices, DrawNarrowOpsTogether) {
    const Step step;
    const TimelineSlices drawn = timelineSlices(step.program, step.run, {0}, {0}, 300'00);
    const auto& slices = drawn.actors.at(0).rows.at(0);
    ASSERT_EQ(slices.size(), 3U);
    EXPECT_EQ(slices[0].right, 100'00);
    EXPECT_EQ(slices[1].paint, Paint::Backward);  // two of three
    EXPECT_EQ(slices[1].left, 100'00);
    EXPECT_EQ(slices[1].right, 200'00);
    EXPECT_EQ(slices[1].microBatch, -1);
    EXPECT_EQ(slices[2].paint, Paint::Optimizer);
    EXPECT_EQ(drawn.merged, 10'000U);
    ASSERT_EQ(drawn.actors.at(0).critical.size(), 1U);
    EXPECT_EQ(drawn.actors.at(0).critical.front().right, 100'00);
}

// Ten phases of a thousand ops each, forward and backward in turn: no op is seen, every phase is.
TEST(TimelineSlices, ShowThePhasesOfNarrowOps) {
    SimProgram program({.actors = 1});
    for (int i = 0; i < 10'000; ++i) {
        program.add({.duration = simTime(Seconds(1e-4)),
                     .microBatch = i / 1000,
                     .stage = 0,
                     .kind = i / 1000 % 2 == 0 ? SimKind::Forward : SimKind::Backward});
    }
    const SimRun run = simulate(program).value();
    const TimelineSlices drawn = timelineSlices(program, run, {}, {0}, 300'00);
    const auto& slices = drawn.actors.at(0).rows.at(0);
    ASSERT_EQ(slices.size(), 10U);
    for (std::size_t place = 0; place < slices.size(); ++place) {
        EXPECT_EQ(slices[place].paint, place % 2 == 0 ? Paint::Forward : Paint::Backward);
    }
    EXPECT_EQ(drawn.merged, 10'000U);
}

// A thousand layers of kernels, each with a call that lasts a fiftieth of it, half of that beside
// the kernels.
TEST(TimelineSlices, ShortCallsDoNotHideTheKernelsBetween) {
    SimProgram program({.actors = 1});
    for (int i = 0; i < 1000; ++i) {
        SimOp call{.duration = simTime(Seconds(1e-5)),
                   .kind = SimKind::Transfer,
                   .stream = SimStream::Expert};
        const OpIndex beside = program.add(call);
        const OpIndex kernels = program.add({.duration = simTime(Seconds(1e-3)), .stage = 0});
        call.kind = SimKind::Forward;
        const OpIndex waited = program.add(call);
        program.wait(waited, kernels);
        program.wait(waited, beside);
    }
    for (OpIndex op = 3; op < program.ops().size(); op += 3) {
        program.wait(op, op - 1);
        program.wait(op + 1, op - 1);
    }
    const SimRun run = simulate(program).value();
    const TimelineSlices drawn = timelineSlices(program, run, {}, {0}, 600'00);
    std::array<std::int64_t, kPaints> painted{};
    for (const TimelineSlice& slice : drawn.actors.at(0).rows.at(0)) {
        painted.at(static_cast<std::size_t>(slice.paint)) += slice.right - slice.left;
    }
    EXPECT_GT(painted.at(static_cast<std::size_t>(Paint::Forward)), 580'00);
    EXPECT_LT(painted.at(static_cast<std::size_t>(Paint::Expert)), 12'00);
    std::int64_t beside = 0;
    for (const TimelineSlice& slice : drawn.actors.at(0).rows.at(1)) {
        EXPECT_EQ(slice.paint, Paint::Expert);
        beside += slice.right - slice.left;
    }
    EXPECT_GT(beside, 0);
    EXPECT_LE(beside, (600'00 + 50) / 5);
}

TEST(TimelineSlices, WhatStandsAloneIsSeen) {
    SimProgram program({.actors = 1});
    program.add({.duration = simTime(Seconds(1.0)), .stage = 0});
    program.add({.duration = simTime(Seconds(1e-5)),
                 .kind = SimKind::Transfer,
                 .stream = SimStream::Expert});
    const SimRun run = simulate(program).value();
    const TimelineSlices drawn = timelineSlices(program, run, {}, {0}, 300'00);
    const auto& slices = drawn.actors.at(0).rows.at(1);
    ASSERT_EQ(slices.size(), 1U);
    EXPECT_EQ(slices[0].right - slices[0].left, 50);
}

TEST(TimelineSlices, KeepWideOpsApart) {
    const Step step;
    const TimelineSlices drawn = timelineSlices(step.program, step.run, {}, {0}, 30'000'00);
    EXPECT_EQ(drawn.actors.at(0).rows.at(0).size(), 10'002U);
    EXPECT_EQ(drawn.merged, 0U);
}

TEST(TimelineSvg, StaysSmallHoweverManyOpsThereAre) {
    const Step step;
    const MemoryCurve curve{.peak = Bytes(3), .peakMoment = "a < b", .points = {{SimTime(0), {}}}};
    const std::string svg =
        timelineSvg(step.program,
                    step.run,
                    criticalPath(step.program, step.run),
                    {.title = "<t>", .subtitle = "a & b", .curves = {curve}, .stages = 1});
    EXPECT_LT(svg.size(), 20'000U);
    EXPECT_NE(svg.find("10000 ops narrower than half a pixel"), std::string::npos);
    EXPECT_NE(svg.find("&lt;t&gt;"), std::string::npos);
    EXPECT_NE(svg.find("a &amp; b"), std::string::npos);
    EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
    EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(TraceJson, CountsMemory) {
    const Step step;
    MemoryByKind some;
    some.bytes[0] = Bytes(7);
    const std::string trace = traceJson(
        step.program, step.run, {{.points = {{SimTime(0), {}}, {SimTime(1'500'000), some}}}});
    EXPECT_NE(trace.find(R"({"ph": "C", "name": "memory", "pid": 0, "ts": 0.000000, )"
                         R"("args": {"bytes": 0}})"),
              std::string::npos);
    EXPECT_NE(trace.find(R"("ts": 1.500000, "args": {"bytes": 7}})"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
