#include "cli/measured_table.h"
#include "planner/io/measurements.h"
#include "planner/report/table.h"
#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace fabricast {
namespace {

// Lines as fabricast-probe-cuda and -host write them.
const std::string kRecord =
    R"({"schema":"fabricast.measurements/1","machine":{"gpu":"NVIDIA H200","capability":90,)"
    R"("host":{"threads":224,"usable_threads":224}},"program":"p","begun":"2026-11-22T18:00:00Z"}
{"point":"transfer bytes=256M kind=h2d","unit":"s","samples":[0.0112,0.0112,0.0113],"facts":{"bytes":268435456}}
{"point":"transfer bytes=64K kind=h2d","unit":"s","samples":[0.00001],"facts":{"bytes":65536}}
{"point":"memory op=triad threads=224","unit":"s","samples":[0.0053687091],"facts":{"bytes":1073741820}}
{"point":"footprint of=context","unit":"B","samples":[451231744]}
{"point":"footprint of=cublaslt","unit":"B","samples":[20971520]}
{"point":"launch kind=stream","unit":"s","samples":[0.0000021,0.0000022]}
{"point":"disk bytes=256M kind=read path=/x","refused":"/x has 1 MiB free"}
)";

std::string inFolder(const std::string& name) {
    const auto folder = std::filesystem::path(testing::TempDir()) / "fabricast_calibrate_node";
    std::filesystem::create_directories(folder);
    return (folder / name).string();
}

TEST(CalibrateNode, ForecastsChangeByWhatWasMeasured) {
    std::filesystem::remove_all(std::filesystem::path(testing::TempDir()) /
                                "fabricast_calibrate_node");
    std::ofstream(inFolder("run.jsonl")) << kRecord;
    const std::string measured = inFolder("measured");
    const ProgramOutput fitted =
        ran("calibrate --machine dgx-h200 --name ours",
            {"--from-record", inFolder("run.jsonl"), "--profile", measured});
    ASSERT_EQ(fitted.code, ExitCode::Ok) << fitted.err;
    EXPECT_NE(fitted.out.find("/nodes/dgx-h200.json"), std::string::npos) << fitted.out;
    EXPECT_NE(fitted.out.find("/runtimes/h200-sxm-141gb.json"), std::string::npos);
    const auto asked = [&](const std::string& line, bool ours) {
        const ProgramOutput answer = ran(line,
                                         ours ? std::vector<std::string>{"--profile-dir", measured}
                                              : std::vector<std::string>{});
        EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
        return answer.out;
    };
    const std::string memory = "explain -m llama-3.1-8b -c dgx-h200 --stack fsdp2 --why context";
    EXPECT_NE(asked(memory, false).find("576.00 MiB"), std::string::npos);
    EXPECT_NE(asked(memory, true).find("514.33 MiB"), std::string::npos) << asked(memory, true);
    EXPECT_NE(asked(memory, true).find("source: measured: p, 2026-11-22"), std::string::npos);
    const std::string offload =
        "explain -m llama-3.1-8b -c dgx-h200 --stack deepspeed --layout "
        "dp=8,shard=zero3,offload=parameters_cpu --section time";
    const std::string usual = asked(offload, false);
    const std::string ours = asked(offload, true);
    EXPECT_NE(usual.find("of the host memory's 614 GB/s"), std::string::npos) << usual;
    EXPECT_NE(ours.find("of the host memory's 200 GB/s, copies run at 24 GB/s"), std::string::npos)
        << ours;
}

TEST(MeasuredTable, ShowsRatesTimesAndSizes) {
    auto record = parseMeasurements(kRecord, "run.jsonl");
    ASSERT_TRUE(record);
    EXPECT_EQ(alignedText(measuredTable(mergeMeasurements({*std::move(record)}).value())),
              "measured            points  samples   best        spread\n"
              "disk read                1        0                       1 not possible here\n"
              "footprint context        1        1  430.3  MiB\n"
              "footprint cublaslt       1        1     20  MiB\n"
              "launch stream            1        2   2.15  us     2.3 %\n"
              "memory triad             1        1    200  GB/s\n"
              "transfer h2d             2        4  23.97  GB/s   0.0 %\n");
}

}  // namespace
}  // namespace fabricast
