#include "tests/support/node_record.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fabricast {
namespace {

std::string inFolder(const std::string& name) {
    const auto folder = std::filesystem::path(tempFolder()) / "fabricast_calibrate_node";
    std::filesystem::create_directories(folder);
    return (folder / name).string();
}

/// A copy of 1 GB on all CPUs of a DGX H100.
std::string hostRecord(const std::string& day, double seconds) {
    std::ostringstream text;
    text << R"({"schema":"fabricast.measurements/1","machine":{"host":{"cpu":"x","threads":224,)"
         << R"("usable_threads":224}},"program":"fabricast-probe-host","begun":")" << day
         << "T18:00:00Z\"}\n"
         << R"({"point":"memory bytes=1G op=copy threads=224","unit":"s","facts":{"bytes":1e9},)"
         << R"("samples":[)" << seconds << "]}\n";
    return text.str();
}

TEST(CalibrateNode, ForecastsChangeByWhatWasMeasured) {
    std::filesystem::remove_all(std::filesystem::path(tempFolder()) / "fabricast_calibrate_node");
    std::ofstream(inFolder("run.jsonl")) << kNodeRecord;
    std::ofstream(inFolder("host.jsonl")) << kNodeHostRecord;
    const std::string measured = inFolder("measured");
    const ProgramOutput fitted = ran(
        "calibrate --machine dgx-h200 --name ours",
        {"--from-record", inFolder("run.jsonl"), inFolder("host.jsonl"), "--profile", measured});
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
    EXPECT_NE(asked(memory, false).find("834.00 MiB"), std::string::npos);
    EXPECT_NE(asked(memory, true).find("748.33 MiB"), std::string::npos) << asked(memory, true);
    EXPECT_NE(asked(memory, true).find("source: measured: fabricast-probe-cuda, 2026-11-22"),
              std::string::npos);
    const std::string offload =
        "explain -m llama-3.1-8b -c dgx-h200 --stack deepspeed --layout "
        "dp=8,shard=zero3,offload=parameters_cpu --section time";
    const std::string usual = asked(offload, false);
    const std::string ours = asked(offload, true);
    EXPECT_NE(usual.find("of the host memory's 614 GB/s"), std::string::npos) << usual;
    EXPECT_NE(ours.find("of the host memory's 200 GB/s, copies at 24 GB/s"), std::string::npos)
        << ours;
}

// Kernels and copies one day, the host's memory another.
TEST(CalibrateNode, KeepsWhatAnEarlierSittingMeasured) {
    const std::string kernels =
        FABRICAST_SOURCE_DIR "/hardware_profiles/measured/h100-sxm5-80gb/cuda.jsonl";
    const std::string host = inFolder("other_day.jsonl");
    std::ofstream(host) << hostRecord("2026-11-26", 0.01);
    const std::string folder = inFolder("sittings");
    for (const std::string& record : {kernels, host}) {
        const ProgramOutput output =
            ran("calibrate --machine dgx-h100", {"--from-record", record, "--profile", folder});
        EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    }
    const std::string all = ran("profiles show dgx-h100", {"--profile-dir", folder}).out;
    EXPECT_NE(all.find("fabricast-probe-cuda"), std::string::npos) << all;
    EXPECT_NE(all.find("fabricast-probe-host"), std::string::npos) << all;
    std::filesystem::remove_all(folder);
}

TEST(CalibrateNode, SaysThatTheMachineIsMissing) {
    const std::string record =
        FABRICAST_SOURCE_DIR "/hardware_profiles/measured/h100-sxm5-80gb/host.jsonl";
    const ProgramOutput output =
        ran("calibrate", {"--from-record", record, "--profile", inFolder("nobodys")});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_EQ(output.err.find("\\x0a"), std::string::npos) << output.err;
    EXPECT_NE(output.err.find("nothing in it can be fitted; "), std::string::npos) << output.err;
    EXPECT_NE(output.err.find("  try: --machine"), std::string::npos) << output.err;
}

// A box that was busy on Monday is measured again on Tuesday, and is faster or slower.
TEST(CalibrateNode, ALaterSittingReplacesTheMemorysRateBothWays) {
    const std::string folder = inFolder("again");
    const auto fitted = [&](const std::string& day, double seconds) {
        const std::string path = inFolder("host.jsonl");
        std::ofstream(path) << hostRecord(day, seconds);
        const ProgramOutput output = ran("calibrate --machine dgx-h100 --name ours",
                                         {"--from-record", path, "--profile", folder});
        return output.code == ExitCode::Ok ? output.out : output.err;
    };
    EXPECT_NE(fitted("2026-11-20", 0.01).find("100 GB/s"), std::string::npos);
    EXPECT_NE(fitted("2026-11-20", 0.01).find("100 GB/s"), std::string::npos) << "the same again";
    EXPECT_NE(fitted("2026-11-21", 0.005).find("200 GB/s"), std::string::npos);
    EXPECT_NE(fitted("2026-11-22", 0.02).find("50 GB/s"), std::string::npos);
    const std::string tooFast = fitted("2026-11-23", 0.001);
    EXPECT_NE(tooFast.find("1 TB/s is more than the line's 614 GB/s"), std::string::npos)
        << tooFast;
    std::filesystem::remove_all(folder);
}

// A login node is measured, and the name of the cluster's nodes typed.
TEST(CalibrateNode, TakesNoOtherHostForTheNodeUnlessForced) {
    const std::string record =
        FABRICAST_SOURCE_DIR "/hardware_profiles/measured/h100-sxm5-80gb/host.jsonl";
    const std::string folder = inFolder("login");
    const auto fitted = [&](const std::string& more) {
        return ran("calibrate --machine dgx-h100" + more,
                   {"--from-record", record, "--profile", folder});
    };
    const ProgramOutput refused = fitted("");
    EXPECT_EQ(refused.code, ExitCode::BadInput);
    EXPECT_NE(refused.err.find("that host is not dgx-h100: it has 126 GiB of memory, and dgx-h100 "
                               "has 1.86 TiB (--force takes it all the same)"),
              std::string::npos)
        << refused.err;
    EXPECT_NE(refused.err.find("  try: --machine and the node or cluster profile of that host\n"),
              std::string::npos)
        << refused.err;
    EXPECT_FALSE(std::filesystem::exists(folder));
    const ProgramOutput forced = fitted(" --force");
    EXPECT_EQ(forced.code, ExitCode::Ok) << forced.err;
    EXPECT_EQ(forced.err,
              "the host that was measured has 126 GiB (16 CPUs, Intel(R) Xeon(R) Processor), and "
              "dgx-h100 has 1.86 TiB (2x Intel Xeon 8480C, 56 cores): its memory's rate is taken "
              "for that of dgx-h100\n");
    std::filesystem::remove_all(folder);
}

TEST(CalibrateNode, SaysWhichLinkInTheProfileLeadsNowhere) {
    std::ofstream(inFolder("linked.jsonl")) << kNodeRecord;
    const std::string folder = inFolder("linked");
    std::filesystem::create_directories(folder);
    std::filesystem::create_directory_symlink(inFolder("gone"), folder + "/runtimes");
    const ProgramOutput output =
        ran("calibrate --machine dgx-h200",
            {"--from-record", inFolder("linked.jsonl"), "--profile", folder});
    EXPECT_EQ(output.code, ExitCode::Environment);
    EXPECT_NE(output.err.find("/runtimes\" is a link to \"" + inFolder("gone") +
                              "\", which is not there"),
              std::string::npos)
        << output.err;
    EXPECT_NE(output.err.find("  try: mkdir -p " + inFolder("gone")), std::string::npos);
    std::filesystem::remove_all(folder);
}

TEST(CalibrateNode, SaysThatAnotherGpuWasNamed) {
    const std::string records = FABRICAST_SOURCE_DIR "/hardware_profiles/measured/";
    const std::string folder = inFolder("other");
    const ProgramOutput output =
        ran("calibrate --gpu h200-sxm-141gb --machine dgx-h200",
            {"--from-record", records + "h100-sxm5-80gb/cuda.jsonl", "--profile", folder});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_NE(output.err.find("\"NVIDIA H100 80GB HBM3\" was measured, and is taken for "
                              "h200-sxm-141gb, as --gpu says: it has 79.2 GiB of memory, not "),
              std::string::npos)
        << output.err;
    std::filesystem::remove_all(folder);
}

// A node of the user's own, and a file that is no profile: neither is replaced unasked.
TEST(CalibrateNode, LosesNothingThatWasNotMeasured) {
    std::ofstream(inFolder("kept.jsonl")) << kNodeRecord;
    const std::string folder = inFolder("kept");
    const std::string node = folder + "/nodes/dgx-h200.json";
    const std::string runtime = folder + "/runtimes/h200-sxm-141gb.json";
    const auto fitted = [&](const std::string& more) {
        return ran("calibrate --machine dgx-h200 --name ours" + more,
                   {"--from-record", inFolder("kept.jsonl"), "--profile", folder});
    };
    const auto text = [](const std::string& path) {
        std::stringstream all;
        all << std::ifstream(path).rdbuf();
        return all.str();
    };
    ASSERT_EQ(fitted("").code, ExitCode::Ok);
    EXPECT_EQ(fitted("").code, ExitCode::Ok) << "again";
    const std::string first = text(node);

    std::string own = first;
    own.replace(own.find("\"gpus\": 8"), 9, "\"gpus\": 4");
    std::ofstream(node) << own;
    EXPECT_EQ(fitted("").code, ExitCode::Ok);
    EXPECT_EQ(text(node), own) << "measured is the node of that folder";
    EXPECT_EQ(fitted(" --force").code, ExitCode::Ok);
    EXPECT_EQ(text(node), first);

    std::ofstream(runtime) << "{";
    const ProgramOutput damaged = fitted("");
    EXPECT_EQ(damaged.code, ExitCode::BadInput);
    EXPECT_NE(damaged.err.find(runtime + ":1:"), std::string::npos) << damaged.err;
    EXPECT_EQ(text(runtime), "{");
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace fabricast
