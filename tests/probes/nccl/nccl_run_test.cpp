// The probe's whole way, on GPUs that are not there: bytes move, nothing is timed.
#include "tests/probes/nccl/printed_lines.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace fabricast::probe {
namespace {

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

TEST(NcclProbe, ChecksWhatIsLongerThanThePiecesItGoesIn) {
    std::vector<std::string> words = {"-n", "1", "-w", "1"};
    for (const char* call :
         {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "send_recv"}) {
        words.insert(words.end(),
                     {"--point", std::string(call) + " bytes=5000016 ranks=3 nodes=1"});
    }
    NcclJob job(ranksOf(3, words));
    const RankEnd first = job.end(0, 30.0);
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(rowsOf(first.out), 6U) << first.out;
    EXPECT_EQ(countOf(first.out, "# Out of bounds values : 0 OK"), 1U) << first.out;
    // What one rank has alone goes no other way.
    NcclJob alone(
        ranksOf(1, {"-n", "1", "-w", "1", "--point", "all_reduce bytes=9M ranks=1 nodes=1"}));
    EXPECT_EQ(alone.end(0, 30.0).code, 0);
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

/// What the call before left there is no result: all-gather in place would find its own.
TEST(NcclProbe, SeesCallsThatMoveNothingInPlace) {
    const fs::path record = freshPath("idle.jsonl");
    std::vector<RankStart> ranks =
        ranksOf(2, {"--collective", "all", "-b", "4K", "-n", "2", "--out", record.string()});
    for (RankStart& rank : ranks) {
        rank.environment["FABRICAST_NULL_NCCL"] = "idle";
    }
    NcclJob job(ranks);
    EXPECT_EQ(job.end(0).code, 1);
    const std::string text = textOfFile(record);
    EXPECT_EQ(countOf(text, "\"point\":\""), 6U) << text;
    EXPECT_EQ(countOf(text, "\"in_place_wrong\":"), 4U) << text;
    EXPECT_EQ(countOf(text, "\"in_place_wrong\":0"), 0U) << text;
    EXPECT_EQ(countOf(text, "\"out_of_place_wrong\":0,"), 6U) << text;
}

/// A rank's threads work on its own GPU. In exclusive mode every other belongs to another rank.
TEST(NcclProbe, TouchesNoGpuOfAnotherRank) {
    std::vector<RankStart> ranks = ranksOf(2,
                                           {"--point",
                                            "footprint of=nccl_split",
                                            "--point",
                                            "all_reduce bytes=1K ranks=2 nodes=1",
                                            "--point",
                                            "all_reduce bytes=1K ranks=1 nodes=1"});
    ranks[0].environment["FABRICAST_NULL_TAKEN"] = "1";
    ranks[1].environment["FABRICAST_NULL_TAKEN"] = "0";
    NcclJob job(ranks);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        const RankEnd ended = job.end(rank);
        EXPECT_EQ(ended.code, 0) << ended.err;
    }
}

/// A container under srun says rank and world, and no more: the hosts are those of the meeting.
TEST(NcclProbe, TakesTheHostsFromTheMeetingWhereNoLauncherNamesThem) {
    std::vector<RankStart> ranks =
        ranksOf(4, {"--collective", "all_reduce", "-b", "1K", "-n", "1", "--group", "tp=2,dp=2"});
    for (std::size_t rank = 0; rank < 4; ++rank) {
        ranks[rank].environment["FABRICAST_PROBE_HOST"] = rank < 2 ? "node01" : "node02";
    }
    NcclJob job(ranks);
    const RankEnd first = job.end(0, 30.0);
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_NE(first.err.find("nodes=1 ranks=2"), std::string::npos) << first.err;
    EXPECT_NE(first.err.find("nodes=2 ranks=2 stride=2"), std::string::npos) << first.err;
    EXPECT_EQ(first.out.find("refused"), std::string::npos) << first.out;
    EXPECT_EQ(rowsOf(first.out), 2U);
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
    // The time that the null NCCL takes.
    for (const char* taken : {"footprint of=nccl_init\",\"unit\":\"B\",\"median\":3145728,",
                              "of=nccl_first_call\",\"unit\":\"B\",\"median\":5242880,",
                              "footprint of=nccl_split\",\"unit\":\"B\",\"median\":2097152,"}) {
        EXPECT_EQ(countOf(first.out, taken), 1U) << first.out;
    }
    EXPECT_EQ(rowsOf(first.out), 1U);
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
        EXPECT_EQ(withoutNames(ended.err), "error: fabricast-probe-nccl: rank 1: no GPU here\n");
    }
    for (const char* word : {"--doctor", "--quiet"}) {
        NcclJob alone({{.words = {word}, .environment = {{"CUDA_VISIBLE_DEVICES", "-1"}}}});
        const RankEnd ended = alone.end(0);
        EXPECT_EQ(ended.code, 4);
        EXPECT_EQ(linesOf(ended.err).size(), 1U) << ended.err;
        EXPECT_EQ(ended.err.find("error: fabricast-probe-nccl: no GPU here"), 0U) << ended.err;
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
