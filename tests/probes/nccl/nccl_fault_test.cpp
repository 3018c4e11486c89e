// What goes wrong with one rank ends on every rank: soon, with the same sentence, and what was
// measured stays.
#include "tests/probes/nccl/printed_lines.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace fabricast::probe {
namespace {

/// A run that would take minutes.
std::vector<RankStart> longRun(int world, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {
        "--collective", "all", "-b", "8", "-e", "1M", "-f", "2", "-n", "5"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<RankStart> ranks = ranksOf(world, words);
    for (RankStart& rank : ranks) {
        rank.environment["FABRICAST_NULL_NCCL_SLOW"] = "5";
    }
    return ranks;
}

/// The last line of standard error without the program's name.
std::string lastWord(const RankEnd& ended) {
    const std::string text = ended.err.substr(0, ended.err.find_last_not_of('\n') + 1);
    std::string line = text.substr(text.rfind('\n') + 1);
    line.erase(0, line.starts_with("error: ") ? std::string("error: ").size() : 0);
    const std::string program = "fabricast-probe-nccl: ";
    return withoutNames(line.starts_with(program) ? line.substr(program.size()) : line);
}

/// Each line of a record is whole, and so is the file.
int pointsInRecord(const fs::path& path) {
    std::istringstream lines(textOfFile(path));
    int points = -1;
    for (std::string line; std::getline(lines, line); ++points) {
        EXPECT_TRUE(line.starts_with("{") && line.ends_with("}")) << line;
    }
    return points;
}

TEST(NcclFaults, AKilledRankIsNamedOnAll) {
    for (const std::size_t victim : {0U, 2U}) {
        const fs::path record = freshPath("killed.jsonl");
        NcclJob job(longRun(4, {"--out", record.string()}));
        ASSERT_TRUE(job.says(0, "[3/"));
        job.signal(victim, SIGKILL);
        for (std::size_t rank = 0; rank < 4; ++rank) {
            const RankEnd ended = job.end(rank, 8.0);
            EXPECT_EQ(ended.code, rank == victim ? 128 + SIGKILL : 4) << ended.err;
            if (rank != victim) {
                EXPECT_NE(lastWord(ended).find("rank " + std::to_string(victim) + " is gone"),
                          std::string::npos)
                    << ended.err;
            }
        }
        EXPECT_GE(pointsInRecord(record), 2) << "what was measured stays";
    }
}

TEST(NcclFaults, AStalledRankIsNamedOnAll) {
    for (const std::size_t victim : {0U, 1U}) {
        NcclJob job(longRun(3, {"--timeout", "2s"}));
        ASSERT_TRUE(job.says(0, "[3/"));
        job.signal(victim, SIGSTOP);
        for (std::size_t rank = 0; rank < 3; ++rank) {
            if (rank != victim) {
                const RankEnd ended = job.end(rank, 10.0);
                EXPECT_EQ(ended.code, 4) << ended.err;
                EXPECT_NE(lastWord(ended).find("rank " + std::to_string(victim) +
                                               " has said nothing for 2 s"),
                          std::string::npos)
                    << ended.err;
            }
        }
        // Woken up, it does not stay behind.
        job.signal(victim, SIGCONT);
        EXPECT_EQ(job.end(victim, 10.0).code, 4);
    }
}

TEST(NcclFaults, CtrlCOnAnyRankStopsAll) {
    for (const std::size_t presses : {0U, 1U, 2U}) {
        const fs::path record = freshPath("interrupted.jsonl");
        NcclJob job(longRun(3, {"--out", record.string()}));
        ASSERT_TRUE(job.says(0, "[3/"));
        job.signal(presses, SIGINT);
        const RankEnd first = job.end(0, 5.0);
        EXPECT_EQ(first.code, 130) << first.err;
        EXPECT_NE(first.err.find("left; the same command goes on"), std::string::npos) << first.err;
        EXPECT_EQ(job.end(1, 5.0).code, 0);
        EXPECT_EQ(job.end(2, 5.0).code, 0);
        EXPECT_GE(pointsInRecord(record), 2);
    }
}

TEST(NcclFaults, CtrlCOnAllAtOnceStopsAll) {
    // As a terminal does it, and mpirun with SIGTERM.
    for (const int number : {SIGINT, SIGTERM}) {
        NcclJob job(longRun(3));
        ASSERT_TRUE(job.says(0, "[2/"));
        for (std::size_t rank = 0; rank < 3; ++rank) {
            job.signal(rank, number);
        }
        EXPECT_EQ(job.end(0, 5.0).code, 128 + number);
        EXPECT_EQ(job.end(1, 5.0).code, 0);
        EXPECT_EQ(job.end(2, 5.0).code, 0);
    }
}

// Nobody waits for the point under way, and what was finished before is kept.
TEST(NcclFaults, CtrlCLeavesALongPoint) {
    for (const std::size_t presses : {0U, 1U}) {
        const fs::path record = freshPath("left.jsonl");
        const auto ranks = [&](const char* most, const char* slow) {
            std::vector<RankStart> all = ranksOf(
                3, {"-b", "8", "-e", most, "-f", "2", "-n", "20", "--out", record.string()});
            for (RankStart& rank : all) {
                rank.environment["FABRICAST_NULL_NCCL_SLOW"] = slow;
            }
            return all;
        };
        NcclJob quick(ranks("8", "0"));
        ASSERT_EQ(quick.end(0).code, 0);
        NcclJob job(ranks("16", "500"));  // the second point would take half a minute
        ASSERT_TRUE(job.says(0, "[1/1]"));
        job.signal(presses, SIGTERM);
        const RankEnd first = job.end(0, 2.5);
        EXPECT_EQ(first.code, 128 + (presses == 0 ? SIGTERM : SIGINT)) << first.err;
        EXPECT_NE(first.err.find("1 known, kept in " + record.string()), std::string::npos)
            << first.err;
        for (const std::size_t rank : {1U, 2U}) {
            const RankEnd other = job.end(rank, 1.5);
            EXPECT_EQ(other.code, 0) << other.err;
            EXPECT_EQ(other.err, "");
        }
        EXPECT_EQ(pointsInRecord(record), 1);
    }
}

TEST(NcclFaults, CtrlCBeforeAllAreHereEndsTheWait) {
    std::vector<RankStart> ranks = longRun(2);
    ranks.pop_back();
    NcclJob job(ranks);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    job.signal(0, SIGINT);
    const RankEnd ended = job.end(0, 4.0);
    EXPECT_EQ(ended.code, 130) << ended.err;
    EXPECT_EQ(lastWord(ended), "interrupted while the ranks were coming together");
}

TEST(NcclFaults, NcclsOwnErrorIsToldToAll) {
    std::vector<RankStart> ranks = longRun(3);
    ranks[1].environment["FABRICAST_NULL_NCCL"] = "error";
    NcclJob job(ranks);
    for (std::size_t rank = 0; rank < 3; ++rank) {
        const RankEnd ended = job.end(rank, 10.0);
        EXPECT_EQ(ended.code, 4);
        EXPECT_NE(lastWord(ended).find("rank 1: all_reduce: remote process exited"),
                  std::string::npos)
            << ended.err;
    }
}

TEST(NcclFaults, ACallThatNeverComesBackEndsAll) {
    for (const char* fault : {"hang", "deaf"}) {
        std::vector<RankStart> ranks = longRun(2);
        for (RankStart& rank : ranks) {
            rank.words.insert(rank.words.end(), {"--timeout", "1s"});
        }
        ranks[1].environment["FABRICAST_NULL_NCCL"] = fault;
        NcclJob job(ranks);
        for (std::size_t rank = 0; rank < 2; ++rank) {
            const RankEnd ended = job.end(rank, 12.0);
            EXPECT_EQ(ended.code, 4) << ended.err;
            EXPECT_NE(ended.err.find("all_reduce of 8 bytes did not get on for 2 s"),
                      std::string::npos)
                << ended.err;
        }
    }
}

TEST(NcclFaults, AWrongWorldIsNamedOnAll) {
    std::vector<RankStart> ranks = ranksOf(3, {});
    ranks[2].words[3] = "4";
    NcclJob job(ranks);
    for (std::size_t rank = 0; rank < 3; ++rank) {
        const RankEnd ended = job.end(rank, 8.0);
        EXPECT_EQ(ended.code, 4);
        EXPECT_EQ(lastWord(ended), "rank 2 was started with a world of 4, rank 0 with one of 3");
    }
}

TEST(NcclFaults, ARankThatNeverComesIsNamed) {
    std::vector<RankStart> ranks = ranksOf(3, {"--join-timeout", "1s"});
    ranks.pop_back();
    NcclJob job(ranks);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        const RankEnd ended = job.end(rank, 6.0);
        EXPECT_EQ(ended.code, 4);
        EXPECT_EQ(lastWord(ended).find("rank 2 did not come to 127.0.0.1:"), 0U) << ended.err;
    }
}

TEST(NcclFaults, ATakenPortIsNamed) {
    const Answer<Socket> holder = listenAt("127.0.0.1", 0);
    ASSERT_TRUE(holder);
    std::vector<RankStart> ranks = ranksOf(2, {"--join-timeout", "1s"});
    for (RankStart& rank : ranks) {
        rank.words[5] = "127.0.0.1:" + std::to_string(portOf(*holder));
    }
    NcclJob job(ranks);
    const RankEnd first = job.end(0, 3.0);
    EXPECT_EQ(first.code, 4);
    EXPECT_NE(first.err.find("port " + std::to_string(portOf(*holder)) + " is taken on "),
              std::string::npos)
        << first.err;
    const RankEnd second = job.end(1, 6.0);
    EXPECT_EQ(second.code, 4);
    EXPECT_NE(second.err.find("rank 1 found no rank 0 at 127.0.0.1:"), std::string::npos);
}

TEST(NcclFaults, AStrangerIsTurnedAway) {
    std::vector<RankStart> ranks = ranksOf(2, {"--join-timeout", "1s"});
    ranks[0].environment["FABRICAST_PROBE_TOKEN"] = "our-secret";
    ranks[1].environment["FABRICAST_PROBE_TOKEN"] = "their-secret";
    NcclJob job(ranks);
    EXPECT_NE(job.end(0, 6.0).err.find("turned away, as its token is not rank 0's"),
              std::string::npos);
    const RankEnd second = job.end(1, 6.0);
    EXPECT_EQ(second.code, 4);
    EXPECT_NE(second.err.find("has another token than rank 0"), std::string::npos) << second.err;
}

TEST(NcclFaults, RanksWithoutATokenAreRefusedByADryRunToo) {
    const std::vector<std::pair<std::string, std::string>> tokens = {
        {"", "is not set"},
        {"x", "could be guessed"},
        {"seventh", "could be guessed"},
        {"ababababababab", "could be guessed"},
        {std::string(20, ' '), "could be guessed"}};
    for (std::size_t number = 0; number < 2 * tokens.size(); ++number) {
        const bool dry = number % 2 == 0;
        const auto& [token, why] = tokens[number / 2];
        std::vector<RankStart> ranks =
            ranksOf(2, dry ? std::vector<std::string>{"--dry-run"} : std::vector<std::string>());
        ranks.resize(1);
        ranks[0].environment["FABRICAST_PROBE_TOKEN"] = token;
        NcclJob job(ranks);
        const RankEnd ended = job.end(0, 6.0);
        EXPECT_EQ(ended.code, 4) << ended.err;
        EXPECT_NE(ended.err.find("FABRICAST_PROBE_TOKEN"), std::string::npos) << ended.err;
        EXPECT_NE(ended.err.find(why), std::string::npos) << ended.err;
        EXPECT_NE(ended.err.find("export FABRICAST_PROBE_TOKEN=$(od"), std::string::npos);
    }
}

TEST(NcclFaults, AFullDiskOrAForbiddenPlaceEndsAll) {
    struct Place {
        const char* flag;
        const char* path;
        const char* says;
    };
    const Place places[] = {
        {"--out", "/dev/full", "/dev/full: cannot be written: No space left on device"},
        {"--out", "/nowhere/record.jsonl", "--out: there is no folder /nowhere"},
        {"--out", "/proc/version/record", "--out: there is no folder /proc/version"},
        {"--json", "/dev/full", "/dev/full: cannot be written: No space left on device"},
        {"--json", "/nowhere/a.json", "/nowhere/a.json: cannot be written: No such file or dir"},
        {"--json", "/proc/version/a", "/proc/version/a: cannot be written: Not a directory"}};
    for (const Place& place : places) {
        NcclJob job(longRun(2, {place.flag, place.path}));
        for (std::size_t rank = 0; rank < 2; ++rank) {
            const RankEnd ended = job.end(rank, 8.0);
            EXPECT_EQ(ended.code, 4) << ended.err;
            EXPECT_NE(lastWord(ended).find(place.says), std::string::npos) << ended.err;
        }
    }
}

}  // namespace
}  // namespace fabricast::probe
