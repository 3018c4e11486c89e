#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace fabricast::probe {
namespace {

struct Ended {
    int code = 0;
    std::string text;  ///< both streams
    double seconds = 0.0;
};

/// A shell's command, which is killed after a minute.
Ended run(const std::string& command) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string whole =
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 1 60 bash -c '" +
        command + "' 2>&1";
    std::FILE* const pipe = popen(whole.c_str(), "r");
    Ended ended;
    std::array<char, 4096> part{};
    while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) {
        ended.text += part.data();
    }
    ended.code = WEXITSTATUS(pclose(pipe));
    ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return ended;
}

const std::string kProbe = FABRICAST_PROBE_MPI;
const std::string kMpirun = FABRICAST_MPIRUN;

std::string ranks(int number) {
    return kMpirun + " --oversubscribe --bind-to none -np " + std::to_string(number) + " " +
           kProbe + " --quiet ";
}

std::string point(const std::string& text) {
    return "--point \"" + text + "\" ";
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++times;
    }
    return times;
}

std::filesystem::path freshFile(const std::string& name) {
    const auto path = std::filesystem::path(tempFolder()) / name;
    std::filesystem::remove_all(path);
    return path;
}

/// Whether a process of this probe runs that a command with such a mark in its environment began.
bool isLeft(const std::filesystem::path& process, const std::string& mark) {
    std::error_code error;
    if (std::filesystem::read_symlink(process / "exe", error) != std::filesystem::path(kProbe)) {
        return false;
    }
    std::ifstream file(process / "environ", std::ios::binary);
    const std::string environment(std::istreambuf_iterator<char>(file), {});
    return environment.find("MARK=" + mark) != std::string::npos;
}

/// mpirun gives its ranks a moment to end.
void expectNobodyLeft(const std::string& mark) {
    std::size_t left = 1;
    for (int tries = 0; tries < 30 && left > 0; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        left = 0;
        for (const auto& process : std::filesystem::directory_iterator("/proc")) {
            left += isLeft(process.path(), mark) ? 1U : 0U;
        }
    }
    EXPECT_EQ(left, 0U) << mark;
}

std::string marked(const std::string& mark) {
    return "MARK=" + mark + " ";
}

TEST(MpiProbe, CollectivesComputeWhatTheyShould) {
    std::string command = ranks(3);
    for (const char* algorithm : {"ring", "library"}) {
        for (const char* what : {"all_reduce",
                                 "all_gather",
                                 "reduce_scatter",
                                 "all_to_all",
                                 "broadcast",
                                 "send_recv"}) {
            for (const char* bytes : {"4", "100004", "700K"}) {
                command += point(std::string(what) + " ranks=3 nodes=1 bytes=" + bytes +
                                 " algorithm=" + algorithm);
            }
        }
    }
    const Ended ended = run(command);
    EXPECT_EQ(ended.code, 0) << ended.text;
    EXPECT_EQ(count(ended.text, "\"wrong\":0"), 36U) << ended.text;
    EXPECT_EQ(count(ended.text, "\"busbw\":"), 36U);
}

TEST(MpiProbe, GroupsMayBePartOfTheJob) {
    const Ended ended = run(ranks(4) + point("all_reduce ranks=2 stride=2 bytes=64K") +
                            point("all_reduce ranks=2 stride=3 bytes=64K") +
                            point("all_reduce ranks=3 stride=2 bytes=64K") +
                            point("all_reduce ranks=2 nodes=2 bytes=64K"));
    EXPECT_EQ(ended.code, 0) << ended.text;
    EXPECT_EQ(count(ended.text, "\"wrong\":0"), 2U) << ended.text;
    EXPECT_NE(ended.text.find("3 ranks with stride 2 does not fit a job of 4"), std::string::npos);
    EXPECT_NE(ended.text.find("on 1 node, not 2"), std::string::npos) << ended.text;
}

TEST(MpiProbe, ShardedStepsComputeTheUnshardedGradients) {
    std::string command = ranks(3);
    for (const char* stack : {"ddp", "fsdp2"}) {
        command += point(std::string("step stack=") + stack +
                         " layers=3 hidden=128 ffn=320 vocab=301 sequence=24 batch=3");
    }
    const Ended ended = run(command);
    EXPECT_EQ(ended.code, 0) << ended.text;
    EXPECT_EQ(count(ended.text, "\"wrong\":0"), 2U) << ended.text;
}

TEST(MpiProbe, OneProcessMeasuresWhatNeedsNoOther) {
    const Ended ended =
        run(kProbe + " --quiet " + point("gemm m=33 n=65 k=17 layout=nt") +
            point("gemm m=64 n=64 k=64 layout=nn") + point("memory op=copy bytes=1M") +
            point("memory op=softmax rows=64 columns=64") +
            point("memory op=cross_entropy rows=64 columns=64") +
            point("memory op=norm rows=64 columns=64") + point("adam parameters=10K") +
            point("all_reduce bytes=1M") + point("gemm dtype=bf16 m=1 n=1 k=1") +
            point("gemm m=1000000000 n=1000000000 k=1"));
    EXPECT_EQ(ended.code, 0) << ended.text;
    EXPECT_EQ(count(ended.text, "\"wrong\":0"), 7U) << ended.text;
    EXPECT_EQ(count(ended.text, "\"refused\":"), 3U) << ended.text;
}

TEST(MpiProbe, SettingsAreCheckedBeforeRanksJoin) {
    const auto why = [](const std::string& text) {
        const auto path = freshFile("mpi_checked.jsonl");
        const Ended ended = run(ranks(2) + "--out " + path.string() + " " +
                                point("all_reduce bytes=4") + point(text));
        EXPECT_EQ(ended.code, 2) << ended.text;
        EXPECT_FALSE(std::filesystem::exists(path)) << "measured before it was checked";
        return ended.text;
    };
    EXPECT_NE(
        why("bogus").find("'bogus' is nothing that this probe measures; it measures all_reduce"),
        std::string::npos);
    EXPECT_NE(why("gemm m=4 n=4 k=4 numa=1").find("gemm has no setting 'numa'; it has m, n, k"),
              std::string::npos);
    EXPECT_NE(why("adam parameters=0").find("parameters"), std::string::npos);
    EXPECT_NE(why("all_gather ranks=2").find("bytes"), std::string::npos);
    const Ended listed = run(kProbe + " --dry-run " + point("memory op=norm rows=two columns=4"));
    EXPECT_EQ(listed.code, 2) << listed.text;
}

TEST(MpiProbe, SaysWhatItIsWithoutMpirun) {
    const Ended version = run(kProbe + " --version && " + kProbe + " --doctor");
    EXPECT_EQ(version.code, 0);
    EXPECT_NE(version.text.find("Open MPI"), std::string::npos) << version.text;
    EXPECT_NE(version.text.find("ranks: 1 on 1 node"), std::string::npos) << version.text;
    EXPECT_EQ(run(kProbe + " --deadline soon").code, 2);
}

const std::string kLong = point(
    "step stack=ddp layers=4 hidden=512 ffn=1536 vocab=2048 "
    "sequence=256 batch=4");

TEST(MpiProbe, AKilledRankEndsTheJob) {
    const auto path = freshFile("mpi_killed.jsonl");
    const std::string all = kProbe + " --quiet --out " + path.string() + " " + kLong;
    const Ended ended =
        run(marked("killed") + kMpirun + " --oversubscribe --bind-to none -np 1 " + all +
            " : -np 1 sh -c \"(sleep 1.5; kill -9 \\$\\$) & exec " + kProbe + "\"");
    EXPECT_NE(ended.code, 0) << ended.text;
    EXPECT_LT(ended.seconds, 20.0);
    expectNobodyLeft("killed");
}

TEST(MpiProbe, AStoppedRankIsNotWaitedForForEver) {
    const auto path = freshFile("mpi_stopped.jsonl");
    const std::string all =
        kProbe + " --quiet --deadline 3s --out " + path.string() + " " + kLong + kLong;
    const Ended ended =
        run(kMpirun + " --oversubscribe --bind-to none -np 1 " + all +
            " : -np 1 sh -c \"(sleep 1.5; kill -STOP \\$\\$) & exec " + kProbe + "\"");
    EXPECT_NE(ended.code, 0) << ended.text;
    EXPECT_NE(ended.text.find("still waiting after 3 s; another rank is gone"), std::string::npos)
        << ended.text;
    EXPECT_LT(ended.seconds, 25.0);
    expectNobodyLeft("stopped");
}

TEST(MpiProbe, AnInterruptedRunKeepsWhatItHas) {
    const auto path = freshFile("mpi_interrupted.jsonl");
    const Ended ended =
        run(marked("interrupted") + "timeout -s INT 4 " + ranks(2) + "--out " + path.string() +
            " " + point("all_reduce bytes=1M") + kLong + kLong + kLong);
    EXPECT_NE(ended.code, 0) << ended.text;
    EXPECT_LT(ended.seconds, 20.0);
    std::ifstream record(path);
    std::size_t lines = 0;
    for (std::string line; std::getline(record, line); ++lines) {
        EXPECT_TRUE(line.starts_with("{") && line.ends_with("}")) << line;
    }
    EXPECT_GE(lines, 2U);
    expectNobodyLeft("interrupted");
}

TEST(MpiProbe, CtrlCWaitsForNoLongPoint) {
    // In the foreground it signals once: to its group too it would be twice, which ends at once.
    const Ended ended = run("timeout --foreground --preserve-status -s INT 3 " + kProbe + " " +
                            point("gemm m=16K n=16K k=16K"));
    EXPECT_EQ(ended.code, 130) << ended.text;
    EXPECT_LT(ended.seconds, 10.0);
    EXPECT_NE(ended.text.find("interrupted: 0 measured, 1 left"), std::string::npos) << ended.text;
}

TEST(MpiProbe, AFullDiskEndsAllRanks) {
    const Ended ended = run(ranks(2) + "--out /dev/full " + point("all_reduce bytes=1M") + kLong);
    EXPECT_EQ(ended.code, 4) << ended.text;
    EXPECT_NE(ended.text.find("/dev/full"), std::string::npos) << ended.text;
    EXPECT_LT(ended.seconds, 20.0);
}

}  // namespace
}  // namespace fabricast::probe
