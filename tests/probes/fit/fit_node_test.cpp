#include "probes/fit/fit_node.h"

#include "planner/estimate/offload_time.h"
#include "planner/load/load_question.h"
#include "probes/fit/fit_record.h"
#include "tests/probes/fit/record_lines.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fabricast {
namespace {

constexpr double kMebi = 1024.0 * 1024.0;

/// A copy that takes 8 microseconds before its first byte.
std::string copyLine(const std::string& kind, double mebibytes, double rate, double factor = 1.0) {
    const double bytes = mebibytes * kMebi;
    const std::string size = std::to_string(static_cast<std::int64_t>(bytes));
    const std::string copied =
        std::to_string(static_cast<std::int64_t>(bytes) * (kind == "both" ? 2 : 1));
    return lineOf("transfer bytes=" + size + " kind=" + kind,
                  (8e-6 + bytes / rate) * factor,
                  "\"facts\":{\"bytes\":" + copied + ",\"wrong\":0},\"words\":{\"algorithm\":\"" +
                      (kind == "p2p" ? "peer access" : "pinned") + "\"},");
}

/// To the GPU 52 GB/s, from it 48; one size in five is wildly slow.
std::string copyLines() {
    std::string lines = copyLine("both", 256, 80e9);
    for (const double size : {0.0625, 1.0, 16.0, 64.0, 128.0, 256.0, 512.0, 1024.0}) {
        const double factor = size == 128.0 ? 4.0 : 1.0;
        lines += copyLine("h2d", size, 52e9, factor) + copyLine("d2h", size, 48e9, factor);
    }
    return lines;
}

const std::string kHostHead =
    R"({"schema":"fabricast.measurements/1","machine":{"host":{"cpu":"Intel(R) Xeon(R) 8480C",)"
    R"("sockets":2,"threads":224,"usable_threads":224,"memory":2164663517184,"kernel":"6.8"}},)"
    R"("program":"fabricast-probe-host","begun":"2026-11-22T18:00:00Z"})"
    "\n";

std::string memoryLine(const std::string& op, int threads, double rate) {
    return lineOf("memory op=" + op + " threads=" + std::to_string(threads),
                  kMebi * 1024.0 / rate,
                  R"("facts":{"bytes":1073741824,"wrong":0},)");
}

std::string memoryLines(double factor = 1.0) {
    return memoryLine("copy", 224, 400e9 * factor) + memoryLine("triad", 224, 440e9 * factor) +
           memoryLine("copy", 1, 12e9) + memoryLine("triad", 1, 13e9) +
           lineOf("cpu_adam parameters=32M threads=224", 2.5e-3, R"("facts":{"bytes":939524096},)");
}

/// What the GPU's probe and the host's wrote.
MergedMeasurements bothRecords(const std::string& gpu, const std::string& host) {
    std::vector<MeasurementRecord> records;
    for (const std::string& text : {kHead + gpu, host}) {
        auto record = parseMeasurements(text, "run.jsonl");
        EXPECT_TRUE(record) << record.error().text();
        records.push_back(*std::move(record));
    }
    return mergeMeasurements(std::move(records)).value();
}

FittedNode fittedOf(const std::string& node,
                    const std::string& gpu,
                    const std::string& host = kHostHead) {
    const ProfileStore store = ProfileStore::builtIn();
    return fitNode(*store.node(node), bothRecords(gpu, host), "probes");
}

std::string leftOutOf(const FittedNode& fitted) {
    std::string text;
    for (const std::string& line : fitted.leftOut) {
        text += line + "\n";
    }
    return text;
}

/// Seconds that an offloaded step on the measured node takes on the CPUs, and to fetch from them.
struct Offloaded {
    double step = 0.0;
    double copies = 0.0;
    double measuredAt = 0.0;
};

Offloaded offloadedOn(const ProfileStore& store) {
    const TimingProfiles timing = loadTiming(store).value();
    Scenario scenario;
    scenario.cluster = store.cluster("dgx-h200").value();
    scenario.layout = {.dp = 8, .shard = Shard::Fsdp, .offload = Offload::ParametersCpu};
    scenario.settings.engine = Engine::Fsdp2;
    return {.step = hostStepSeconds(scenario, timing.host, 1e9),
            .copies = hostCopies(scenario, timing.host, {.trained = 8e9}).forward};
}

TEST(FitNode, CopiesAndMemoryReachTheForecastOfOffloading) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    const auto fitted = fitRecord(builtIn,
                                  bothRecords(copyLines(), kHostHead + memoryLines()),
                                  {.name = "ours", .machine = "dgx-h200"});
    ASSERT_TRUE(fitted) << fitted.error().text();
    ASSERT_EQ(fitted->files.size(), 1U);
    EXPECT_EQ(fitted->files[0].path, "nodes/dgx-h200.json");
    EXPECT_EQ(fitted->machine, "dgx-h200");
    const TemporaryFolder folder("fabricast_fit_node");
    const auto written = writeProfile(fitted->files, folder.path(), {});
    ASSERT_TRUE(written) << written.error().text();
    const auto store = ProfileStore::open(std::vector<std::string>{folder.path()});
    ASSERT_TRUE(store) << store.error().text();
    const NodeSpec before = *builtIn.node("dgx-h200");
    const NodeSpec now = *store->node("dgx-h200");
    EXPECT_NEAR(now.pci.hostBandwidth.value->count(), 48e9, 0.01 * 48e9) << fitted->report;
    EXPECT_EQ(now.hostMemoryBandwidth.value->count(), 440e9);
    EXPECT_EQ(now.hostMemoryBandwidth.source, Source::Measured);
    EXPECT_EQ(now.hostMemoryBandwidth.from,
              "fabricast-probe-cuda, fabricast-probe-host, 2026-11-22, driver 580.95.05, "
              "cuda_runtime 13.0");
    const Offloaded usual = offloadedOn(builtIn);
    const Offloaded ours = offloadedOn(*store);
    EXPECT_NEAR(ours.step / usual.step, before.hostMemoryBandwidth.value->count() / 440e9, 1e-6);
    EXPECT_NEAR(ours.copies * 48e9 / (usual.copies * 63e9 * 0.75), 1.0, 0.01);
    // What was not measured is as it was.
    EXPECT_EQ(now.cpu, before.cpu);
    EXPECT_EQ(now.nicFabric, before.nicFabric);
    EXPECT_EQ(now.power.value->count(), before.power.value->count());
    EXPECT_EQ(now.pci.rootComplexes.value, before.pci.rootComplexes.value);
}

TEST(FitNode, ShowsWhatANumberWasAndIs) {
    const auto fitted = fitRecord(ProfileStore::builtIn(),
                                  bothRecords(copyLines(), kHostHead + memoryLines()),
                                  {.name = "ours", .machine = "dgx-h200"});
    ASSERT_TRUE(fitted);
    EXPECT_EQ(
        fitted->report,
        "node dgx-h200\n"
        "  number                 points  spread  before               now\n"
        "  pcie.host_bandwidth        10   0.1 %  unknown              47.9 GB/s\n"
        "  host_memory_bandwidth       2   9.1 %  614 GB/s, datasheet  440 GB/s\n"
        "shown, and of no profile\n"
        "  cpu_adam       the best a step can do; what DeepSpeed and torch reach in training is in "
        "hosts/\n"
        "  transfer both  copies of a step go one way at a time\n");
    ASSERT_EQ(fitted->numbers.size(), 2U);
    EXPECT_EQ(fitted->numbers[0].profile, "nodes/dgx-h200");
    EXPECT_EQ(fitted->numbers[0].change.now, "47.9 GB/s");
    EXPECT_EQ(fitted->numbers[1].change.name, "host_memory_bandwidth");
}

TEST(FitNode, GpusOnPcieOnlyReachEachOtherOverIt) {
    const FittedNode fitted =
        fittedOf("8x-rtx-pro-6000", copyLine("p2p", 256, 50e9) + copyLine("p2p", 1, 20e9));
    ASSERT_EQ(fitted.numbers.size(), 1U) << leftOutOf(fitted);
    EXPECT_EQ(fitted.numbers[0].path, "pcie.peer_bandwidth");
    EXPECT_NEAR(fitted.numbers[0].number.value->count(), 50e9, 1e8);
    const FittedNode linked = fittedOf("dgx-h200", copyLine("p2p", 256, 300e9));
    EXPECT_TRUE(linked.numbers.empty());
    EXPECT_EQ(leftOutOf(linked),
              "transfer kind=p2p: the GPUs of dgx-h200 are joined by nvswitch: its rate comes from "
              "collectives\n");
    std::string through = copyLine("p2p", 256, 20e9);
    through.replace(through.find("peer access"), 11, "through the host");
    const FittedNode staged = fittedOf("8x-rtx-pro-6000", through);
    EXPECT_TRUE(staged.numbers.empty());
    EXPECT_NE(leftOutOf(staged).find("went through the host"), std::string::npos);
}

TEST(FitNode, RefusesWhatIsAThousandTimesSlowerThanItsLine) {
    // 63 GB/s of PCIe 5: 63 MB/s are left at worst.
    const FittedNode slow = fittedOf("dgx-h200", copyLine("h2d", 256, 62e6));
    EXPECT_TRUE(slow.numbers.empty());
    EXPECT_EQ(leftOutOf(slow),
              "transfer: 62 MB/s is less than a thousandth of the line's 63 GB/s\n");
    EXPECT_EQ(fittedOf("dgx-h200", copyLine("h2d", 256, 64e6)).numbers.size(), 1U);
    const FittedNode oneWay =
        fittedOf("dgx-h200", copyLine("h2d", 256, 50e9) + copyLine("d2h", 256, 1e6));
    EXPECT_TRUE(oneWay.numbers.empty()) << leftOutOf(oneWay);
    EXPECT_TRUE(fittedOf("dgx-h200", "", kHostHead + memoryLines(1e-6)).numbers.empty());
}

TEST(FitNode, RefusesWhatIsFasterThanItsLine) {
    const FittedNode copies = fittedOf("dgx-h200", copyLine("h2d", 256, 500e9));
    EXPECT_TRUE(copies.numbers.empty());
    EXPECT_EQ(leftOutOf(copies), "transfer: 493 GB/s is more than the line's 63 GB/s\n");
    const FittedNode memory = fittedOf("dgx-h200", "", kHostHead + memoryLines(9.0));
    EXPECT_TRUE(memory.numbers.empty());
    EXPECT_NE(leftOutOf(memory).find("memory of the host: 3.96 TB/s is more than the line's"),
              std::string::npos)
        << leftOutOf(memory);
}

TEST(FitNode, APartOfTheCpusIsNotTheNode) {
    std::string head = kHostHead;
    head.replace(head.find("\"usable_threads\":224"), 20, "\"usable_threads\":112");
    const FittedNode part = fittedOf("dgx-h200", "", head + memoryLine("triad", 112, 200e9));
    EXPECT_TRUE(part.numbers.empty());
    EXPECT_EQ(leftOutOf(part),
              "memory of the host: only 112 of 224 CPUs could be used: that is not the node\n");
}

TEST(FitNode, AHostThatCannotBeTheNodeIsLeftOut) {
    const auto headOf = [](const std::string& memory, const std::string& threads) {
        return R"({"schema":"fabricast.measurements/1","machine":{"host":{"cpu":"x","threads":)" +
               threads + R"(,"usable_threads":)" + threads + R"(,"memory":)" + memory +
               R"(}},"program":"fabricast-probe-host","begun":"2026-11-22T18:00:00Z"})" + "\n";
    };
    const auto whyOf = [&](const std::string& memory, int threads) {
        const std::string head = headOf(memory, std::to_string(threads));
        return leftOutOf(fittedOf("dgx-h200", "", head + memoryLine("copy", threads, 50e9)));
    };
    EXPECT_EQ(whyOf("25232932864", 2),
              "memory of the host: that host is not dgx-h200: it has 23.5 GiB of memory, and "
              "dgx-h200 has 1.86 TiB (--force takes it all the same)\n");
    EXPECT_EQ(whyOf("2164663517184", 2),
              "memory of the host: that host is not dgx-h200: it has 2 CPUs, and dgx-h200 has 2x "
              "Intel Xeon 8480C, 56 cores (--force takes it all the same)\n");
    EXPECT_NE(whyOf("17179869184000", 224), "") << "eight times the memory";
    EXPECT_EQ(whyOf("1082331758592", 112), "") << "half the memory, one thread for a core";
    const ProfileStore store = ProfileStore::builtIn();
    const FittedNode forced =
        fitNode(*store.node("dgx-h200"),
                bothRecords("", headOf("25232932864", "2") + memoryLine("copy", 2, 50e9)),
                "probes",
                true);
    ASSERT_EQ(forced.numbers.size(), 1U) << leftOutOf(forced);
    EXPECT_EQ(forced.numbers[0].path, "host_memory_bandwidth");
    EXPECT_FALSE(forced.isOtherHost);
}

// Records that are fitted together are of one host: its GPU's copies are not the node's either.
TEST(FitNode, AnotherHostsCopiesAreLeftOutWithItsMemory) {
    std::string head = kHostHead;
    head.replace(head.find("2164663517184"), 13, "25232932864");
    const std::string why =
        "that host is not dgx-h200: it has 23.5 GiB of memory, and dgx-h200 "
        "has 1.86 TiB (--force takes it all the same)\n";
    const FittedNode other = fittedOf("dgx-h200", copyLines(), head + memoryLines());
    EXPECT_TRUE(other.numbers.empty());
    EXPECT_EQ(leftOutOf(other), "memory of the host: " + why + "copies of GPUs: " + why);
    const auto forced = fitRecord(ProfileStore::builtIn(),
                                  bothRecords(copyLines(), head + memoryLines()),
                                  {.name = "ours", .machine = "dgx-h200", .isForced = true});
    ASSERT_TRUE(forced) << forced.error().text();
    EXPECT_EQ(forced->numbers.size(), 2U) << forced->report;
}

TEST(FitNode, SaysWhoseItWouldBe) {
    const ProfileStore store = ProfileStore::builtIn();
    const auto whyNot = [&](const RecordFitOptions& options) {
        const auto fitted = fitRecord(store, bothRecords(copyLines(), kHostHead), options);
        return fitted ? "fitted" : fitted.error().text();
    };
    EXPECT_NE(whyNot({.name = "ours"}).find("--machine says whose"), std::string::npos);
    EXPECT_NE(whyNot({.name = "ours", .machine = "dgx-h100"})
                  .find("it has h100-sxm5-80gb, and h200-sxm-141gb was measured"),
              std::string::npos)
        << whyNot({.name = "ours", .machine = "dgx-h100"});
}

TEST(FitNode, WrongAndRefusedCopiesAreLeftOut) {
    std::string wrong = copyLine("h2d", 256, 50e9);
    wrong.replace(wrong.find("\"wrong\":0"), 9, "\"wrong\":2");
    const FittedNode fitted = fittedOf(
        "dgx-h200",
        wrong + copyLine("d2h", 256, 50e9) +
            "{\"point\":\"transfer bytes=256M kind=p2p\",\"refused\":\"only one GPU is here\"}\n");
    ASSERT_EQ(fitted.numbers.size(), 1U);
    EXPECT_EQ(fitted.changes[0].points, 1U);
    EXPECT_NE(leftOutOf(fitted).find("its results were wrong"), std::string::npos);
    EXPECT_NE(leftOutOf(fitted).find("only one GPU is here"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
