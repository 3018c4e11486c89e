#include "tests/probes/calibrate_flow/played_node.h"

#include <cstddef>
#include <cstdlib>

// What calibrate does from its first line to its last, with the real probes on GPUs that are not
// there. Times on them mean nothing; what is measured, kept, reported and ended does.

namespace fabricast {
namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Each line of a record is whole.
void expectWhole(const std::string& record) {
    const std::string text = textOf(record);
    EXPECT_TRUE(text.starts_with("{\"schema\":\"fabricast.measurements/1\"")) << record;
    EXPECT_TRUE(text.ends_with("}\n")) << record;
}

TEST(CalibrateFlow, AKernelSweepIsMeasuredFittedAndGoneOnWith) {
    PlayedNode node;
    const std::string record = node.at("run.jsonl");
    const std::vector<std::string> words = {
        "--engine", "cuda", "--time-budget", "2s", "--out", record};
    const FlowEnd first = node.run(words);
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_TRUE(has(first.out, "MEASURED\n")) << first.out;
    EXPECT_TRUE(has(first.out, "--from-record " + record)) << first.out;
    EXPECT_TRUE(has(first.err, " left; the same command goes on")) << first.err;
    expectWhole(record);
    const std::size_t some = linesIn(record);
    EXPECT_GE(some, 2U);
    // The same command resumes; a profile is written, or the reason reported.
    std::vector<std::string> fit = words;
    fit.insert(fit.end(), {"--profile", node.at("measured"), "--gpu", "h100-sxm5-80gb"});
    const FlowEnd second = node.run(fit);
    EXPECT_TRUE(has(second.err, " known, ")) << second.err;
    EXPECT_GT(linesIn(record), some);
    if (second.code == 0) {
        EXPECT_TRUE(has(second.out, "WRITTEN\n")) << second.out;
    } else {
        EXPECT_EQ(second.code, 2) << second.err;
        EXPECT_TRUE(has(second.err, "error: not fitted: ")) << second.err;
        EXPECT_TRUE(has(second.out, "MEASURED\n")) << second.out;
    }
    expectWhole(record);
}

TEST(CalibrateFlow, CollectivesOfTwoRanksBecomeAProfile) {
    PlayedNode node;
    const FlowEnd ended = node.run({"--engine",
                                    "nccl",
                                    "--ranks",
                                    "2",
                                    "--time-budget",
                                    "6s",
                                    "--out",
                                    node.at("run.jsonl"),
                                    "--profile",
                                    node.at("measured"),
                                    "--machine",
                                    "dgx-h100",
                                    "--gpu",
                                    "h100-sxm5-80gb",
                                    "--name",
                                    "played",
                                    "--format",
                                    "json"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_TRUE(has(ended.out, "\"status\": \"measured\"")) << ended.out;
    EXPECT_TRUE(has(ended.out, "all_reduce ranks=2 nodes=1")) << ended.out;
    EXPECT_TRUE(fs::exists(node.at("measured/collectives/measured-played.json"))) << ended.out;
    expectWhole(node.at("run.jsonl"));
}

TEST(CalibrateFlow, AutoMeasuresWithEveryProbe) {
    PlayedNode node;
    const FlowEnd ended = node.run({"--time-budget", "4s", "--out", node.at("run.jsonl")});
    EXPECT_EQ(ended.code, 0) << ended.err;
    for (const char* const engine : {"host", "cuda", "nccl"}) {
        const std::string record = node.at(std::string("run.") + engine + ".jsonl");
        EXPECT_GE(linesIn(record), 2U) << engine << ended.err;
        EXPECT_TRUE(has(ended.out, record)) << ended.out;
    }
    const FlowEnd dry = node.run({"--out", node.at("run.jsonl"), "--dry-run", "-v"});
    EXPECT_EQ(dry.code, 0) << dry.err;
    EXPECT_TRUE(has(dry.out, "\ngemm ")) << dry.out;
    EXPECT_TRUE(has(dry.out, "\nall_reduce ")) << dry.out;
}

/// Stops it once two points are there, by Ctrl-C or as a batch system does, and checks that the
/// same command resumes.
void interruptAndGoOn(PlayedNode& node, const std::string& engine, int signal = SIGINT) {
    const std::string record = node.at("run.jsonl");
    const std::vector<std::string> words = {"--engine", engine, "--out", record};
    std::vector<std::string> with = words;
    with.insert(with.end(),
                {"--time-budget",
                 "5m",
                 "--profile",
                 node.at("measured"),
                 "--machine",
                 "dgx-h100",
                 "--gpu",
                 "h100-sxm5-80gb"});
    node.start(with, {"FABRICAST_NULL_SLOW=5"});
    ASSERT_TRUE(within(30.0, [&] { return linesIn(record) >= 3; }));
    node.signal(signal);
    const FlowEnd ended = node.end();
    EXPECT_EQ(ended.code, 128 + signal) << ended.err;
    EXPECT_TRUE(has(ended.err, "interrupted; the measurements so far are kept")) << ended.err;
    EXPECT_TRUE(has(ended.out, "MEASURED\n")) << ended.out;
    EXPECT_FALSE(fs::exists(node.at("measured")));
    expectWhole(record);
    EXPECT_TRUE(node.leftBehind().empty());
    const std::size_t kept = linesIn(record);
    with = words;
    with.insert(with.end(), {"--time-budget", "2s"});
    const FlowEnd again = node.run(with);
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_GT(linesIn(record), kept);
    expectWhole(record);
}

TEST(CalibrateFlow, CtrlCKeepsKernels) {
    PlayedNode node;
    interruptAndGoOn(node, "cuda");
}

TEST(CalibrateFlow, ABatchSystemsEndKeepsKernels) {
    PlayedNode node;
    interruptAndGoOn(node, "cuda", SIGTERM);
}

TEST(CalibrateFlow, CtrlCKeepsCollectives) {
    PlayedNode node;
    interruptAndGoOn(node, "nccl");
}

TEST(CalibrateFlow, AFullDiskIsSaidAndWhatFitsIsKept) {
    PlayedNode node;
    const FlowEnd full =
        node.run({"--engine", "cuda", "--time-budget", "5s", "--out", "/dev/full"});
    EXPECT_EQ(full.code, 2) << full.err;
    EXPECT_TRUE(has(full.err, "\"/dev/full\" is a pipe or a device")) << full.err;
    // A disk of its own, gone with the process; only root may make one.
    const std::string disk = node.at("disk");
    fs::create_directories(disk);
    const std::string mount = "mount -t tmpfs -o size=16k none '" + disk + "'";
    if (std::system(("unshare -m sh -c \"" + mount + "\" 2>/dev/null").c_str()) != 0) {
        return;
    }
    const FlowEnd small =
        node.run({"--engine", "cuda", "--time-budget", "1m", "--out", disk + "/run.jsonl"},
                 {},
                 {"/usr/bin/unshare", "-m", "/bin/sh", "-c", mount + " && exec \"$0\" \"$@\""});
    EXPECT_EQ(small.code, 4) << small.err;
    EXPECT_TRUE(has(small.err, "No space left on device")) << small.err;
    EXPECT_TRUE(has(small.out, "MEASURED\n")) << small.out << small.err;
}

TEST(CalibrateFlow, PlacesAndDevicesThatAreNotThereAreNamed) {
    PlayedNode node;
    const FlowEnd nowhere = node.run({"--engine", "nccl", "--out", "/no/such/run.jsonl"});
    EXPECT_EQ(nowhere.code, 4);
    EXPECT_EQ(nowhere.err,
              "error: --out: the folder \"/no/such\" does not exist\n  try: mkdir -p /no/such\n");
    const FlowEnd device = node.run({"--engine", "cuda", "--gpus", "7", "--out", node.at("x")});
    EXPECT_EQ(device.code, 2);
    EXPECT_TRUE(
        device.err.starts_with("error: --gpus: GPU 7 does not exist: there are 2 GPUs here"))
        << device.err;
    const FlowEnd many = node.run({"--engine", "nccl", "--ranks", "3", "--out", node.at("x")});
    EXPECT_EQ(many.code, 2);
    EXPECT_TRUE(has(many.err, "3 ranks need one GPU each")) << many.err;
    const FlowEnd none =
        node.run({"--engine", "cuda", "--out", node.at("x")}, {"FABRICAST_NULL_GPUS=0"});
    EXPECT_EQ(none.code, 4) << none.err;
    EXPECT_TRUE(has(none.err, "no GPU")) << none.err;
    EXPECT_FALSE(fs::exists(node.at("x")));
}

TEST(CalibrateFlow, AKilledProbeIsToldOf) {
    PlayedNode node;
    const std::string record = node.at("run.jsonl");
    node.start({"--engine", "cuda", "--out", record}, {"FABRICAST_NULL_SLOW=5"});
    ASSERT_TRUE(within(30.0, [&] { return linesIn(record) >= 2; }));
    const pid_t probe = node.probe("fabricast-probe-cuda");
    ASSERT_GT(probe, 0);
    ::kill(probe, SIGKILL);
    const FlowEnd ended = node.end(20.0);
    EXPECT_EQ(ended.code, 4) << ended.err;
    EXPECT_TRUE(has(ended.err, "was killed by a signal: Killed")) << ended.err;
    EXPECT_TRUE(has(ended.out, "MEASURED\n")) << ended.out;
    expectWhole(record);
}

TEST(CalibrateFlow, AKilledRankEndsAllRanks) {
    PlayedNode node;
    const std::string record = node.at("run.jsonl");
    node.start({"--engine", "nccl", "--out", record}, {"FABRICAST_NULL_NCCL_SLOW=5"});
    ASSERT_TRUE(within(30.0, [&] { return linesIn(record) >= 2; }));
    const pid_t rank = node.probe("fabricast-probe-nccl", 1);
    ASSERT_GT(rank, 0);
    ::kill(rank, SIGKILL);
    const FlowEnd ended = node.end(30.0);
    EXPECT_EQ(ended.code, 4) << ended.err;
    EXPECT_TRUE(has(ended.err, "is gone")) << ended.err;
    expectWhole(record);
}

TEST(CalibrateFlow, AStalledProbeIsEnded) {
    PlayedNode node;
    const std::string record = node.at("run.jsonl");
    // On a busy machine a probe that works is silent for a second or two while it starts.
    node.start({"--engine", "cuda", "--stall", "5s", "--out", record}, {"FABRICAST_NULL_SLOW=5"});
    ASSERT_TRUE(within(30.0, [&] { return linesIn(record) >= 2; }));
    const pid_t probe = node.probe("fabricast-probe-cuda");
    ASSERT_GT(probe, 0);
    ::kill(probe, SIGSTOP);
    const FlowEnd ended = node.end(30.0);
    EXPECT_EQ(ended.code, 4) << ended.err;
    EXPECT_TRUE(has(ended.err, "stopped printing and was killed")) << ended.err;
    expectWhole(record);
}

TEST(CalibrateFlow, NothingOutlivesACalibrateThatIsKilled) {
    PlayedNode node;
    node.start({"--engine", "nccl", "--out", node.at("run.jsonl")}, {"FABRICAST_NULL_NCCL_SLOW=5"});
    ASSERT_TRUE(within(30.0, [&] { return linesIn(node.at("run.jsonl")) >= 2; }));
    EXPECT_GE(node.leftBehind().size(), 2U);
    node.signal(SIGKILL);
    EXPECT_EQ(node.end().code, 128 + SIGKILL);
    EXPECT_TRUE(within(10.0, [&] { return node.leftBehind().empty(); }));
    expectWhole(node.at("run.jsonl"));
}

}  // namespace
}  // namespace fabricast
