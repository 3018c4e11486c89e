// However the ranks are started, they find each other, and resume an existing record.
#include "tests/probes/nccl/printed_lines.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace fabricast::probe {
namespace {

/// The environments that launchers make, for two hosts of two ranks.
std::vector<RankStart> launchedBy(const std::string& launcher, const std::string& record) {
    const std::string port = std::to_string(freePort());
    std::vector<RankStart> ranks = ranksOf(4, {});
    for (std::size_t at = 0; at < ranks.size(); ++at) {
        RankStart& rank = ranks[at];
        const std::string number = std::to_string(at);
        const std::string local = std::to_string(at % 2);
        const std::string host = at < 2 ? "left" : "right";
        rank.words = {"--timeout",
                      "5s",
                      "--join-timeout",
                      "3s",
                      "--collective",
                      "all_gather",
                      "-b",
                      "4K",
                      "--group",
                      "tp=2,dp=2",
                      "-n",
                      "2",
                      "--out",
                      record};
        std::map<std::string, std::string> more;
        if (launcher == "torchrun") {
            more = {{"RANK", number},
                    {"WORLD_SIZE", "4"},
                    {"LOCAL_RANK", local},
                    {"LOCAL_WORLD_SIZE", "2"},
                    {"MASTER_ADDR", "127.0.0.1"},
                    {"MASTER_PORT", port},
                    {"TORCHELASTIC_RUN_ID", "none"}};
        } else if (launcher == "mpirun") {
            more = {{"OMPI_COMM_WORLD_RANK", number},
                    {"OMPI_COMM_WORLD_SIZE", "4"},
                    {"OMPI_COMM_WORLD_LOCAL_RANK", local},
                    {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                    {"PMIX_NAMESPACE", "job"},
                    {"MASTER_ADDR", "127.0.0.1"},
                    {"MASTER_PORT", port}};
        } else {
            more = {{"SLURM_PROCID", number},
                    {"SLURM_STEP_NUM_TASKS", "4"},
                    {"SLURM_STEP_ID", "0"},
                    {"SLURM_LOCALID", local},
                    {"SLURM_NODEID", std::to_string(at / 2)},
                    {"SLURM_JOB_ID", "7"},
                    {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
                    {"SLURM_STEP_NODELIST", "127.0.0.[1-2]"},
                    {"FABRICAST_PROBE_PORT", port}};
        }
        rank.environment.insert(more.begin(), more.end());
        rank.environment["FABRICAST_PROBE_HOST"] = host;
        rank.environment["FABRICAST_NULL_GPUS"] = "2";
    }
    return ranks;
}

TEST(NcclProbe, UnderstandsEveryLauncher) {
    for (const char* launcher : {"torchrun", "mpirun", "srun"}) {
        SCOPED_TRACE(launcher);
        const fs::path record = freshPath(std::string(launcher) + ".jsonl");
        NcclJob job(launchedBy(launcher, record.string()));
        for (std::size_t rank = 0; rank < 4; ++rank) {
            const RankEnd ended = job.end(rank);
            EXPECT_EQ(ended.code, 0) << ended.err;
        }
        const std::string text = textOfFile(record);
        EXPECT_EQ(countOf(text, "\"point\":\"all_gather bytes=4096 nodes=1 ranks=2\",\"unit\""), 1U)
            << text;
        EXPECT_EQ(
            countOf(text, "\"point\":\"all_gather bytes=4096 nodes=2 ranks=2 stride=2\",\"unit\""),
            1U);
        EXPECT_EQ(countOf(text, "\"ranks\":4,\"nodes\":2"), 1U);
    }
}

TEST(NcclProbe, RunsUnderTheRealMpirun) {
    if (!fs::exists("/usr/bin/mpirun")) {
        GTEST_SKIP() << "no mpirun here";
    }
    const fs::path out = freshPath("mpirun.txt");
    const std::string command =
        "timeout 20 /usr/bin/mpirun --allow-run-as-root --oversubscribe --bind-to none -np 3 "
        "-x FABRICAST_PROBE_TOKEN=our-secret -x FABRICAST_NULL_GPUS=3 -x 'LD_PRELOAD=" +
        std::string(FABRICAST_NULL_DEVICE) + " " + FABRICAST_NULL_NCCL + "' " +
        FABRICAST_PROBE_NCCL + " --collective all -b 4K -n 2 >" + out.string() + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << textOfFile(out);
    EXPECT_EQ(rowsOf(textOfFile(out)), 6U) << textOfFile(out);
    EXPECT_EQ(countOf(textOfFile(out), "6 measured"), 1U);
}

TEST(NcclProbe, GoesOnWhereItStopped) {
    const fs::path record = freshPath("resumed.jsonl");
    const std::vector<std::string> some = {
        "--out", record.string(), "-n", "2", "--point", "all_reduce bytes=1K ranks=2 nodes=1"};
    std::vector<std::string> all = some;
    all.insert(all.end(), {"--point", "all_gather bytes=1K ranks=2 nodes=1"});
    NcclJob first(ranksOf(2, some));
    ASSERT_EQ(first.end(0).code, 0);
    ASSERT_EQ(first.end(1).code, 0);
    NcclJob second(ranksOf(2, all));
    const RankEnd ended = second.end(0);
    EXPECT_EQ(ended.code, 0);
    EXPECT_NE(ended.err.find("1 measured, 1 known"), std::string::npos) << ended.err;
    EXPECT_EQ(second.end(1).code, 0);
    EXPECT_EQ(countOf(textOfFile(record), "\"point\""), 2U);
    NcclJob other(ranksOf(3, all));
    const RankEnd refused = other.end(0);
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("is no record of this machine"), std::string::npos) << refused.err;
    for (std::size_t rank = 1; rank < 3; ++rank) {
        const RankEnd told = other.end(rank);
        EXPECT_EQ(told.code, 4);
        EXPECT_NE(told.err.find("is no record of this machine"), std::string::npos) << told.err;
    }
}

}  // namespace
}  // namespace fabricast::probe
