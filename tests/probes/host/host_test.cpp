#include "probes/host/host_points.h"
#include "probes/host/host_program.h"
#include "probes/host/library_versions.h"
#include "probes/host/worker_team.h"
#include "probes/record/record_lock.h"
#include "probes/record/statistics.h"
#include "tests/probes/host/made_up_machine.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

namespace fabricast::probe {
namespace {

TEST(SystemFiles, ListsAsTheKernelWritesThem) {
    EXPECT_EQ(listedNumbers("0-3,8"), (std::vector<std::int64_t>{0, 1, 2, 3, 8}));
    EXPECT_EQ(listedNumbers("5"), std::vector<std::int64_t>{5});
    for (const char* text : {"", "x", "3-1", "0-99999999", "-1", "1-", "0,,2"}) {
        EXPECT_TRUE(listedNumbers(text).empty()) << text;
    }
    EXPECT_EQ(valueAfter("a:1\n b c\t:  two words \n", "b c"), "two words");
    EXPECT_EQ(valueAfter("a:1", "b"), "");
}

TEST(Inventory, ReadsAMachineFromItsFiles) {
    const MadeUpMachine machine("server");
    fillServer(machine);
    const Inventory inventory = takeInventory(SystemFiles(machine.root()), false);
    EXPECT_EQ(
        inventoryLine(inventory).text(),
        R"({"schema":"fabricast.machine/1","host":{"cpu":"AMD EPYC 9654","sockets":2,"cores":4,)"
        R"("threads":8,"memory":2147483648,"kernel":"6.8.0","numa":[)"
        R"({"node":0,"cpus":4,"memory":1073741824},{"node":1,"cpus":4,"memory":1073741824}]},)"
        R"("ports":[{"name":"mlx5_0","kind":"infiniband","gigabits":400,"pci":"0000:18:00.0",)"
        R"("numa":1,"up":true},{"name":"eth0","kind":"ethernet","gigabits":25,)"
        R"("pci":"0000:00:03.0","up":false}],"gpus":[{"index":0,"name":"NVIDIA H200",)"
        R"("pci":"0000:1b:00.0","numa":1,"nvlinks":0,"processes":0}],"driver":"580.159.03",)"
        R"("libraries":{},"notes":[]})");
}

TEST(Inventory, AnEmptyMachineIsNoTrouble) {
    const MadeUpMachine machine("empty");
    const Inventory inventory = takeInventory(SystemFiles(machine.root()), false);
    EXPECT_EQ(inventoryLine(inventory).text(),
              R"({"schema":"fabricast.machine/1","host":{"numa":[]},"ports":[],"gpus":[],)"
              R"("libraries":{},"notes":[]})");
}

TEST(Inventory, ThisMachineHasACpuAndMemory) {
    const HostFacts host = hostFacts(SystemFiles("/"));
    EXPECT_GE(host.threads, 1);
    EXPECT_GT(host.memory, 1 << 20);
}

TEST(LibraryVersions, AreSpelledAsTheirMakersDo) {
    EXPECT_EQ(ncclCodeText(22809), "2.28.9");
    EXPECT_EQ(ncclCodeText(2708), "2.7.8");
    EXPECT_EQ(runtimeVersionText(13000), "13.0");
    EXPECT_EQ(runtimeVersionText(12080), "12.8");
    EXPECT_EQ(dnnVersionText(91900), "9.19.0");
    EXPECT_EQ(dnnVersionText(8907), "8.9.7");
}

TEST(WorkerTeam, EveryWorkerWorksOnceARun) {
    WorkerTeam team(3);
    std::vector<std::atomic<int>> done(3);
    for (int run = 0; run < 100; ++run) {
        EXPECT_GE(team.run([&](int worker) { ++done[static_cast<std::size_t>(worker)]; }), 0.0);
    }
    for (const auto& times : done) {
        EXPECT_EQ(times, 100);
    }
}

Measurement measured(Answer<Measurement> (*measure)(const Point&), const std::string& text) {
    const Answer<Point> point = parsePoint(text);
    EXPECT_TRUE(point) << text;
    const Answer<Measurement> measurement = measure(*point);
    EXPECT_TRUE(measurement) << text << ": " << measurement.trouble().why;
    return measurement ? *measurement : Measurement{};
}

TEST(MemoryPoint, CopiesWhatItSays) {
    for (const char* const op : {"copy", "triad"}) {
        const Measurement copy =
            measured(&measureMemory, std::string("memory bytes=3M threads=1 op=") + op);
        ASSERT_GE(copy.samples.size(), 5U) << copy.refused;
        EXPECT_EQ(copy.facts.at("wrong"), 0.0);
        EXPECT_NEAR(copy.facts.at("bytes"), 3 << 20, 12);
        // No memory moves a terabyte a second through one thread, nor less than 10 MB.
        const double rate = copy.facts.at("bytes") / median(copy.samples);
        EXPECT_GT(rate, 1e7);
        EXPECT_LT(rate, 1e12);
    }
}

TEST(MemoryPoint, RefusesWhatTheMachineLacks) {
    EXPECT_NE(measured(&measureMemory, "memory op=copy threads=4096").refused.find("CPUs"),
              std::string::npos);
    EXPECT_NE(measured(&measureMemory, "memory op=copy threads=1 bytes=1024T").refused.find("free"),
              std::string::npos);
    EXPECT_NE(
        measured(&measureCpuAdam, "cpu_adam threads=1 parameters=8388607T").refused.find("many"),
        0U);
    EXPECT_EQ(measureMemory(*parsePoint("memory op=add threads=1")).trouble().why,
              "'memory op=add threads=1': op is copy or triad");
    EXPECT_EQ(measureMemory(*parsePoint("memory op=copy")).trouble().why,
              "'memory op=copy' lacks threads=");
}

TEST(CpuAdam, StepsAsTheFormulaSays) {
    const Measurement adam = measured(&measureCpuAdam, "cpu_adam parameters=100K threads=1");
    ASSERT_GE(adam.samples.size(), 5U) << adam.refused;
    EXPECT_EQ(adam.facts.at("wrong"), 0.0);
    EXPECT_EQ(adam.facts.at("bytes"), 28.0 * 102400);
}

TEST(DiskPoint, WritesAndReadsAndLeavesNothing) {
    const MadeUpMachine folder("disk");
    const std::string path = " bytes=1M path=" + (folder.root() / "proc").string();
    for (const char* const kind : {"write", "read"}) {
        const Measurement disk = measured(&measureDisk, std::string("disk kind=") + kind + path);
        ASSERT_GE(disk.samples.size(), 3U) << disk.refused;
        EXPECT_EQ(disk.facts.at("bytes"), 1 << 20);
        EXPECT_TRUE(disk.words.at("direct") == "yes" || disk.words.at("direct") == "no");
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.root() / "proc"));
}

TEST(DiskPoint, RefusesWhatHasNoRoomAndNoFolder) {
    EXPECT_NE(
        measured(&measureDisk, "disk kind=write bytes=1024T path=/tmp").refused.find("MiB free"),
        std::string::npos);
    EXPECT_NE(measured(&measureDisk, "disk kind=write bytes=4K path=/no/such").refused, "");
}

TEST(HostProgram, SuitesArePointsItCanMeasure) {
    HostFlags flags{.scratch = "/tmp"};
    const ProbeProgram program = hostProgram(flags);
    const Answer<std::vector<Point>> quick = program.suite("quick");
    const Answer<std::vector<Point>> full = program.suite("full");
    ASSERT_TRUE(quick);
    ASSERT_TRUE(full);
    EXPECT_GE(full->size(), quick->size());
    std::set<std::string> kinds;
    for (const Point& point : *full) {
        kinds.insert(point.what);
    }
    EXPECT_EQ(kinds, (std::set<std::string>{"cpu_adam", "disk", "memory"}));
    EXPECT_EQ(program.suite("all").trouble().why, "--suite: 'all' is none; it is quick or full");
    EXPECT_EQ(program.measure(*parsePoint("gemm m=1"))->refused,
              "fabricast-probe-host does not measure it");
}

TEST(CheckHostPoint, RefusesBeforeAnythingIsMeasured) {
    const auto why = [](const char* text) {
        const Done sound = checkHostPoint(*parsePoint(text));
        return sound ? std::string() : sound.trouble().why;
    };
    EXPECT_EQ(why("memory op=triad threads=2 bytes=1M"), "");
    EXPECT_EQ(why("cpu_adam threads=1 parameters=1M"), "");
    EXPECT_EQ(why("disk kind=read bytes=1M path=/tmp"), "");
    EXPECT_EQ(why("bogus"),
              "'bogus' is nothing that this probe measures; it measures memory, cpu_adam, disk");
    EXPECT_EQ(why("memory threads=1 numa=99"),
              "memory has no setting 'numa'; it has op, threads, bytes");
    EXPECT_EQ(why("memory op=read threads=1"), "op='read' is none of copy, triad");
    EXPECT_EQ(why("memory threads=0"), "'memory threads=0': threads is less than 1");
    EXPECT_EQ(why("memory threads=5000"), "threads is more than 4096");
    EXPECT_EQ(why("cpu_adam threads=1"), "'cpu_adam threads=1' lacks parameters=");
    EXPECT_EQ(why("disk kind=read bytes=1M path=/nowhere"), "path='/nowhere' is no folder");
}

TEST(HostProbe, WaitsForNoPointAfterCtrlC) {
    HostFlags flags;
    EXPECT_TRUE(hostProgram(flags).endsInMidPoint);
}

TEST(HostProbe, RefusesAFolderThatNoPointCanName) {
    const std::vector<const char*> words = {"--scratch", "/tmp/a b", "--dry-run"};
    EXPECT_EQ(runHostProbe(words), kBadInput);
    EXPECT_EQ(runHostProbe(std::vector<const char*>{"--point", "bogus", "--dry-run"}), kBadInput);
    EXPECT_EQ(runHostProbe(std::vector<const char*>{"--out", "/nowhere/r.jsonl", "--dry-run"}),
              kEnvironment);
}

TEST(HostProbe, ADryRunRefusesTheRecordThatARunWould) {
    const std::string record = tempFolder() + "/dry_run.jsonl";
    const std::vector<const char*> words = {
        "--point", "memory op=copy threads=1 bytes=1M", "--out", record.c_str(), "--dry-run"};
    std::ofstream(record) << "";
    EXPECT_EQ(runHostProbe(words), kDone);
    {
        const Answer<FileLock> lock = lockRecord(record);
        ASSERT_TRUE(lock);
        EXPECT_EQ(runHostProbe(words), kEnvironment) << "another probe is writing it";
    }
    const std::string head = R"({"schema":"fabricast.measurements/1","machine":{}})";
    std::ofstream(record) << head << "\n"
                          << R"({"point":"memory op=copy","unit")"
                          << "\n";
    EXPECT_EQ(runHostProbe(words), kBadInput) << "a damaged line";
    std::ofstream(record) << head << "\n";
    EXPECT_EQ(runHostProbe(words), kBadInput) << "a record of another machine";
    std::ofstream(record) << "notes\n";
    EXPECT_EQ(runHostProbe(words), kBadInput) << "no record";
    EXPECT_EQ(std::filesystem::file_size(record), 6U) << "it is left as it was";
}

}  // namespace
}  // namespace fabricast::probe
