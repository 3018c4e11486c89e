// The probe's whole way, on GPUs that are not there: bytes move, nothing is timed.
#include "tests/probes/nccl/nccl_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace fabricast::probe {
namespace {

namespace fs = std::filesystem;

fs::path freshPath(const std::string& name) {
    fs::path path = fs::path(testing::TempDir()) / (std::to_string(getpid()) + "_" + name);
    fs::remove_all(path);
    return path;
}

std::vector<std::string> linesOf(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Lines with this in them.
std::size_t countOf(const std::string& text, const std::string& part) {
    const auto lines = linesOf(text);
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [&](const auto& line) {
            return line.find(part) != std::string::npos;
        }));
}

/// The rows of nccl-tests' table.
std::size_t rowsOf(const std::string& out) {
    const auto lines = linesOf(out);
    return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [](const auto& line) {
        std::istringstream words(line);
        const std::vector<std::string> cells(std::istream_iterator<std::string>(words), {});
        return cells.size() == 13 && line.front() == ' ';
    }));
}

TEST(NcclProbe, MeasuresAllCollectivesOfTwoRanks) {
    const fs::path record = freshPath("two.jsonl");
    const fs::path json = freshPath("two.json");
    NcclJob job(ranksOf(2,
                        {"--collective",
                         "all",
                         "-b",
                         "8",
                         "-e",
                         "64K",
                         "-f",
                         "16",
                         "-n",
                         "4",
                         "--out",
                         record.string(),
                         "--json",
                         json.string()}));
    const RankEnd first = job.end(0);
    const RankEnd second = job.end(1);
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(second.code, 0) << second.err;
    EXPECT_EQ(second.out, "") << "one rank speaks";
    EXPECT_EQ(rowsOf(first.out), 24U) << first.out;
    EXPECT_EQ(countOf(first.out, "# Collective test starting: "), 6U);
    EXPECT_EQ(countOf(first.out, "# Out of bounds values : 0 OK"), 1U);
    EXPECT_EQ(countOf(first.out, "# Avg bus bandwidth    : "), 1U);
    const std::string text = textOfFile(record);
    EXPECT_EQ(countOf(text, "\"point\":\""), 24U);
    EXPECT_EQ(countOf(text, "\"wrong\":0}"), 24U) << text;
    EXPECT_EQ(countOf(text, "\"n\":4,"), 24U);
    EXPECT_EQ(countOf(text, "\"checked\""), 0U);
    EXPECT_NE(textOfFile(json).find("\"collective\":\"send_recv\""), std::string::npos);
}

TEST(NcclProbe, ChecksEveryTypeAndShape) {
    std::vector<std::string> words = {"-n", "2", "-w", "1"};
    for (const char* type : {"int8", "int32", "half", "bf16", "double"}) {
        for (const char* call : {"all_reduce", "reduce_scatter"}) {
            words.insert(words.end(),
                         {"--point",
                          std::string(call) +
                              " bytes=1000 ranks=4 nodes=1 "
                              "dtype=" +
                              type});
        }
    }
    for (const char* call : {"all_gather", "all_to_all", "send_recv", "all_reduce"}) {
        words.insert(words.end(),
                     {"--point",
                      std::string(call) + " bytes=40K ranks=2 nodes=1 stride=2",
                      "--point",
                      std::string(call) + " bytes=40K ranks=3 nodes=1",
                      "--point",
                      std::string(call) + " bytes=4K ranks=2 nodes=1 groups=1"});
    }
    const fs::path record = freshPath("types.jsonl");
    words.insert(words.end(), {"--out", record.string()});
    NcclJob job(ranksOf(4, words));
    const RankEnd first = job.end(0, 30.0);
    ASSERT_EQ(first.code, 0) << first.err;
    const std::string text = textOfFile(record);
    EXPECT_EQ(countOf(text, "\"wrong\":0}"), 22U) << text;
    EXPECT_EQ(countOf(text, "ranks=2 stride=2\",\"unit\""), 4U);
    EXPECT_EQ(countOf(text, "\"groups\":2,"), 4U);
    EXPECT_EQ(countOf(text, "\"groups\":1,"), 18U);
    for (std::size_t rank = 1; rank < 4; ++rank) {
        EXPECT_EQ(job.end(rank).code, 0);
    }
}

TEST(NcclProbe, SeesWrongResults) {
    std::vector<RankStart> ranks = ranksOf(2, {"--collective", "all", "-b", "4K", "-n", "2"});
    ranks[1].environment["FABRICAST_NULL_NCCL"] = "wrong";
    NcclJob job(ranks);
    const RankEnd first = job.end(0);
    EXPECT_EQ(first.code, 1) << first.err;
    EXPECT_NE(first.err.find("6 with wrong results"), std::string::npos) << first.err;
    EXPECT_EQ(countOf(first.out, "FAILED"), 1U);
    EXPECT_EQ(job.end(1).code, 0);
    std::vector<RankStart> unchecked = ranksOf(2, {"-b", "4K", "-n", "2", "-c", "0"});
    unchecked[1].environment["FABRICAST_NULL_NCCL"] = "wrong";
    NcclJob blind(unchecked);
    EXPECT_EQ(blind.end(0).code, 0) << "-c 0 looks at nothing";
}

TEST(NcclProbe, MeasuresWhatMemoryNcclTakes) {
    NcclJob job(ranksOf(2,
                        {"--point",
                         "footprint of=nccl_init",
                         "--point",
                         "footprint of=nccl_first_call bytes=1M",
                         "--point",
                         "footprint of=nccl_split",
                         "--point",
                         "all_reduce bytes=1K ranks=2 nodes=1"}));
    const RankEnd first = job.end(0);
    EXPECT_EQ(first.code, 0) << first.err;
    // So much does the NCCL that is not there take.
    for (const char* taken : {"footprint of=nccl_init\",\"unit\":\"B\",\"median\":3145728,",
                              "of=nccl_first_call\",\"unit\":\"B\",\"median\":5242880,",
                              "footprint of=nccl_split\",\"unit\":\"B\",\"median\":2097152,"}) {
        EXPECT_EQ(countOf(first.out, taken), 1U) << first.out;
    }
    EXPECT_EQ(rowsOf(first.out), 1U);
}

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
        "-x FABRICAST_NULL_GPUS=3 -x 'LD_PRELOAD=" +
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

TEST(NcclProbe, RefusesWhatTheMachineIsNot) {
    NcclJob job(ranksOf(2,
                        {"-n",
                         "2",
                         "--point",
                         "all_reduce bytes=1K ranks=4 nodes=1",
                         "--point",
                         "all_reduce bytes=1K ranks=2 nodes=2",
                         "--point",
                         "all_gather bytes=4 ranks=2 nodes=1",
                         "--point",
                         "all_gather bytes=2G ranks=2 nodes=1"}));
    const RankEnd first = job.end(0);
    EXPECT_EQ(first.code, 0) << first.err;
    for (const char* why : {"a world of 2 has no 4 ranks 1 apart",
                            "group 0 spans 1 nodes here, not 2",
                            "4 bytes are not one element for each rank",
                            "the GPUs lack the memory for it"}) {
        EXPECT_EQ(countOf(first.out, why), 1U) << first.out;
    }
    EXPECT_EQ(job.end(1).code, 0);
}

TEST(NcclProbe, StopsWhenTheTimeIsUp) {
    std::vector<RankStart> ranks = ranksOf(
        2, {"--collective", "all", "-b", "8", "-e", "1M", "-f", "2", "--time-budget", "1s"});
    for (RankStart& rank : ranks) {
        rank.environment["FABRICAST_NULL_NCCL_SLOW"] = "2";
    }
    NcclJob job(ranks);
    const RankEnd first = job.end(0, 6.0);
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_NE(first.err.find(" left"), std::string::npos);
    EXPECT_EQ(job.end(1, 2.0).code, 0);
}

TEST(NcclProbe, WithoutGpuSaysSoInOneLine) {
    std::vector<RankStart> none = ranksOf(2, {});
    none[1].environment["FABRICAST_NULL_GPUS"] = "0";
    NcclJob job(none);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        const RankEnd ended = job.end(rank);
        EXPECT_EQ(ended.code, 4);
        EXPECT_EQ(withoutNames(ended.err), "fabricast-probe-nccl: rank 1: no GPU here\n");
    }
    for (const char* word : {"--doctor", "--quiet"}) {
        NcclJob alone({{.words = {word}, .environment = {{"CUDA_VISIBLE_DEVICES", "-1"}}}});
        const RankEnd ended = alone.end(0);
        EXPECT_EQ(ended.code, 4);
        EXPECT_EQ(linesOf(ended.err).size(), 1U) << ended.err;
        EXPECT_EQ(ended.err.find("fabricast-probe-nccl: no GPU here"), 0U) << ended.err;
    }
    NcclJob version({{.words = {"--version"}}});
    const RankEnd told = version.end(0);
    EXPECT_EQ(told.code, 0);
    EXPECT_NE(told.out.find("\nNCCL 2."), std::string::npos) << told.out;
}

TEST(NcclProbe, SharesAGpuOnlyWhenTold) {
    std::vector<RankStart> ranks = ranksOf(2, {"-b", "1K", "-n", "2"});
    for (RankStart& rank : ranks) {
        rank.environment["FABRICAST_NULL_GPUS"] = "1";
    }
    {
        NcclJob job(ranks);
        for (std::size_t rank = 0; rank < 2; ++rank) {
            const RankEnd ended = job.end(rank);
            EXPECT_EQ(ended.code, 4);
            EXPECT_NE(ended.err.find("have the same GPU 0000:00:00.0"), std::string::npos)
                << ended.err;
        }
    }
    const fs::path record = freshPath("shared.jsonl");
    for (RankStart& rank : ranks) {
        rank.words.insert(rank.words.end(), {"--share-gpu", "1", "--out", record.string()});
    }
    NcclJob job(ranks);
    EXPECT_EQ(job.end(0).code, 0);
    EXPECT_EQ(job.end(1).code, 0);
    EXPECT_EQ(countOf(textOfFile(record), "\"shared_gpu\":\"yes\""), 2U) << "head and point";
}

TEST(NcclProbe, SaysWhatIsWrongOnItsCommandLine) {
    const std::map<std::string, std::string> cases = {
        {"--ngpus=8", "one process drives one GPU"},
        {"--op=max", "'max' is not possible here"},
        {"--gpus=8", "unknown argument '--gpus=8'"},
        {"--share-gpu=2", "'2' is neither 0 nor 1"},
        {"--group=tp=9", "needs more ranks than the 1 that there are"},
        {"--collective=gossip", "'gossip' is none of all_reduce"},
        {"--point=all_reduce bytes=1", "lacks ranks="},
        {"--point=footprint of=nvshmem", "of= is none of nccl_init"},
        {"--point=gemm m=1", "'gemm' is none of all_reduce"},
        {"--timeout=0", "is no time"},
        {"--rank=1", "--rank needs --world-size too"},
        {"--suite=all", "neither quick nor full"}};
    for (const auto& [word, says] : cases) {
        NcclJob job({{.words = {word}}});
        const RankEnd ended = job.end(0);
        EXPECT_EQ(ended.code, 2) << word << ended.err;
        EXPECT_NE(ended.err.find(says), std::string::npos) << word << ": " << ended.err;
        EXPECT_EQ(linesOf(ended.err).size(), 1U) << ended.err;
    }
}

}  // namespace
}  // namespace fabricast::probe
