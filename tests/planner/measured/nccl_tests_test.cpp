#include "planner/measured/nccl_tests.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <ctime>
#include <string>

namespace fabricast {
namespace nccl_tests_test {

MeasurementRecord read(const std::string& text,
                       const std::string& file = "run.log",
                       const NcclTestsHint& hint = {}) {
    const auto record = parseNcclTests(text, file, hint);
    EXPECT_TRUE(record) << record.error().text();
    return record ? *record : MeasurementRecord{};
}

std::string errorOf(const std::string& text, const std::string& file = "run.log") {
    const auto record = parseNcclTests(text, file, {});
    return record ? "" : record.error().text();
}

const std::string kRanks =
    "#  Rank  0 Group  0 Pid 101 on    nodeA device  0 [0000:18:00.0] NVIDIA H100 80GB HBM3\n"
    "#  Rank  1 Group  0 Pid 102 on    nodeA device  1 [0000:2a:00.0] NVIDIA H100 80GB HBM3\n"
    "#  Rank  2 Group  0 Pid 201 on    nodeB device  0 [0000:18:00.0] NVIDIA H100 80GB HBM3\n"
    "#  Rank  3 Group  0 Pid 202 on    nodeB device  1 [0000:2a:00.0] NVIDIA H100 80GB HBM3\n";
const std::string kColumns =
    "#                                                              out-of-place           "
    "in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time "
    " "
    " algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us) "
    " "
    "(GB/s)  (GB/s)       \n";
const std::string kModern =
    "# nccl-tests version 2.17.6 nccl-headers=22809 nccl-library=22703\n"
    "# Collective test starting: all_reduce_perf\n"
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20 "
    "agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n" +
    kRanks + "#\n" + kColumns +
    "     1048576        262144     float     sum      -1    55.21   18.99   28.49      0    54.80 "
    "  "
    "19.13   28.70      0\n"
    "   134217728      33554432     float     sum      -1   1234.5  108.72  163.08      2  1.2e+03 "
    "  "
    "111.8  167.77    N/A\n"
    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 97.2\n";

/// As other operations and numbers of ranks have them.
std::string withBusRates(std::string text, const std::string& first, const std::string& second) {
    text.replace(text.find("28.49"), 5, first);
    return text.replace(text.find("163.08"), 6, second);
}

std::string withKind(std::string text, const std::string& redopAndRoot) {
    const std::string old = " sum      -1";
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old)) {
        text.replace(at, old.size(), " " + redopAndRoot);
    }
    return text;
}

TEST(NcclTests, ReadsTheLayoutOfToday) {
    const MeasurementRecord record = read(kModern);
    ASSERT_EQ(record.points.size(), 2U);
    const RecordedPoint& first = record.points[0];
    EXPECT_EQ(first.text, "all_reduce bytes=1048576 dtype=fp32 nodes=2 ranks=4");
    ASSERT_EQ(first.samples.size(), 1U);
    EXPECT_DOUBLE_EQ(first.median, 55.21e-6);
    EXPECT_EQ(first.fact("busbw", 0), 28.49);
    EXPECT_EQ(first.fact("wrong", -1), 0.0);
    EXPECT_EQ(record.points[1].fact("wrong", -1), 2.0);
    EXPECT_EQ(record.machine.at("gpu"), "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(record.machine.at("nccl"), "2.27.3");
}

// Of a job that was killed, or a disk with a fault.
TEST(NcclTests, TellsWhichRowsItLeavesOut) {
    EXPECT_TRUE(read(kModern).dropped.empty());
    const std::string row = "     1048576        262144     float";
    const auto dropped = [&](const std::string& damaged) {
        std::string text = kModern;
        text.replace(text.find(row), row.size(), damaged);
        const MeasurementRecord record = read(text);
        EXPECT_EQ(record.points.size(), 1U) << damaged;
        return record.dropped.size() == 1 ? record.dropped.front() : "";
    };
    const std::string damaged = ": left out: it is a row that is damaged or cut";
    EXPECT_EQ(dropped("     10\xff"
                      "8576        262144     float"),
              "run.log:14" + damaged);
    EXPECT_EQ(dropped("     1048576        262144     foo"),
              "run.log:14: left out: nccl-tests has no type \"foo\"");
    const std::string cut = kModern.substr(0, kModern.find("163.08"));
    const MeasurementRecord killed = read(cut);
    EXPECT_EQ(killed.points.size(), 1U);
    ASSERT_EQ(killed.dropped.size(), 1U);
    EXPECT_EQ(killed.dropped.front(), "run.log:15" + damaged);
    EXPECT_EQ(read(kModern.substr(0, kModern.find("   134217728") + 8)).dropped.size(), 1U);
}

TEST(NcclTests, LeavesOutRowsWithoutAFiniteTimeOrRate) {
    const std::pair<const char*, const char*> cells[] = {{"55.21", "time"},
                                                         {"18.99", "algbw"},
                                                         {"28.49", "busbw"},
                                                         {"54.80", "time"},
                                                         {"19.13", "algbw"},
                                                         {"28.70", "busbw"}};
    for (const auto& [number, column] : cells) {
        for (const std::string odd : {"inf", "-nan", "+Inf", "1e999"}) {
            std::string text = kModern;
            text.replace(text.find(number), 5, odd);
            const MeasurementRecord record = read(text);
            EXPECT_EQ(record.points.size(), 1U) << odd;
            ASSERT_EQ(record.dropped.size(), 1U) << odd << " in " << number;
            EXPECT_EQ(record.dropped.front(),
                      "run.log:14: left out: its " + std::string(column) + " is \"" + odd + "\"");
        }
    }
}

TEST(NcclTests, LeavesOutARowWithoutANumberOfWrongValues) {
    std::string text = kModern;
    text.replace(text.find("28.49      0"), 12, "28.49    nan");
    EXPECT_EQ(read(text).dropped.at(0), "run.log:14: left out: its #wrong is \"nan\"");
}

TEST(NcclTests, RefusesAPartOfAByte) {
    std::string text = kModern;
    text.replace(text.find("     1048576 "), 13, "   1048576.5 ");
    EXPECT_EQ(
        errorOf(text),
        "run.log:14: does not begin with a size of up to 1e15 whole bytes (remove the line if "
        "it is damaged)");
}

TEST(NcclTests, RefusesHostsWithOtherNumbersOfRanks) {
    std::string text = kModern;
    text.replace(text.find("102 on    nodeA"), 15, "102 on    nodeB");
    const auto record = parseNcclTests(text, "run.log", {});
    ASSERT_FALSE(record);
    EXPECT_EQ(record.error().where, "run.log:14");
    EXPECT_EQ(record.error().why,
              "is of 3 ranks on nodeB and 1 on nodeA: collectives over hosts are modelled with as "
              "many ranks on each");
}

/// A log of a night's runs: quadratic work on this one takes minutes.
TEST(NcclTests, ReadsALogWhoseLinesAreCountless) {
    constexpr int kRows = 100'000;
    const std::string row =
        "     1048576        262144     float     sum      -1    55.21   18.99   28.49      0    "
        "54.80   19.13   28.70      0\n";
    std::string text = kRanks + kColumns;
    for (int i = 0; i < kRows; ++i) {
        text += row;
        text += "     1048576  262144 cut\n";
    }
    constexpr double kMostSeconds = 20.0;
    const std::clock_t begun = std::clock();
    const MeasurementRecord record = read(text, "all_reduce.log");
    EXPECT_LT(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC, kMostSeconds);
    ASSERT_EQ(record.points.size(), 1U);
    EXPECT_EQ(record.points[0].samples.size(), static_cast<std::size_t>(kRows));
    EXPECT_DOUBLE_EQ(record.points[0].median, 55.21e-6);
    EXPECT_EQ(record.points[0].deviation, 0.0);
    ASSERT_EQ(record.dropped.size(), 21U);
    EXPECT_EQ(record.dropped.back(), "all_reduce.log: left out: 99980 more rows like these");
}

TEST(NcclTests, PassesOverPrefixesAndOtherLines) {
    std::string mpirun;
    std::string srun;
    std::string line;
    for (const char letter : "NCCL INFO Bootstrap : Using eth0\n" + kModern) {
        line += letter;
        if (letter == '\n') {
            mpirun += "[1,0]<stdout>:" + line;
            srun += " 0: " + line;
            line.clear();
        }
    }
    for (const std::string& text : {mpirun, srun}) {
        const MeasurementRecord record = read(text);
        ASSERT_EQ(record.points.size(), 2U) << text.substr(0, 200);
        EXPECT_EQ(record.points[1].text, "all_reduce bytes=134217728 dtype=fp32 nodes=2 ranks=4");
    }
}

/// A job's manager may name the program amid a table; a script echoes it before the next.
TEST(NcclTests, ALineThatNamesAProgramEndsNoTable) {
    std::string text = kModern;
    text.insert(text.find("   134217728"), "slurmstepd: task of all_gather_perf uses 812 MB\n");
    const MeasurementRecord record = read(text);
    ASSERT_EQ(record.points.size(), 2U);
    EXPECT_EQ(record.points[1].text, "all_reduce bytes=134217728 dtype=fp32 nodes=2 ranks=4");
    std::string untitled = kModern;
    const std::string title = "# Collective test starting: all_reduce_perf\n";
    untitled.erase(untitled.find(title), title.size());
    const MeasurementRecord both =
        read("all_reduce_perf -b 8\n" + untitled + "broadcast_perf -b 8\n" +
             withKind(withBusRates(untitled, "18.99", "108.72"), "none       0"));
    ASSERT_EQ(both.points.size(), 4U);
    EXPECT_EQ(both.points[3].text, "broadcast bytes=134217728 dtype=fp32 nodes=2 ranks=4");
}

TEST(NcclTests, ReadsWhatOldVersionsWrote) {
    // No root, an error in place of the count of wrong values, no name of the test.
    const std::string old =
        "# nThread 1 nGpus 2 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20\n"
        "# Using devices\n"
        "#   Rank  0 Pid   7 on  gpu01 device  0 [0x07] Tesla V100-SXM2-32GB\n"
        "#   Rank  1 Pid   7 on  gpu01 device  1 [0x0a] Tesla V100-SXM2-32GB\n"
        "#       size         count    type   redop     time   algbw   busbw  error     time   "
        "algbw  "
        " busbw  error\n"
        "     4194304       1048576   float     sum    89.35   46.94   46.94  5e-07    88.10   "
        "47.61  "
        " 47.61  5e-07\n";
    const MeasurementRecord record = read(old, "/logs/all_reduce_perf_2gpu.txt");
    ASSERT_EQ(record.points.size(), 1U);
    EXPECT_EQ(record.points[0].text, "all_reduce bytes=4194304 dtype=fp32 nodes=1 ranks=2");
    EXPECT_DOUBLE_EQ(record.points[0].median, 89.35e-6);
    EXPECT_EQ(record.points[0].fact("wrong", -1), 0.0);
    EXPECT_EQ(record.machine.at("gpu"), "Tesla V100-SXM2-32GB");
    // An all-gather has no reduction: the cell is blank.
    const std::string blank =
        "# nThread 1 nGpus 2\n#   Rank  0 Pid 7 on a device 0 [0x07] X\n"
        "#   Rank  1 Pid 7 on a device 1 [0x08] X\n"
        "#       size         count    type   redop     time   algbw   busbw  error     time   "
        "algbw  "
        " busbw  error\n"
        "     4194304        524288   float            40.00   104.8   52.43  0e+00    39.00   "
        "107.5  "
        " 53.77  0e+00\n";
    EXPECT_DOUBLE_EQ(read(blank, "all_gather_perf.log").points.at(0).median, 40e-6);
}

TEST(NcclTests, ReadsMoreColumnsAndSeveralTestsInOneFile) {
    const std::string per =
        "+ mpirun -np 4 ./build/alltoall_perf -b 1M -I 1 -S 1\n# nThread 1 nGpus 1\n" + kRanks +
        "#       size         count      type   redop    root     time   algbw   busbw #wrong  "
        "i_min  "
        "i_max  i_p99  i_cv%     time   algbw   busbw #wrong  i_min  i_max  i_p99  i_cv%\n"
        "     1048576         65536     float    none      -1    70.00   14.98   11.23      0   "
        "65.0  "
        " 80.0   79.0    3.1      N/A     N/A     N/A    N/A    N/A    N/A    N/A    N/A "
        "2026-11-22 "
        "19:00:00\n";
    const MeasurementRecord both = read(kModern + per);
    ASSERT_EQ(both.points.size(), 3U);
    EXPECT_EQ(both.points[2].text, "all_to_all bytes=1048576 dtype=fp32 nodes=2 ranks=4");
    EXPECT_DOUBLE_EQ(both.points[2].median, 70e-6);
    // The same size again in one run is one more sample.
    const std::string rows = kModern.substr(kModern.find("     1048576"));
    const MeasurementRecord twice = read(kModern + rows);
    ASSERT_EQ(twice.points.size(), 2U);
    EXPECT_EQ(twice.points[0].samples.size(), 2U);
    EXPECT_TRUE(twice.dropped.empty());
    // Of a split job, the first group counts.
    std::string split = withBusRates(kModern, "18.99", "108.72");
    for (const char* rank : {"2", "3"}) {
        const std::string old = std::string("Rank  ") + rank + " Group  0";
        split.replace(split.find(old), old.size(), std::string("Rank  ") + rank + " Group  1");
    }
    EXPECT_EQ(read(split).points[0].text, "all_reduce bytes=1048576 dtype=fp32 nodes=1 ranks=2");
}

// Appended by ">>" on another day, or after a setting was changed: not one measurement.
TEST(NcclTests, TakesOfTwoRunsInOneLogTheLater) {
    std::string slower = kModern;
    slower.replace(slower.find("55.21   18.99   28.49"), 21, "110.42   9.50   14.25");
    const MeasurementRecord both = read(kModern + slower);
    ASSERT_EQ(both.points.size(), 2U);
    ASSERT_EQ(both.points[0].samples.size(), 1U);
    EXPECT_DOUBLE_EQ(both.points[0].median, 110.42e-6);
    EXPECT_EQ(both.points[0].fact("algbw", 0), 9.5);
    EXPECT_EQ(both.points[1].fact("wrong", 0), 2.0);
    ASSERT_EQ(both.dropped.size(), 2U);
    EXPECT_EQ(both.dropped[0],
              "run.log:14: left out: a later run in this log measures the same again, at "
              "run.log:31");
}

TEST(NcclTests, SaysThatOnlyTheEndOfALogIsThere) {
    const std::string why = errorOf(kModern.substr(kModern.find("     1048576")));
    EXPECT_EQ(why.find("run.log:1: is a row without the names of its columns: this is only the end "
                       "of a log"),
              0U)
        << why;
}

TEST(NcclTests, NamesRowsOfOneRunThatContradictEachOther) {
    std::string rows = kModern.substr(kModern.find("     1048576"));
    rows.replace(rows.find("55.21   18.99   28.49"), 21, "552.10   1.90    2.85");
    const MeasurementRecord record = read(kModern + rows);
    ASSERT_EQ(record.dropped.size(), 1U);
    EXPECT_EQ(record.dropped[0],
              "run.log:14: 1048576 bytes took 55.21 us and 552.1 us in one run: something else ran "
              "beside it; their median counts");
}

const std::string kJson =
    R"({"version":"2.18.5","args":["./build/reduce_scatter_perf","-J","x.json"],)"
    R"("env":["HOME=/home/me","TOKEN=secret"],"nccl_version":22809,)"
    R"("devices":[{"rank":0,"group":0,"pid":1,"hostname":"a","device":0,"device_info":"NVIDIA H200"},)"
    R"({"rank":1,"group":0,"pid":2,"hostname":"b","device":0,"device_info":"NVIDIA H200"}],)"
    R"("results":[{"size":1024,"count":128,"type":"bfloat16","redop":"sum","root":"    -1",)"
    R"("out_of_place":{"time":12.5,"alg_bw":0.08,"bus_bw":0.04,"nwrong":"N/A"},)"
    R"("in_place":{"time":"nan","alg_bw":0.0,"bus_bw":0.0,"nwrong":0},)"
    R"("out_of_place_per_iter":{"times_us":[12.0,12.5,20.0]}},)"
    R"({"size":2048,"type":"bfloat16","in_place":{"time":14.0,"alg_bw":0.15,"bus_bw":0.07,"nwrong":1}}]})";

TEST(NcclTests, ReadsWhenAJsonWasMade) {
    const auto begun = [](const std::string& time) {
        return read(R"({"start_time":")" + time + R"(",)" + kJson.substr(1)).begun;
    };
    EXPECT_EQ(begun("2026-11-20 13:05:00"), "2026-11-20 13:05:00");
    EXPECT_EQ(begun("last week"), "");
    EXPECT_EQ(read(kJson).begun, "");
}

TEST(NcclTests, ReadsJsonWithoutTheEnvironment) {
    const MeasurementRecord record = read(kJson);
    ASSERT_EQ(record.points.size(), 2U);
    EXPECT_EQ(record.points[0].text, "reduce_scatter bytes=1024 dtype=bf16 nodes=2 ranks=2");
    EXPECT_EQ(record.points[0].samples.size(), 3U);
    EXPECT_DOUBLE_EQ(record.points[0].median, 12.5e-6);
    EXPECT_DOUBLE_EQ(record.points[1].median, 14e-6);
    EXPECT_EQ(record.points[1].fact("wrong", 0), 1.0);
    EXPECT_EQ(record.machine,
              (std::map<std::string, std::string>{{"gpu", "NVIDIA H200"}, {"nccl", "2.28.9"}}));
}

TEST(NcclTests, RefusesTimesAndRatesThatContradictEachOther) {
    const auto rowOf = [](const std::string& bytes, const std::string& times) {
        return kModern + "   " + bytes + "  1  float  sum  -1  " + times +
               "  1.00  0  N/A  N/A  N/A  N/A\n";
    };
    EXPECT_EQ(errorOf(rowOf("2097152", "80.00   52.43")),
              "run.log:18: its time and its rate contradict each other: 2097152 bytes in 80 us are "
              "26.21 GB/s, and algbw is 52.43 GB/s (use the log as nccl-tests wrote it, with times "
              "in microseconds)");
    // A time in milliseconds, and a rate in GiB/s.
    EXPECT_NE(errorOf(rowOf("2097152", "0.08   26.21")), "");
    EXPECT_NE(errorOf(rowOf("2097152", "80.00   24.41")), "");
    EXPECT_EQ(errorOf(R"({"args":["all_reduce_perf"],"devices":[{}],"results":[{"size":2097152,)"
                      R"("out_of_place":{"time":80.0,"alg_bw":52.43}}]})")
                  .substr(0, 67),
              "run.log:1:86: its time and its rate contradict each other: 2097152 ");
}

TEST(NcclTests, TakesEveryRoundingOfRealLogs) {
    // From logs of A100s, H100s and V100s over several versions: widths change with the time.
    const char* const real[] = {"8 22.54 0.00",
                                "128 22.98 0.01",
                                "1024 609.0 0.00",
                                "8388608 784.9 10.69",
                                "536870912 10028 53.54",
                                "10737418240 111812 96.03",
                                "8589934592 1.2e+06 7.16",
                                "8589934592 1.2e+06 7.20",
                                "4194304 89.35 46.94",
                                "134217728 1e+03 130.11"};
    for (const std::string row : real) {
        const std::size_t blank = row.find(' ');
        EXPECT_EQ(errorOf(kModern + row.substr(0, blank) + "  1  float  sum  -1  " +
                          row.substr(blank) + "  N/A  0  N/A  N/A  N/A  N/A\n"),
                  "")
            << row;
    }
}

/// What `tail`, a terminal's last lines and a cut job log leave of one.
TEST(NcclTests, RefusesAListOfRanksWithGaps) {
    const auto without = [](const std::string& rank, const std::string& instead) {
        std::string text = kModern;
        const std::size_t begin = text.find("#  Rank  " + rank);
        return text.replace(begin, text.find('\n', begin) + 1 - begin, instead);
    };
    const std::string hint = " (use the whole output of one run, from its list of ranks on)";
    const std::string cut = kModern.substr(kModern.find("#  Rank  2"));
    EXPECT_EQ(errorOf(cut, "all_reduce.log"),
              "all_reduce.log:1: the list of ranks begins at 2" + hint);
    EXPECT_EQ(errorOf(without("1", "")),
              "run.log:6: the list of ranks has a gap: rank 1 is not in it" + hint);
    const std::string ninth =
        "#  Rank  9 Group  1 Pid 9 on nodeB device 1 [0x2a] NVIDIA H100 80GB "
        "HBM3\n";
    EXPECT_EQ(errorOf(without("3", ninth)),
              "run.log:6: the list of ranks has a gap: ranks 3 to 8 are not in it" + hint);
    // Each process of a test that was built without MPI takes itself for the only one.
    const std::string first =
        "#  Rank  0 Group  0 Pid 9 on nodeA device 1 [0x2a] NVIDIA H100 80GB "
        "HBM3\n";
    EXPECT_EQ(errorOf(without("1", first)),
              "run.log:7: lists rank 0 twice: these are several runs, or a test built without MPI "
              "(use the output of one run, of nccl-tests built with MPI=1)");
    EXPECT_EQ(errorOf(R"({"args":["all_reduce_perf"],"devices":[{"rank":1},{"rank":2}],)"
                      R"("results":[{"size":8,"out_of_place":{"time":8.0}}]})"),
              "run.log:1:40: the list of ranks begins at 1" + hint);
}

/// The last ranks of a list leave no gap, and a process never has a part of its ranks.
TEST(NcclTests, RefusesAListOfPartsOfProcesses) {
    const auto of = [](const std::string& threads, const std::string& gpus) {
        std::string text = kModern;
        return errorOf(text.replace(
            text.find("nThread 1 nGpus 1"), 17, "nThread " + threads + " nGpus " + gpus));
    };
    EXPECT_EQ(of("1", "2"), "");
    EXPECT_EQ(of("2", "2"), "");
    EXPECT_EQ(of("1", "99999999999"), "");
    EXPECT_EQ(of("1", "8"),
              "run.log:6: the list of ranks has 4, and each process has nThread x nGpus = 8 (use "
              "the whole output of one run, from its list of ranks on)");
    EXPECT_NE(of("3", "1"), "");
    const auto json = [](const std::string& gpus) {
        return errorOf(R"({"config":{"nthreads":1,"ngpus":)" + gpus + "}," + kJson.substr(1));
    };
    EXPECT_EQ(json("2"), "");
    EXPECT_NE(json("8").find("the list of ranks has 2, and"), std::string::npos);
}

/// What is typed must be what is listed.
TEST(NcclTests, RefusesRanksAndHostsThatTheListHasNot) {
    const auto with = [](const NcclTestsHint& hint) {
        const auto record = parseNcclTests(kModern, "run.log", hint);
        return record ? "" : record.error().text();
    };
    EXPECT_EQ(with({.ranks = 4, .nodes = 2}), "");
    EXPECT_EQ(with({.ranks = 8}),
              "run.log:14: is of 4 ranks by its list, and --ranks says 8 (leave out --ranks)");
    EXPECT_EQ(with({.nodes = 1}),
              "run.log:14: is of 2 hosts by its list, and --hosts says 1 (leave out --hosts)");
}

/// The last ranks of a list leave no gap, and the rates of a row tell how many there were.
TEST(NcclTests, RefusesRatesOfAnotherNumberOfRanks) {
    const std::string two = kRanks.substr(0, kRanks.find("#  Rank  2"));
    std::string text = kModern;
    text.replace(text.find(kRanks), kRanks.size(), two);
    EXPECT_EQ(errorOf(text),
              "run.log:12: busbw of 28.49 GB/s is not 1 times algbw of 18.99 GB/s, as all_reduce "
              "of 2 ranks has it (use the whole output of one run, from its list of ranks on)");
    const auto typed = [](const std::string& rates, const std::string& file, int ranks) {
        const std::string kind = file == "broadcast.log"     ? "none  0"
                                 : file.starts_with("all_g") ? "none  -1"
                                                             : "sum  -1";
        const std::string row =
            "  1073741824  1  float  " + kind + "  8609.9  " + rates + "  0  N/A  N/A  N/A  N/A\n";
        const auto record = parseNcclTests(kColumns + row, file, {.ranks = ranks});
        return record ? "" : record.error().text();
    };
    EXPECT_EQ(typed("124.71  233.83", "all_reduce.log", 16), "");
    EXPECT_EQ(typed("124.71  233.83", "all_reduce.log", 8),
              "all_reduce.log:4: busbw of 233.83 GB/s is not 1.75 times algbw of 124.71 GB/s, as "
              "all_reduce of 8 ranks has it (--ranks with the number of ranks that ran)");
    for (const char* const file : {"all_gather.log", "reduce_scatter.log", "alltoall.log"}) {
        EXPECT_EQ(typed("124.71  109.12", file, 8), "") << file;
        EXPECT_NE(typed("124.71  124.71", file, 8), "") << file;
    }
    for (const char* const file : {"broadcast.log", "sendrecv.log"}) {
        EXPECT_EQ(typed("124.71  124.71", file, 8), "") << file;
        EXPECT_NE(typed("124.71  109.12", file, 8), "") << file;
    }
}

TEST(NcclTests, RefusesRowsThatTheOperationDoesNotHave) {
    const auto answerOf = [](const std::string& kind, const std::string& file) {
        const std::string row =
            "  1048576  262144  float  " + kind + "  50.00  20.97  20.97  0  N/A  N/A  N/A  N/A\n";
        const auto record = parseNcclTests(kColumns + row, file, {.ranks = 2});
        return record ? record->points.at(0).what : record.error().text();
    };
    const std::string programs =
        "all_reduce_perf, all_gather_perf, reduce_scatter_perf, "
        "broadcast_perf, alltoall_perf, sendrecv_perf, reduce_perf";
    EXPECT_EQ(answerOf("sum  -1", "x_allreduce.log"), "all_reduce");
    EXPECT_EQ(
        answerOf("sum  0", "x_allreduce.log"),
        "x_allreduce.log:4: has root 0, which no row of all_reduce_perf has (use a log of one "
        "of " +
            programs + ", in a file named after it)");
    EXPECT_NE(answerOf("none  -1", "x_allreduce.log").find("has redop none"), std::string::npos);
    EXPECT_NE(answerOf("sum  -1", "broadcast.log").find("has root -1"), std::string::npos);
    EXPECT_NE(answerOf("none  0", "x_allgather.log").find("has root 0"), std::string::npos);
    EXPECT_NE(answerOf("sum  0", "broadcast_perf.log").find("has redop sum"), std::string::npos);
    EXPECT_EQ(answerOf("none  0", "broadcast.log"), "broadcast");
    EXPECT_EQ(answerOf("sum  1", "logs/reduce_perf.log"), "reduce");
    EXPECT_EQ(answerOf("sum  1", "h100_reduce_perf_8.log"), "reduce");
    EXPECT_EQ(answerOf("none  0", "scatter_perf.log"),
              "scatter_perf.log:4: scatter is not modelled (the output of " + programs + ")");
    const auto json = [](const std::string& program) {
        std::string text = kJson;
        return errorOf(text.replace(text.find("reduce_scatter_perf"), 19, program));
    };
    EXPECT_NE(json("all_gather_perf").find("has redop sum"), std::string::npos);
    EXPECT_NE(json("reduce_perf").find("has root -1"), std::string::npos);
    EXPECT_NE(json("hypercube_perf").find("hypercube is not modelled"), std::string::npos);
    // A run that is not modelled is not the one before it.
    EXPECT_NE(errorOf(kModern + "# Collective test starting: gather_perf\n# nThread 1 nGpus 1\n" +
                      kRanks + kColumns +
                      "  1024  256  float  none  0  10.0  0.1  0.08  0  N/A  N/A  N/A  N/A\n")
                  .find("gather is not modelled"),
              std::string::npos);
}

TEST(NcclTests, ReadsTheDateThatAJobPrints) {
    const auto dated = [](const std::string& line) { return read(line + "\n" + kModern); };
    EXPECT_EQ(dated("Fri Nov 27 09:00:00 UTC 2026").begun, "2026-11-27T09:00:00Z");
    EXPECT_EQ(dated("Sun Nov  1 23:59:59 GMT 2026\r").begun, "2026-11-01T23:59:59Z");
    EXPECT_EQ(dated("[1,0]<stdout>:Fri Nov 27 09:00:00 UTC 2026").begun, "2026-11-27T09:00:00Z");
    EXPECT_EQ(read(kModern + "Fri Nov 27 09:00:00 UTC 2026\nFri Nov 27 10:00:00 UTC 2026\n").begun,
              "2026-11-27T09:00:00Z");
    for (const char* const line : {"Fri Nov 27 09:00:00 CET 2026",
                                   "Fri Nov 27 09:00:00 AM UTC 2026",
                                   "Fri Nov 27 24:00:00 UTC 2026",
                                   "Fri Nov 27 09:61:00 UTC 2026",
                                   "Fri Nov 27 99:99:99 UTC 2026",
                                   "Fri Nov 31 09:00:00 UTC 2026"}) {
        const MeasurementRecord record = dated(line);
        EXPECT_EQ(record.begun, "");
        ASSERT_EQ(record.dropped.size(), 1U) << line;
        EXPECT_EQ(record.dropped[0],
                  "run.log:1: left out: \"" + std::string(line) +
                      "\" is not read as a date; date -u prints one that is");
    }
}

// As its rows are those that count.
TEST(NcclTests, OfSeveralRunsInOneLogTheDateOfTheLastCounts) {
    const std::string first = "Fri Nov 27 09:00:00 UTC 2026\n";
    const std::string second = "Sat Nov 28 10:00:00 UTC 2026\n";
    EXPECT_EQ(read(first + kModern + second + kModern).begun, "2026-11-28T10:00:00Z");
    EXPECT_EQ(read(first + kModern + second + kModern + "Sun Nov 29 10:00:00 UTC 2026\n").begun,
              "2026-11-28T10:00:00Z");
    EXPECT_EQ(read(first + second + kModern).begun, "2026-11-28T10:00:00Z");
    EXPECT_EQ(read(first + kModern + kModern + second).begun, "2026-11-27T09:00:00Z");
    // What is not read is another time than the first.
    EXPECT_EQ(read(first + kModern + "Sat Nov 28 10:00:00 CET 2026\n" + kModern).begun, "");
    // The end of a log that has no row.
    EXPECT_EQ(read(first + kModern + second + "# nThread 1 nGpus 1\n").begun,
              "2026-11-27T09:00:00Z");
}

TEST(NcclTests, TheOrderOfLogsOfOneTimeDecidesNothing) {
    const auto timeOf = [](const std::string& first, const std::string& second) {
        std::vector<MeasurementRecord> records;
        for (const std::string& file : {first, second}) {
            std::string text = kModern;
            if (file == "b.log") {
                text.replace(text.find("   55.21   18.99   28.49"), 24, "   65.21   16.08   24.12");
            }
            records.push_back(read("Fri Nov 27 09:00:00 UTC 2026\n" + text, file));
        }
        const auto merged = mergeMeasurements(std::move(records));
        return merged ? merged->points.at(0).median : 0.0;
    };
    EXPECT_DOUBLE_EQ(timeOf("a.log", "b.log"), 65.21e-6);
    EXPECT_DOUBLE_EQ(timeOf("b.log", "a.log"), 65.21e-6);
}

TEST(NcclTests, SaysWhatIsMissing) {
    EXPECT_EQ(errorOf("hello\n"),
              "run.log: has no row of nccl-tests (use the output of all_reduce_perf, or the file "
              "of its -J option)");
    const std::string row = "  1024  256  float  sum  -1  10.0  0.1  0.2  0  10.0  0.1  0.2  0\n";
    EXPECT_EQ(errorOf(kRanks + kColumns + row),
              "run.log:8: does not name the measured collective (name the file after the program "
              "that wrote it: all_reduce_perf.log)");
    EXPECT_EQ(errorOf(kColumns + row, "all_reduce.log"),
              "all_reduce.log:4: does not list the ranks (--ranks 8, and --hosts a,b "
              "for several hosts)");
    EXPECT_EQ(read(kColumns + row, "all_reduce.log", {.ranks = 8, .nodes = 2}).points[0].text,
              "all_reduce bytes=1024 dtype=fp32 nodes=2 ranks=8");
    EXPECT_EQ(errorOf(R"({"results":[{"size":-1}]})").substr(0, 26),
              "run.log:1:21: \"size\" must ");
}

TEST(NcclTests, EveryCutGivesAnAnswerOrAnError) {
    for (const std::string& text : {kModern, kJson}) {
        for (std::size_t size = 0; size < text.size(); ++size) {
            const auto record = parseNcclTests(text.substr(0, size), "run.log", {});
            EXPECT_TRUE(record || record.error().where.starts_with("run.log"));
        }
    }
}

RC_GTEST_PROP(NcclTests, AnyBytesGiveAnAnswerOrAnError, (const std::string& bytes, bool headed)) {
    const auto record = parseNcclTests((headed ? kModern : "") + bytes, "run.log", {});
    const bool clear = record || record.error().where.starts_with("run.log");
    RC_ASSERT(clear);
}

}  // namespace nccl_tests_test
}  // namespace fabricast
