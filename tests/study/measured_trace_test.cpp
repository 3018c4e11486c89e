// One step of a measured trace, and what of a file is refused.
#include "study/measured_trace.h"

#include "planner/text/text_files.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace measured_trace_test {

std::string torchTrace() {
    return readTextFile(FABRICAST_SOURCE_DIR "/tests/fuzz/corpus/measured_trace/torch.json")
        .value();
}

// Step 4 is the last one that another follows: from 1500 to 2500 us.
TEST(MeasuredTrace, IsTheLastWholeStepOfTheGpu) {
    const MeasuredTrace trace = parseMeasuredTrace(torchTrace(), "torch.json").value();
    EXPECT_EQ(trace.step, "ProfilerStep#4");
    EXPECT_NEAR(trace.lasts.count(), 1000e-6, 1e-12);
    ASSERT_EQ(trace.lanes.size(), 2U) << "threads of the host are left out";
    const MeasuredLane& compute = trace.lanes[trace.lanes[0].name == "stream 7" ? 0 : 1];
    ASSERT_EQ(compute.slices.size(), 2U);
    EXPECT_EQ(compute.slices[0].name, "sm90_xmma_gemm");
    EXPECT_EQ(compute.slices[0].kind, SliceKind::Kernel);
    EXPECT_EQ(compute.slices[1].kind, SliceKind::Copy);
    EXPECT_NEAR(compute.busy.count(), 450e-6, 1e-12);
}

// The gemm from 0 to 400 us, the all-reduce from 300 to 600: 200 us of it stand alone.
TEST(MeasuredTrace, TellsCommunicationThatNothingHides) {
    const MeasuredTrace trace = parseMeasuredTrace(torchTrace(), "torch.json").value();
    EXPECT_NEAR(trace.kernels.count(), 400e-6, 1e-12);
    EXPECT_NEAR(trace.communication.count(), 300e-6, 1e-12);
    EXPECT_NEAR(trace.exposed.count(), 200e-6, 1e-12);
}

TEST(MeasuredTrace, RefusesWhatIsNone) {
    const auto whyOf = [](const std::string& text) {
        const auto trace = parseMeasuredTrace(text, "x.json");
        return trace ? std::string() : trace.error().text();
    };
    EXPECT_NE(whyOf("").find("is no JSON"), std::string::npos);
    EXPECT_NE(whyOf("{\"traceEvents\": [").find("is no JSON"), std::string::npos);
    EXPECT_NE(whyOf("{\"plans\": []}").find("has no \"traceEvents\""), std::string::npos);
    EXPECT_NE(whyOf("[]").find("has no slices"), std::string::npos);
    EXPECT_NE(whyOf("\x1f\x8b\x08 zipped").find("gunzip x.json"), std::string::npos);
    EXPECT_NE(whyOf("[" + std::string(100, '[')).find("64 levels"), std::string::npos);
}

TEST(MeasuredTrace, TakesTimesInQuotesAndSkipsOddOnes) {
    const std::string text =
        R"([{"ph": "X", "name": "a", "cat": "kernel", "pid": "gpu 0", "tid": "7",
        "ts": "10", "dur": "5"},
        {"ph": "X", "name": "b", "cat": "kernel", "pid": "gpu 0", "tid": "7", "ts": 12, "dur": -1},
        {"ph": "X", "name": "c", "cat": "kernel", "pid": "gpu 0", "tid": "7", "ts": 1e300, "dur": 1},
        {"ph": "X", "name": "d", "cat": "kernel", "pid": "gpu 0", "tid": "7", "ts": 20, "dur": 5}])";
    const MeasuredTrace trace = parseMeasuredTrace(text, "x.json").value();
    ASSERT_EQ(trace.lanes.size(), 1U);
    EXPECT_EQ(trace.lanes[0].slices.size(), 2U);
    EXPECT_NEAR(trace.lasts.count(), 15e-6, 1e-12);
}

}  // namespace measured_trace_test
}  // namespace fabricast
