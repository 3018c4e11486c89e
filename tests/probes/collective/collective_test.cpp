#include "probes/collective/check_pattern.h"
#include "probes/collective/nccl_tests_table.h"
#include "probes/collective/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace fabricast::probe {
namespace {

CollectiveTask task(const std::string& text) {
    const Answer<Point> point = parsePoint(text);
    EXPECT_TRUE(point) << text;
    const Answer<CollectiveTask> task = taskOf(*point);
    EXPECT_TRUE(task) << (task ? "" : task.trouble().why);
    return task ? *task : CollectiveTask{};
}

std::string troubleOf(const std::string& text) {
    const Answer<CollectiveTask> task = taskOf(*parsePoint(text));
    return task ? "" : task.trouble().why;
}

TEST(Collective, CountsAsNcclTestsDoes) {
    struct Case {
        const char* point;
        std::int64_t count, sent, received, bytes;
        double bus;
    };
    for (const Case& one :
         {Case{"all_reduce bytes=1M ranks=8 nodes=1", 262144, 262144, 262144, 1 << 20, 1.75},
          Case{"all_gather bytes=1M ranks=8 nodes=1", 32768, 32768, 262144, 1 << 20, 0.875},
          Case{"reduce_scatter bytes=1M ranks=8 nodes=1", 32768, 262144, 32768, 1 << 20, 0.875},
          Case{"all_to_all bytes=1M ranks=4 nodes=1 dtype=bf16",
               131072,
               524288,
               524288,
               1 << 20,
               0.75},
          Case{"broadcast bytes=1000 ranks=4 nodes=1 dtype=double", 125, 125, 125, 1000, 1.0},
          Case{"send_recv bytes=7 ranks=2 nodes=1 dtype=half", 3, 3, 3, 6, 1.0},
          Case{"all_gather bytes=100 ranks=8 nodes=1", 3, 3, 24, 96, 0.875},
          Case{"all_gather bytes=16 ranks=8 nodes=1", 0, 0, 0, 0, 0.875}}) {
        SCOPED_TRACE(one.point);
        const CollectiveTask asked = task(one.point);
        const CollectiveCounts counts = countsOf(asked);
        EXPECT_EQ(counts.count, one.count);
        EXPECT_EQ(counts.sent, one.sent);
        EXPECT_EQ(counts.received, one.received);
        EXPECT_EQ(counts.bytes, one.bytes);
        EXPECT_EQ(busFactor(asked.call, asked.shape.ranks), one.bus);
    }
}

TEST(Collective, NamesWhatIsWrongWithAPoint) {
    EXPECT_EQ(troubleOf("all_reduce bytes=1 ranks=2"), "'all_reduce bytes=1 ranks=2' lacks nodes=");
    EXPECT_EQ(troubleOf("gemm m=1"),
              "'gemm' is none of all_reduce, all_gather, reduce_scatter, all_to_all, "
              "broadcast, send_recv");
    EXPECT_EQ(troubleOf("broadcast bytes=1 ranks=2 nodes=1 root=1"),
              "broadcast has no setting 'root'; it has bytes, ranks, nodes, stride, dtype, groups");
    EXPECT_NE(troubleOf("all_reduce bytes=1 ranks=2 nodes=1 dtype=fp8").find("'fp8' is none of"),
              std::string::npos);
    EXPECT_NE(troubleOf("all_reduce bytes=0 ranks=2 nodes=1"), "");
    EXPECT_NE(troubleOf("all_reduce bytes=1 ranks=0 nodes=1"), "");
    EXPECT_NE(troubleOf("all_reduce bytes=1 ranks=2T nodes=1"), "");
    EXPECT_NE(troubleOf("all_reduce bytes=1 ranks=2 nodes=1 groups=2"), "");
}

TEST(StridedGroup, SeatsEveryRankOnce) {
    for (int world = 1; world <= 24; ++world) {
        for (int ranks = 1; ranks <= world; ++ranks) {
            for (int stride = 1; stride <= 8; ++stride) {
                const StridedGroup shape{ranks, stride};
                int seated = 0;
                for (int rank = 0; rank < world; ++rank) {
                    const std::optional<GroupSeat> seat = seatOf(shape, world, rank);
                    if (seat) {
                        ++seated;
                        ASSERT_EQ(
                            membersOf(shape, seat->group).at(static_cast<std::size_t>(seat->place)),
                            rank);
                        ASSERT_LT(membersOf(shape, seat->group).back(), world);
                    }
                }
                ASSERT_EQ(seated, groupsIn(shape, world) * ranks);
                ASSERT_EQ(groupsIn(shape, world) > 0, (ranks - 1) * stride < world);
            }
        }
    }
}

TEST(StridedGroup, SpansHosts) {
    const std::vector<std::string> hosts = {"a", "a", "b", "b"};
    EXPECT_EQ(nodesSpanned(membersOf({2, 1}, 1), hosts), 1);
    EXPECT_EQ(nodesSpanned(membersOf({2, 2}, 0), hosts), 2);
    EXPECT_EQ(nodesSpanned(StridedGroup{8, 4}, 8), 4);
    const auto shapes = shapesOfAxes("tp=8,cp=1,dp=4", 64);
    ASSERT_TRUE(shapes);
    EXPECT_EQ(*shapes, (std::vector<StridedGroup>{{8, 1}, {4, 8}}));
    EXPECT_EQ(shapesOfAxes("tp=8,dp=4", 16).trouble().why,
              "'tp=8,dp=4' needs more ranks than the 16 that there are");
    for (const char* axes : {"", "tp", "tp=", "=8", "tp=0", "tp=x", "tp=8,", "tp=1", "tp=8T"}) {
        EXPECT_FALSE(shapesOfAxes(axes, 8)) << axes;
    }
}

/// What each member sends, and a collective done by hand; or with two members mixed up.
std::vector<std::string> doneByHand(const CollectiveTask& asked, const CheckPattern& pattern) {
    const CollectiveCounts counts = countsOf(asked);
    const auto ranks = static_cast<std::size_t>(asked.shape.ranks);
    const auto each = static_cast<std::size_t>(counts.count);
    std::vector<std::vector<std::int8_t>> sent(ranks);
    for (std::size_t place = 0; place < ranks; ++place) {
        sent[place].resize(static_cast<std::size_t>(counts.sent));
        pattern.fill({reinterpret_cast<char*>(sent[place].data()), sent[place].size()},
                     0,
                     static_cast<int>(place));
    }
    std::vector<std::string> received(ranks);
    for (std::size_t place = 0; place < ranks; ++place) {
        for (std::size_t at = 0; at < static_cast<std::size_t>(counts.received); ++at) {
            int value = 0;
            const std::size_t from = at / each;
            for (std::size_t other = 0; other < ranks && isReduction(asked.call); ++other) {
                const bool scatter = asked.call == GroupCall::ReduceScatter;
                value += sent[other][scatter ? place * each + at : at];
            }
            value = asked.call == GroupCall::AllGather   ? sent[from][at % each]
                    : asked.call == GroupCall::AllToAll  ? sent[from][place * each + at % each]
                    : asked.call == GroupCall::Broadcast ? sent[0][at]
                    : asked.call == GroupCall::SendRecv  ? sent[(place + ranks - 1) % ranks][at]
                                                         : value;
            received[place] += static_cast<char>(value);
        }
    }
    return received;
}

TEST(CheckPattern, AcceptsWhatIsRightAndNothingElse) {
    for (const GroupCall call : kGroupCalls) {
        const CollectiveTask asked =
            task(std::string(nameOf(call)) + " bytes=1200 ranks=4 nodes=1 dtype=int8");
        const CheckPattern pattern(asked);
        ASSERT_TRUE(pattern.possible());
        const std::vector<std::string> received = doneByHand(asked, pattern);
        for (std::size_t place = 0; place < received.size(); ++place) {
            std::string bytes = received[place];
            const auto wrong = [&](std::size_t from) {
                return pattern.wrong({bytes.data() + from, bytes.size() - from},
                                     static_cast<std::int64_t>(from),
                                     static_cast<int>(place));
            };
            EXPECT_EQ(wrong(0), 0) << nameOf(call);
            EXPECT_EQ(wrong(100), 0) << "in pieces too";
            bytes[7] ^= 1;
            EXPECT_EQ(wrong(0), 1) << nameOf(call);
            bytes = received[place].substr(1) + received[place].front();
            EXPECT_GT(wrong(0), 100) << nameOf(call) << ": one element off";
            bytes = std::string(bytes.size(), '\0');
            EXPECT_GT(wrong(0), 100) << nameOf(call) << ": nothing came";
        }
    }
    EXPECT_FALSE(CheckPattern(task("all_reduce bytes=1K ranks=512 nodes=1 dtype=bf16")).possible());
    EXPECT_TRUE(CheckPattern(task("all_reduce bytes=1K ranks=512 nodes=1 dtype=half")).possible());
}

TEST(CheckPattern, EncodesSmallNumbersExactly) {
    const auto bits = [](const char* type, std::int64_t value) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, encoded(*collectiveTypeNamed(type), value).data(), 8);
        return bytes;
    };
    EXPECT_EQ(bits("half", 0), 0U);
    EXPECT_EQ(bits("half", 1), 0x3C00U);
    EXPECT_EQ(bits("half", 3), 0x4200U);
    EXPECT_EQ(bits("half", 2048), 0x6800U);
    EXPECT_EQ(bits("bf16", 1), 0x3F80U);
    EXPECT_EQ(bits("bf16", 255), 0x437FU);
    EXPECT_EQ(bits("float", 1), 0x3F800000U);
    EXPECT_EQ(bits("double", 2), 0x4000000000000000U);
    EXPECT_EQ(bits("int8", 5), 5U);
}

std::string sweepOf(const std::vector<std::pair<std::string, std::string>>& words, int world) {
    SweepFlags flags;
    for (const auto& [flag, value] : words) {
        const Answer<bool> taken = takeSweepFlag(flag, value, flags);
        if (!taken || !*taken) {
            return taken ? "unknown" : taken.trouble().why;
        }
    }
    const Answer<std::vector<Point>> points = sweepPoints(flags, world, 8);
    std::string text = points ? "" : points.trouble().why;
    for (std::size_t at = 0; points && at < points->size(); ++at) {
        text += (at > 0 ? "; " : "") + textOf((*points)[at]);
    }
    return text;
}

TEST(Sweep, SpeaksAsNcclTestsDoes) {
    EXPECT_EQ(sweepOf({{"-b", "8"}, {"-e", "32"}, {"-f", "2"}}, 2),
              "all_reduce bytes=8 nodes=1 ranks=2; all_reduce bytes=16 nodes=1 ranks=2; "
              "all_reduce bytes=32 nodes=1 ranks=2");
    EXPECT_EQ(sweepOf({{"-b", "1M"}, {"-e", "3M"}, {"--stepbytes", "1M"}, {"-d", "half"}}, 2),
              "all_reduce bytes=1048576 dtype=half nodes=1 ranks=2; "
              "all_reduce bytes=2097152 dtype=half nodes=1 ranks=2; "
              "all_reduce bytes=3145728 dtype=half nodes=1 ranks=2");
    EXPECT_EQ(sweepOf({{"--collective", "all_gather"}, {"-b", "1K"}, {"--group", "tp=8,dp=2"}}, 16),
              "all_gather bytes=1024 nodes=1 ranks=8; "
              "all_gather bytes=1024 nodes=2 ranks=2 stride=8");
    EXPECT_EQ(sweepOf({{"--collective", "all_gather"}, {"-b", "4"}, {"-e", "8"}, {"-f", "2"}}, 2),
              "all_gather bytes=8 nodes=1 ranks=2")
        << "a size without an element for each is none";
    EXPECT_EQ(sweepOf({{"-g", "8"}}, 2),
              "'8' is not possible here: one process drives one GPU; start as many processes as "
              "GPUs");
    EXPECT_EQ(sweepOf({{"-o", "max"}}, 2), "'max' is not possible here: reductions add");
    EXPECT_EQ(sweepOf({{"-z", "1"}}, 2), "unknown");
    EXPECT_EQ(sweepOf({{"-n", "0"}}, 2), "'0' is not from 1 to 100000");
    EXPECT_EQ(sweepOf({{"-b", "8"}, {"-e", "1T"}, {"-i", "1"}}, 2),
              "-i 1 makes too many sizes: give -f 2 or a larger step");
    EXPECT_EQ(sweepOf({{"-b", "8"}, {"-e", "4"}}, 2), "-e 4 is less than -b 8");
    EXPECT_EQ(sweepOf({{"--collective", "all_reduce,gather"}}, 2).substr(0, 18),
              "'gather' is none o");
}

TEST(Sweep, SuitesHaveEveryShapeOfTraining) {
    const auto has = [](const std::vector<Point>& points, const char* text) {
        return std::find(points.begin(), points.end(), *parsePoint(text)) != points.end();
    };
    const auto quick = collectiveSuite("quick", 32, 8);
    const auto full = collectiveSuite("full", 32, 8);
    ASSERT_TRUE(quick && full);
    EXPECT_TRUE(has(*quick, "footprint of=nccl_init"));
    EXPECT_TRUE(has(*quick, "all_reduce bytes=268435456 nodes=1 ranks=8"));
    EXPECT_TRUE(has(*quick, "all_to_all bytes=1024 nodes=4 ranks=32"));
    EXPECT_TRUE(has(*quick, "all_gather bytes=524288 nodes=4 ranks=4 stride=8"));
    EXPECT_FALSE(has(*quick, "all_gather bytes=1024 nodes=1 ranks=4"));
    EXPECT_TRUE(has(*full, "all_gather bytes=1024 nodes=1 ranks=4"));
    EXPECT_TRUE(has(*full, "all_reduce bytes=4294967296 nodes=2 ranks=16"));
    EXPECT_TRUE(has(*full, "send_recv bytes=2048 nodes=2 ranks=2 stride=8"));
    EXPECT_FALSE(collectiveSuite("slow", 2, 2));
    EXPECT_TRUE(collectiveSuite("quick", 1, 1)) << "even alone";
}

Measurement measured() {
    return {.point = *parsePoint("all_gather bytes=1M ranks=8 nodes=1"),
            .samples = {9e-6, 1e-5, 1.1e-5},
            .facts = {{"wall", 1.2e-5},
                      {"in_place_wall", 1.1e-5},
                      {"wrong", 0},
                      {"out_of_place_wrong", 0},
                      {"in_place_wrong", 0}}};
}

TEST(NcclTestsTable, HasTheColumnsThatReadersKnow) {
    const NcclTestsRun run{.ncclVersion = "22809",
                           .devices = {{0, 4711, "node01", 0, "0000:18:00.0", "NVIDIA H100"}},
                           .least = 8,
                           .most = 1 << 20};
    NcclTestsTable table;
    const std::string first = table.row(run, measured());
    EXPECT_NE(first.find("# Collective test starting: all_gather_perf\n"), std::string::npos);
    EXPECT_NE(first.find("#  Rank  0 Group  0 Pid   4711 on     node01 device  0 [0000:18:00.0] "
                         "NVIDIA H100\n"),
              std::string::npos);
    EXPECT_NE(first.find("#       size         count      type   redop    root     time   algbw"),
              std::string::npos);
    const std::string row =
        "     1048576         32768     float    none      -1    12.00   87.38"
        "   76.46      0    11.00   95.33   83.41      0";
    EXPECT_TRUE(first.ends_with("\n" + row)) << first;
    EXPECT_EQ(table.row(run, measured()), row) << "one head for all sizes";
    EXPECT_NE(table.foot().find("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 79.9"),
              std::string::npos)
        << table.foot();
}

TEST(NcclTestsTable, WritesNcclTestsJson) {
    const NcclTestsRun run{.ncclVersion = "22809",
                           .devices = {{0, 4711, "node01", 0, "0000:18:00.0", "NVIDIA H100"}},
                           .least = 8,
                           .most = 1 << 20};
    const std::string text = ncclTestsJson(run, {measured()}, {"-b", "8"}, "2026-01-01");
    for (const char* part :
         {"\"args\":[\"-b\",\"8\"],\"env\":[]",
          "\"config\":{\"nthreads\":1,\"ngpus\":1,\"minimum_bytes\":8,\"maximum_bytes\":1048576,",
          "\"devices\":[{\"rank\":0,\"group\":0,\"pid\":4711,\"hostname\":\"node01\"",
          "\"size\":1048576,\"count\":32768,\"type\":\"float\",\"redop\":\"none\",\"root\":-1,"
          "\"out_of_place\":{\"time\":12,\"alg_bw\":87.38",
          "\"in_place\":{\"time\":11,",
          "\"out_of_bounds\":{\"count\":0,\"okay\":\"true\"}"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    }
}

/// NCCL moves a part that begins at no multiple of 16 bytes element by element.
TEST(CollectiveTask, PartsOfRanksBeginAtMultiplesOf16Bytes) {
    for (const int ranks : {2, 3, 8, 24, 72}) {
        for (const char* dtype : {"float", "bfloat16", "int8", "double"}) {
            for (const char* call : {"all_gather", "reduce_scatter", "all_to_all"}) {
                for (const char* bytes : {"1000000", "64M"}) {
                    const Point point{.what = call,
                                      .settings = {{"bytes", bytes},
                                                   {"ranks", std::to_string(ranks)},
                                                   {"nodes", "1"},
                                                   {"dtype", dtype}}};
                    const Answer<CollectiveTask> task = taskOf(point);
                    ASSERT_TRUE(task);
                    const CollectiveCounts counts = countsOf(*task);
                    EXPECT_EQ(counts.count * task->type.bytes % 16, 0) << call << ranks << dtype;
                    EXPECT_GT(counts.bytes, task->bytes - 16 * ranks);
                }
            }
        }
    }
}

/// Seconds that one rank's host compares results for, at 10 ns an element, out of place and in it.
double judgingSeconds(const std::vector<Point>& points) {
    double elements = 0.0;
    for (const Point& point : points) {
        const Answer<CollectiveTask> task = taskOf(point);
        for (const JudgedPart& part : task ? judgedParts(*task) : std::vector<JudgedPart>()) {
            elements += static_cast<double>(part.elements) * (hasInPlace(task->call) ? 2.0 : 1.0);
        }
    }
    return elements * 10e-9;
}

/// calibrate gives the collectives of a node three parts in eight of five minutes: 112 s.
TEST(CheckPattern, JudgingTheFullSuiteOfEightGpusTakesAQuarterOfItsTime) {
    const Answer<std::vector<Point>> points = collectiveSuite("full", 8, 8);
    ASSERT_TRUE(points);
    EXPECT_GT(points->size(), 300U);
    EXPECT_LT(judgingSeconds(*points), 112.0 / 4.0);
}

TEST(CheckPattern, PartsThatAreJudgedReachFromEndToEnd) {
    CollectiveTask task{
        .bytes = std::int64_t{4} << 30, .shape = {8, 1}, .type = *collectiveTypeNamed("float")};
    const std::vector<JudgedPart> some = judgedParts(task);
    EXPECT_EQ(some.front().first, 0);
    EXPECT_EQ(some.back().first + some.back().elements, countsOf(task).received);
    task.bytes = (std::int64_t{32} << 20) - 4;
    std::int64_t next = 0;
    for (const JudgedPart& part : judgedParts(task)) {
        EXPECT_EQ(part.first, next);
        next = part.first + part.elements;
    }
    EXPECT_EQ(next, countsOf(task).received) << "all of what is not longer";
    // Beyond the period a member sends the same again, and the next member does not.
    const CheckPattern pattern(task);
    std::vector<char> first(4096);
    std::vector<char> again(4096);
    pattern.fill(first, 7, 0);
    pattern.fill(again, 7 + CheckPattern::kPeriod, 0);
    EXPECT_EQ(first, again);
    pattern.fill(again, 7, 1);
    EXPECT_NE(first, again);
}

TEST(StridedGroup, HostsSayHowManyRanksEachHas) {
    EXPECT_EQ(ranksPerHost({"a", "a", "b", "b"}), 2);
    EXPECT_EQ(ranksPerHost({"a", "b"}), 1);
}

}  // namespace
}  // namespace fabricast::probe
